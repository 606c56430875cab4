package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.runtime.BurstEnd;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RecoverableQueue;
import io.mayflymq.core.store.RemovalStamp;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.UnreadableException;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.segment.Location;
import io.mayflymq.core.store.segment.SegmentLog;
import java.io.UncheckedIOException;
import java.util.function.LongUnaryOperator;

/**
 * The entries of a partition's messages: in its log, packed in memory, or in the paging file. Those
 * that a move has added have no location until it is written.
 */
final class PartitionEntries {
  // per tick
  private static final int READS_IN_PASSING = 200;

  final MemoryBudget budget;
  final Paging paging;
  private final String owner;
  private final SegmentLog log;
  private final PendingMove move;
  private final BurstEnd burst;
  private final LongUnaryOperator storedTime;
  private long stored;
  private int readsInPassing = READS_IN_PASSING;

  /**
   * Creates them.
   *
   * @param owner the name of what the log belongs to, for errors
   * @param move the move of the partition
   * @param storedTime returns what a time of the partition is after a restart
   */
  PartitionEntries(
      String owner,
      SegmentLog log,
      PendingMove move,
      Paging paging,
      BurstEnd burst,
      LongUnaryOperator storedTime) {
    this.owner = owner;
    this.move = move;
    this.storedTime = storedTime;
    this.log = log;
    this.paging = paging;
    this.budget = paging.budget();
    this.burst = burst;
  }

  /**
   * Stores a message.
   *
   * @param namedIn the last segment that has a note of the queue's name
   * @return its location
   */
  long store(
      long queueId,
      int namedIn,
      long sequence,
      Message message,
      long ownDeadlineMillis,
      long enqueuedAtMillis) {
    stored++;
    burst.request();
    long deadline = storedDeadline(ownDeadlineMillis);
    long enqueuedAt = storedTime(enqueuedAtMillis);
    return log.enqueue(queueId, namedIn, sequence, deadline, 0, enqueuedAt, message);
  }

  /** Adds an entry to a move. */
  void enter(Move entering, long queueId, long sequence, long ownDeadlineMillis) {
    stored++;
    entering.add(queueId, sequence, storedDeadline(ownDeadlineMillis));
  }

  /** A negative one stands for a moment that does not depend on when the message arrived. */
  private long storedDeadline(long ownDeadlineMillis) {
    return ownDeadlineMillis < 0 ? -storedTime(-ownDeadlineMillis) : storedTime(ownDeadlineMillis);
  }

  /** Returns what a time of the partition is after a restart. */
  long storedTime(long millis) {
    return storedTime.applyAsLong(millis);
  }

  void settle(long queueId, long sequence, long location, int bodyLength) {
    if (location == QueueStore.NOWHERE) {
      move.remove(queueId, sequence);
    } else {
      burst.request();
      log.settle(queueId, sequence, location, bodyLength);
    }
  }

  /** A message can be brought back. One that a move has just added has not been written yet. */
  void removed(long queueId, long sequence, long location, long stamp) {
    long stored = storedStamp(stamp);
    if (location == QueueStore.NOWHERE) {
      move.remove(queueId, sequence);
      move.add(StoreIds.ofRemoved(queueId), sequence, stored);
    } else {
      burst.request();
      log.removed(queueId, sequence, location, stored);
    }
  }

  private long storedStamp(long stamp) {
    return RemovalStamp.of(
        storedTime.applyAsLong(RemovalStamp.millis(stamp)), RemovalStamp.reason(stamp));
  }

  UnsettledEntry detach(long queueId, long sequence, long location, int bodyLength) {
    UnsettledEntry entry = new UnsettledEntry(queueId, sequence, location, bodyLength);
    if (location == QueueStore.NOWHERE) {
      move.addDead(entry);
    }
    return entry;
  }

  Message read(long location, boolean paged) {
    if (location == QueueStore.NOWHERE && move.isBegun()) {
      return move.message();
    }
    try {
      return paged ? paging.read(location) : log.read(location);
    } catch (UncheckedIOException e) {
      throw new UnreadableException(
          "%s cannot be read: %s".formatted(place(location), e.getCause()), e);
    } catch (RuntimeException e) {
      throw new UnreadableException(e.getMessage(), e);
    }
  }

  private String place(long location) {
    return "record at %d of segment %d of %s"
        .formatted(Location.offset(location), Location.segment(location), owner);
  }

  boolean mayReadInPassing(long location, boolean paged) {
    return (paged && ContentArena.has(location)) || mayReadFileInPassing();
  }

  private boolean mayReadFileInPassing() {
    return readsInPassing > 0 && readsInPassing-- > 0;
  }

  long page(long queueId, long sequence, Message message) {
    long location = paging.put(queueId, sequence, message);
    if (!ContentArena.has(location)) {
      burst.request();
    }
    return location;
  }

  void unpage(long location, int bodyLength) {
    paging.release(location, bodyLength);
    if (!ContentArena.has(location)) {
      burst.request();
    }
  }

  /** Removes the entries of a deleted queue that has some. */
  void forget(long queueId, RecoverableQueue queue, boolean hasAwaited) {
    burst.request();
    // A mark for the whole queue would also void the entries whose dead letters are not safe yet.
    log.forget(
        queueId,
        sink ->
            queue.forEachStored(
                (sequence, location, bodyLength, enqueuedAtMillis, paged) -> {
                  if (paged) {
                    paging.release(location, bodyLength);
                  } else if (hasAwaited) {
                    log.settle(queueId, sequence, location, bodyLength);
                  } else {
                    sink.accept(location, bodyLength);
                  }
                }));
  }

  /** Requests a call at the end of the burst. */
  void touch() {
    burst.request();
  }

  /** Returns how many messages have been stored so far. */
  long storedCount() {
    return stored;
  }

  /** Allows further reads of files for display. To be called regularly. */
  void allowReads() {
    readsInPassing = READS_IN_PASSING;
  }
}
