package io.mayflymq.core.queue.index;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * The messages of one queue that would be stuck behind a later deadline, ordered by deadline.
 *
 * <h2>Why only those</h2>
 *
 * <p>A message has to leave at its own deadline at any position. As long as deadlines come in queue
 * order, looking at the head is enough: the common case needs no index at all, and this class then
 * allocates nothing. The index is needed for a message whose deadline is earlier than that of a
 * message before it; such a message is added here, costs 16 bytes, and is polled at its deadline.
 * There is no timer per message: the queue's one timer is set to the earlier of the head's deadline
 * and {@link #peekDeadline}.
 *
 * <h2>Structure</h2>
 *
 * <p>A 4-ary heap ordered by (deadline, sequence): half as deep as a binary one, and the four
 * children are adjacent in memory. Entries are pairs of longs in chunks of 1,024, not in one array,
 * so that growing to ten million entries copies nothing and shrinking frees memory step by step.
 *
 * <h2>Consumed messages</h2>
 *
 * <p>When a message leaves without being polled (consumed, purged, dropped), its entry is not
 * searched for. The owner calls {@link #discarded()}, and the entry is dead. When more than half of
 * the entries are dead a sweep begins: it looks at a few entries at each discard or poll, from the
 * last to the first, and removes the dead ones. So a discard costs O(1) amortised, no call stalls
 * the event loop however large the index is, and dead entries never amount to more than a constant
 * factor of the live ones (about two to one during a sweep). An entry that is removed from the
 * middle is replaced by the last one, which nearly always belongs near the bottom: constant time on
 * average.
 *
 * <p>Not thread-safe: belongs to the thread that owns the queue.
 */
public final class LongPairHeap {
  private static final int ARITY_BITS = 2;
  private static final int CHUNK_BITS = 10;
  private static final int CHUNK_ENTRIES = 1 << CHUNK_BITS;
  private static final int CHUNK_MASK = CHUNK_ENTRIES - 1;
  private static final int SMALLEST_CHUNK_ENTRIES = 4;
  private static final int SWEEP_STEPS = 8;
  private static final int NO_SWEEP = -1;
  private static final long[][] NO_CHUNKS = {};

  private final LongPredicate isLive;

  /** Entry i is the pair (deadline, sequence) at 2 * (i mod 1024) in chunk i / 1024. */
  private long[][] chunks = NO_CHUNKS;

  private int chunkCount;
  private int size;
  private int dead;
  private int sweepPosition = NO_SWEEP;

  /**
   * Makes an empty index, which holds no memory until the first {@link #add}.
   *
   * @param isLive returns whether an entry of the given sequence number is still needed. It must
   *     return false from the {@link #discarded()} for that message on, and true before; it must
   *     not call this index.
   */
  public LongPairHeap(LongPredicate isLive) {
    this.isLive = isLive;
  }

  /**
   * Adds a message. O(1) on average, O(log n) at worst. A message must not be added again while an
   * entry of it may be in here: {@link #size()} counts both, and both are polled.
   *
   * @param deadlineMillis when it expires, in milliseconds since the epoch
   * @param sequence its sequence number in the queue
   */
  public void add(long deadlineMillis, long sequence) {
    ensureCapacity(size + 1);
    siftUp(size++, deadlineMillis, sequence);
  }

  /**
   * The earliest deadline, in milliseconds since the epoch; {@link Long#MAX_VALUE} if there is no
   * entry. It may belong to a discarded message.
   */
  public long peekDeadline() {
    return size == 0 ? Long.MAX_VALUE : chunks[0][0];
  }

  /**
   * The sequence number of the earliest entry, the lowest one among equal deadlines; -1 if there is
   * no entry. It may belong to a discarded message.
   */
  public long peekSequence() {
    return size == 0 ? -1 : chunks[0][1];
  }

  /**
   * Removes the earliest entry. O(log n), plus a step of a sweep that may be in progress.
   *
   * @return its sequence number, -1 if there was no entry. The message may have been discarded, so
   *     the caller has to check whether it is still in the queue.
   */
  public long poll() {
    if (size == 0) {
      return -1;
    }
    long sequence = chunks[0][1];
    if (dead > 0 && !isLive.test(sequence)) {
      dead--;
    }
    removeAt(0);
    sweepIfNeeded();
    return sequence;
  }

  /**
   * Called when a message that has an entry in here left the queue without {@link #poll()}. O(1)
   * amortised, and a small constant of removals at worst.
   */
  public void discarded() {
    dead++;
    sweepIfNeeded();
  }

  /** Removes all dead entries: messages that have left may be added again then. O(n). */
  public void dropDead() {
    for (int i = size - 1; i >= 0; i--) {
      if (!isLive.test(chunks[i >> CHUNK_BITS][2 * (i & CHUNK_MASK) + 1])) {
        removeAt(i);
      }
    }
    dead = 0;
    sweepPosition = NO_SWEEP;
  }

  /** Receives entries. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Receives one entry.
     *
     * @return whether it wants more
     */
    boolean accept(long deadlineMillis, long sequence);
  }

  /** Visits all entries, including those of discarded messages, in no order; changes nothing. */
  public void forEach(Sink sink) {
    for (int i = 0; i < size && sink.accept(deadlineAt(i), sequenceAt(i)); i++) {}
  }

  /** Removes all entries and frees all memory. */
  public void clear() {
    chunks = NO_CHUNKS;
    chunkCount = 0;
    size = 0;
    dead = 0;
    sweepPosition = NO_SWEEP;
  }

  /** How many entries there are, those of discarded messages included. */
  public int size() {
    return size;
  }

  /** Whether there is no entry. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** The memory held by entries, used or not, in bytes. O(n), but 1,024 entries at a time. */
  public long capacityBytes() {
    long longs = 0;
    for (long[] chunk : chunks) {
      longs += chunk == null ? 0 : chunk.length;
    }
    return longs * Long.BYTES;
  }

  private void sweepIfNeeded() {
    if (sweepPosition == NO_SWEEP && dead > size - dead) {
      sweepPosition = size - 1;
    }
    if (sweepPosition != NO_SWEEP) {
      sweep();
    }
  }

  /**
   * Looks at the next few entries. A position from which an entry was removed is looked at again,
   * as the removal may have put another unseen entry there.
   */
  private void sweep() {
    for (int step = 0; step < SWEEP_STEPS; step++) {
      sweepPosition = Math.min(sweepPosition, size - 1);
      if (sweepPosition < 0 || dead == 0) {
        sweepPosition = NO_SWEEP;
        return;
      }
      if (isLive.test(sequenceAt(sweepPosition))) {
        sweepPosition--;
      } else {
        dead--;
        removeAt(sweepPosition);
      }
    }
  }

  private void removeAt(int index) {
    int last = --size;
    if (index != last) {
      long deadline = deadlineAt(last);
      long sequence = sequenceAt(last);
      if (index > 0 && precedes(deadline, sequence, parentOf(index))) {
        siftUp(index, deadline, sequence);
      } else {
        siftDown(index, deadline, sequence);
      }
    }
    releaseCapacity();
  }

  private void siftUp(int start, long deadline, long sequence) {
    int hole = start;
    while (hole > 0) {
      int parent = parentOf(hole);
      if (!precedes(deadline, sequence, parent)) {
        break;
      }
      set(hole, deadlineAt(parent), sequenceAt(parent));
      hole = parent;
    }
    set(hole, deadline, sequence);
  }

  private void siftDown(int start, long deadline, long sequence) {
    int hole = start;
    while (true) {
      long firstChild = ((long) hole << ARITY_BITS) + 1;
      if (firstChild >= size) {
        break;
      }
      int least = (int) firstChild;
      int end = (int) Math.min(size, firstChild + (1 << ARITY_BITS));
      for (int child = least + 1; child < end; child++) {
        if (precedes(deadlineAt(child), sequenceAt(child), least)) {
          least = child;
        }
      }
      if (!precedes(deadlineAt(least), sequenceAt(least), deadline, sequence)) {
        break;
      }
      set(hole, deadlineAt(least), sequenceAt(least));
      hole = least;
    }
    set(hole, deadline, sequence);
  }

  private boolean precedes(long deadline, long sequence, int index) {
    return precedes(deadline, sequence, deadlineAt(index), sequenceAt(index));
  }

  private static boolean precedes(long deadline, long sequence, long otherDeadline, long other) {
    return deadline < otherDeadline || (deadline == otherDeadline && sequence < other);
  }

  private static int parentOf(int index) {
    return (index - 1) >>> ARITY_BITS;
  }

  private long deadlineAt(int index) {
    return chunks[index >>> CHUNK_BITS][(index & CHUNK_MASK) << 1];
  }

  private long sequenceAt(int index) {
    return chunks[index >>> CHUNK_BITS][((index & CHUNK_MASK) << 1) + 1];
  }

  private void set(int index, long deadline, long sequence) {
    long[] chunk = chunks[index >>> CHUNK_BITS];
    int at = (index & CHUNK_MASK) << 1;
    chunk[at] = deadline;
    chunk[at + 1] = sequence;
  }

  /** The first chunk doubles until it has full size; the others are made in full size. */
  private void ensureCapacity(int entries) {
    if (chunkCount == 0) {
      chunks = new long[][] {new long[SMALLEST_CHUNK_ENTRIES * 2]};
      chunkCount = 1;
    } else if (entries <= CHUNK_ENTRIES) {
      if (chunks[0].length < entries * 2) {
        chunks[0] = Arrays.copyOf(chunks[0], chunks[0].length * 2);
      }
    } else if (chunkCount * CHUNK_ENTRIES < entries) {
      if (chunkCount == chunks.length) {
        chunks = Arrays.copyOf(chunks, chunkCount * 2);
      }
      chunks[chunkCount++] = new long[CHUNK_ENTRIES * 2];
    }
  }

  /**
   * Keeps half a chunk, or three quarters of the only one, as a reserve, so that memory is not
   * freed and allocated repeatedly.
   */
  private void releaseCapacity() {
    if (chunkCount > 1) {
      if (size <= (chunkCount - 1) * CHUNK_ENTRIES - CHUNK_ENTRIES / 2) {
        chunks[--chunkCount] = null;
        if (chunkCount <= chunks.length / 4) {
          chunks = Arrays.copyOf(chunks, chunks.length / 2);
        }
      }
    } else if (chunks[0].length > SMALLEST_CHUNK_ENTRIES * 2 && size * 8 <= chunks[0].length) {
      chunks[0] = Arrays.copyOf(chunks[0], chunks[0].length / 2);
    }
  }
}
