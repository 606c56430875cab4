package io.mayflymq.cluster.store;

import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.segment.Location;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.QueueNote;
import io.mayflymq.core.store.segment.ReplicaQueues;
import io.mayflymq.core.store.segment.SegmentLog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The queues of a replica that follows, by their ids; which of them exist is not known here.
 * Belongs to the shard's thread.
 *
 * <p>A follower does not run queues: it has to find the entries that its leader says are gone, and
 * to compact its log. So it knows where each message is, how long its body is, and what segments
 * begin with: up to where a queue may have been delivered, which messages have been returned, and
 * which batches of commands were applied. All else is in the log, and is read when this node leads.
 */
final class FollowerQueues implements ReplicaQueues, LogOwner {
  private static final FollowerQueue NONE = new FollowerQueue();

  private final SegmentLog log;
  private final StreamListener streams;
  private final Map<Long, FollowerQueue> queues = new HashMap<>();
  private final AppliedBatches batches = new AppliedBatches(() -> {});
  private FollowerQueue last = NONE;
  private long lastId;
  private boolean isRecovered;

  /** Is told of what enters replicated streams, and leaves the log. */
  public interface StreamListener {
    /** A message has entered a stream, or is found to have done so. */
    void entered(long storeId, long offset);

    /** What the leader has in its files, and says is in no log any more, is about to be removed. */
    void leaves(long storeId, long upTo);

    /** The leader says that a stream is deleted. */
    void deleted(long storeId);
  }

  /**
   * Creates it without queues.
   *
   * @param log the log that has their messages
   */
  public FollowerQueues(SegmentLog log, StreamListener streams) {
    this.log = log;
    this.streams = streams;
  }

  /** The log has been recovered: what it has not told by now does not exist. */
  public void recovered() {
    isRecovered = true;
    queues.values().forEach(FollowerQueue::recovered);
  }

  /** Forgets queues without messages, about which a segment would note nothing. */
  public void trimMemory() {
    queues.values().removeIf(queue -> queue.count() == 0);
    last = NONE;
  }

  /** Returns the ids of the queues that have messages. */
  public List<Long> ids() {
    return queues.entrySet().stream()
        .filter(queue -> queue.getValue().count() > 0)
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /** Returns how many messages all queues have. */
  public long count() {
    return queues.values().stream().mapToLong(FollowerQueue::count).sum();
  }

  private FollowerQueue find(long queueId) {
    if (lastId != queueId || last == NONE) {
      last = queues.getOrDefault(queueId, NONE);
      lastId = queueId;
    }
    return last;
  }

  private FollowerQueue make(long queueId) {
    if (find(queueId) == NONE) {
      last = new FollowerQueue();
      queues.put(queueId, last);
    }
    return last;
  }

  // What the log has, and takes from the leader

  @Override
  public void enqueued(
      long queueId,
      long sequence,
      long deadlineMillis,
      int flags,
      long enqueuedAtMillis,
      int priority,
      int bodyLength,
      long location) {
    boolean isNew =
        StoreIds.isRemoved(queueId)
            ? make(queueId).keep(sequence, location, bodyLength, deadlineMillis)
            : make(queueId).put(sequence, location, bodyLength);
    if (!isNew) {
      log.release(location, bodyLength);
    }
    if (StoreIds.isStream(queueId)) {
      streams.entered(queueId, sequence);
    }
  }

  @Override
  public void settled(long queueId, long from, long to, int segment) {
    find(queueId)
        .take(
            from,
            to,
            location -> Location.segment(location) == segment,
            true,
            (sequence, location, bodyLength) -> log.release(location, bodyLength));
  }

  @Override
  public void replaced(long queueId, long sequence) {
    find(queueId)
        .take(
            sequence,
            sequence,
            location -> true,
            true,
            (number, location, bodyLength) -> log.release(location, bodyLength));
  }

  @Override
  public void removed(long queueId, long from, long to, int segment, long stamp) {
    FollowerQueue kept = make(StoreIds.ofRemoved(queueId));
    find(queueId)
        .take(
            from,
            to,
            location -> Location.segment(location) == segment,
            true,
            (sequence, location, bodyLength) -> keep(kept, sequence, location, bodyLength, stamp));
  }

  @Override
  public void remove(long queueId, long from, long to, long stamp, TakenSink sink) {
    FollowerQueue kept = make(StoreIds.ofRemoved(queueId));
    find(queueId)
        .take(
            from,
            to,
            location -> true,
            false,
            (sequence, location, bodyLength) -> {
              keep(kept, sequence, location, bodyLength, stamp);
              sink.accept(sequence, location, bodyLength);
            });
  }

  private void keep(FollowerQueue kept, long sequence, long location, int bodyLength, long stamp) {
    if (!kept.keep(sequence, location, bodyLength, stamp)) {
      kept.take(
          sequence,
          sequence,
          former -> true,
          true,
          (number, former, length) -> log.release(former, length));
      kept.keep(sequence, location, bodyLength, stamp);
    }
  }

  @Override
  public void take(long queueId, long from, long to, TakenSink sink) {
    if (StoreIds.isStream(queueId)) {
      leave(queueId, to);
    }
    find(queueId).take(from, to, location -> true, false, sink);
  }

  private void leave(long storeId, long upTo) {
    if (upTo == Long.MAX_VALUE) {
      streams.deleted(storeId);
    } else {
      streams.leaves(storeId, upTo);
    }
  }

  /** Visits messages of a queue, in order. */
  public void visit(long queueId, long from, long to, TakenSink sink) {
    find(queueId).visit(from, to, sink);
  }

  @Override
  public void delivered(long queueId, long upTo) {
    make(queueId).delivered(upTo);
  }

  @Override
  public void returned(long queueId, byte[] notes, boolean all) {
    make(queueId).returned(notes, all, !isRecovered);
  }

  @Override
  public void applied(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome) {
    batches.recovered(origin, number, unknownUpTo, outcome);
  }

  // The owner of what is in the log

  @Override
  public boolean isLive(long queueId, long sequence, long location) {
    return find(queueId).location(sequence) == location;
  }

  @Override
  public long removalOf(long queueId, long sequence, long location) {
    FollowerQueue kept = find(StoreIds.ofRemoved(queueId));
    return kept.location(sequence) == location ? kept.stampOf(sequence) : NOT_REMOVED;
  }

  @Override
  public void moved(long queueId, long sequence, long from, long to) {
    find(queueId).move(sequence, to);
  }

  /** The leader's names are not sent. */
  @Override
  public QueueNote noteOf(long queueId, int segment) {
    return null;
  }

  @Override
  public void forEachDelivered(DeliveredSink sink) {
    queues.forEach(
        (queueId, queue) -> {
          if (queue.count() > 0 && queue.delivered() >= 0) {
            sink.accept(queueId, queue.delivered());
          }
        });
  }

  @Override
  public void forEachReturned(int mostBytes, ReturnedSink sink) {
    RedeliveryNotes notes = new RedeliveryNotes();
    int left = mostBytes;
    for (Map.Entry<Long, FollowerQueue> queue : queues.entrySet()) {
      if (StoreIds.isRemoved(queue.getKey())) {
        continue;
      }
      queue.getValue().notes(notes, left);
      if (notes.size() > 0) {
        left -= notes.size();
        sink.accept(queue.getKey(), notes.take());
      }
      if (left <= 0) {
        return;
      }
    }
  }

  @Override
  public void forEachApplied(AppliedBatches.Sink sink) {
    batches.forEach(sink);
  }
}
