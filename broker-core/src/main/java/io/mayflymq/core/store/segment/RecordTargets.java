package io.mayflymq.core.store.segment;

import java.util.Arrays;

/**
 * The queues that a message enters, and its entry in each: a list that is filled, used, cleared and
 * reused.
 */
public final class RecordTargets {
  /** The most targets of one record. */
  public static final int MOST = 0xffff;

  private long[] queueIds = new long[4];
  private int[] namedIn = new int[4];
  private long[] sequences = new long[4];
  private long[] deadlines = new long[4];
  private byte[] flags = new byte[4];
  private int size;

  /** Removes all targets. */
  public void clear() {
    size = 0;
  }

  /**
   * Adds a queue.
   *
   * @param queueId the queue
   * @param sequence the message's number in it
   * @param deadlineMillis when it expires there, in ms since the epoch; {@link Long#MAX_VALUE} for
   *     never
   * @param ownFlags eight bits for the caller's use; higher ones are ignored
   * @throws IllegalStateException if there are {@link #MOST} targets already
   */
  public void add(long queueId, long sequence, long deadlineMillis, int ownFlags) {
    add(queueId, 0, sequence, deadlineMillis, ownFlags);
  }

  /** Does the same for a queue with the last segment that contains its name. */
  public void add(long queueId, int segment, long sequence, long deadlineMillis, int ownFlags) {
    if (size == queueIds.length) {
      grow();
    }
    queueIds[size] = queueId;
    namedIn[size] = segment;
    sequences[size] = sequence;
    deadlines[size] = deadlineMillis;
    flags[size] = (byte) ownFlags;
    size++;
  }

  /** Removes a target; those behind it move up. */
  public void remove(int index) {
    int behind = --size - index;
    System.arraycopy(queueIds, index + 1, queueIds, index, behind);
    System.arraycopy(namedIn, index + 1, namedIn, index, behind);
    System.arraycopy(sequences, index + 1, sequences, index, behind);
    System.arraycopy(deadlines, index + 1, deadlines, index, behind);
    System.arraycopy(flags, index + 1, flags, index, behind);
  }

  /** Copies the targets of another list. */
  public void set(RecordTargets other) {
    clear();
    for (int i = 0; i < other.size; i++) {
      add(
          other.queueIds[i],
          other.namedIn[i],
          other.sequences[i],
          other.deadlines[i],
          other.flags[i]);
    }
  }

  /** How many there are. */
  public int size() {
    return size;
  }

  /** The queue of this target. */
  public long queueId(int index) {
    return queueIds[index];
  }

  /** Returns the last segment that is known to contain the queue's name, 0 if none is. */
  public int namedIn(int index) {
    return namedIn[index];
  }

  /** The message's number in it. */
  public long sequence(int index) {
    return sequences[index];
  }

  /** When the message expires there, in ms since the epoch. */
  public long deadlineMillis(int index) {
    return deadlines[index];
  }

  /** The caller's eight bits, 0 to 255. */
  public int flags(int index) {
    return flags[index] & 0xff;
  }

  private void grow() {
    if (size == MOST) {
      throw new IllegalStateException("more than " + MOST + " targets in one record");
    }
    int capacity = Math.min(MOST, size * 2);
    queueIds = Arrays.copyOf(queueIds, capacity);
    namedIn = Arrays.copyOf(namedIn, capacity);
    sequences = Arrays.copyOf(sequences, capacity);
    deadlines = Arrays.copyOf(deadlines, capacity);
    flags = Arrays.copyOf(flags, capacity);
  }
}
