package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RecoverableQueue;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.UnsettledEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A store in memory that writes down what it is asked. It keeps persistent messages, and has no
 * room in memory for every so many messages. Its own books must balance: what is read, settled and
 * buried is what was stored, where it was stored.
 */
public final class RecordingStore implements QueueStore {
  /** The store of a queue of which nothing is kept and all is in memory. */
  public static final int ROOM_FOR_ALL = 0;

  /** The numbers in the queue of what was stored, settled or buried so far, in order. */
  final List<Long> stored = new ArrayList<>();

  final List<Long> settled = new ArrayList<>();

  /** Hears of it too, in terms of messages. */
  public interface Listener {
    void stored(Message message, long sequence, long ownDeadlineMillis, long enqueuedAtMillis);

    void settled(Message message);
  }

  /** The message that has left a file last. */
  Message lastGone;

  public boolean forgotten;

  /** Whether there is time to read what is not in memory for information only. */
  boolean readsInPassing = true;

  /** Whether what leaves cannot be noted. */
  boolean failsToSettle;

  long deliveredUpTo = -1;

  /** The notes of returned messages. */
  private final List<Consumer<RedeliveryNotes>> returned = new ArrayList<>();

  private final int noRoomForEvery;
  private final Listener listener;
  private final Map<Long, Message> log = new HashMap<>();
  private final Map<Long, Message> pages = new HashMap<>();
  private static final AtomicLong LOCATIONS = new AtomicLong(1L << 40);
  private int admissions;
  private int inQueue;
  private int inMemory;
  private RecoverableQueue queue;

  /** Of the messages that can be brought back; null unless there is one. */
  private RecordingStore removed;

  /**
   * Makes a store.
   *
   * @param noRoomForEvery which messages there is no memory for: every so-many-th, none for 0
   */
  public RecordingStore(int noRoomForEvery, Listener listener) {
    this.noRoomForEvery = noRoomForEvery;
    this.listener = listener;
  }

  /** Returns the store of the messages that have left and can be brought back. */
  RecordingStore openRemoved() {
    removed = new RecordingStore(noRoomForEvery, listener);
    return removed;
  }

  /** Returns the store of when the time of the queue stood still. */
  RecordingStore openStopped() {
    return new RecordingStore(
        ROOM_FOR_ALL,
        new Listener() {
          @Override
          public void stored(
              Message message, long sequence, long ownDeadlineMillis, long enqueuedAtMillis) {}

          @Override
          public void settled(Message message) {}
        });
  }

  RecoverableQueue queue() {
    return queue;
  }

  /** The notes of returned messages, in the form of the log. */
  byte[] returned() {
    RedeliveryNotes notes = new RedeliveryNotes();
    returned.forEach(note -> note.accept(notes));
    return notes.take();
  }

  /** How many messages the log has. */
  public int kept() {
    return log.size();
  }

  /** A message that was kept is given back to the queue. */
  public void bringBack(
      long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis) {
    inQueue++;
    long location = put(log, message);
    assertThat(
            queue.recovered(
                sequence,
                ownDeadlineMillis,
                enqueuedAtMillis,
                message.priority(),
                message.bodyLength(),
                location))
        .isTrue();
    assertThat(queue.locationOf(sequence)).isEqualTo(location);
  }

  /** Copies everything somewhere else, as compaction does. */
  public void compact() {
    if (removed != null) {
      removed.compact();
    }
    List<long[]> moves = new ArrayList<>();
    queue.forEachStored(
        (sequence, location, bodyLength, enqueuedAtMillis, paged) -> {
          assertThat(queue.isLive(sequence, location, paged)).isTrue();
          assertThat(queue.isLive(sequence, location, !paged)).isFalse();
          moves.add(new long[] {sequence, location, paged ? 1 : 0});
        });
    assertThat(moves).hasSize(log.size() + pages.size());
    for (long[] move : moves) {
      Map<Long, Message> file = move[2] == 1 ? pages : log;
      long location = LOCATIONS.getAndIncrement();
      file.put(location, file.remove(move[1]));
      queue.moved(move[0], location);
    }
  }

  /** The queue is empty: nothing of it is anywhere. */
  public void assertEmpty() {
    if (removed != null) {
      removed.assertEmpty();
    }
    assertThat(log).isEmpty();
    assertThat(pages).isEmpty();
    assertThat(inQueue).isZero();
    assertThat(inMemory).isZero();
  }

  @Override
  public void attach(RecoverableQueue attached) {
    queue = attached;
  }

  @Override
  public boolean admit(Message message, boolean soon) {
    inQueue++;
    boolean room = noRoomForEvery == ROOM_FOR_ALL || ++admissions % noRoomForEvery != 0;
    room &= soon || !isPersistent(message);
    inMemory += room ? 1 : 0;
    return room;
  }

  @Override
  public boolean mayReadInPassing(long location, boolean paged) {
    return readsInPassing;
  }

  @Override
  public void left(Message message) {
    inQueue--;
    inMemory -= message == null ? 0 : 1;
    assertThat(inMemory).isBetween(0, inQueue);
  }

  @Override
  public long memoryBytes() {
    return 0;
  }

  @Override
  public long page(long sequence, Message message) {
    return put(pages, message);
  }

  @Override
  public void unpage(long location, int bodyLength) {
    lastGone = take(pages, location, bodyLength);
  }

  @Override
  public Message read(long location, boolean paged) {
    Message message = (paged ? pages : log).get(location);
    assertThat(message).isNotNull();
    return message;
  }

  @Override
  public boolean isPersistent(Message message) {
    return message.persistent();
  }

  @Override
  public long store(long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis) {
    stored.add(sequence);
    listener.stored(message, sequence, ownDeadlineMillis, enqueuedAtMillis);
    return put(log, message);
  }

  /** No move leads here. */
  @Override
  public void enter(Move move, long sequence, long ownDeadlineMillis) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void delivered(long sequence) {
    deliveredUpTo = Math.max(deliveredUpTo, sequence);
  }

  @Override
  public void returned(long sequence, long returns, long untilMillis) {
    returned.add(notes -> notes.add(sequence, returns, untilMillis));
  }

  @Override
  public void settle(long sequence, long location, int bodyLength) {
    if (failsToSettle) {
      throw new IllegalStateException("settle " + sequence);
    }
    settled.add(sequence);
    lastGone = take(log, location, bodyLength);
    listener.settled(lastGone);
  }

  @Override
  public void removed(long sequence, long location, long stamp) {
    removed.log.put(location, log.remove(location));
    lastGone = removed.log.get(location);
  }

  @Override
  public void tookOver() {
    inQueue++;
  }

  @Override
  public UnsettledEntry detach(long sequence, long location, int bodyLength) {
    settle(sequence, location, bodyLength);
    return new UnsettledEntry(1, sequence, location, bodyLength);
  }

  @Override
  public void forget() {
    forgotten = true;
  }

  private long put(Map<Long, Message> file, Message message) {
    long location = LOCATIONS.getAndIncrement();
    file.put(location, message);
    return location;
  }

  private static Message take(Map<Long, Message> file, long location, int bodyLength) {
    Message message = file.remove(location);
    assertThat(message).as("is there, and leaves once").isNotNull();
    assertThat(message.bodyLength()).isEqualTo(bodyLength);
    return message;
  }
}
