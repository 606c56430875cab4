package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RecoverableQueue;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.segment.Location;
import io.mayflymq.core.store.segment.RecoveryVisitor;
import io.mayflymq.core.store.segment.SegmentLog;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/** Takes the contents of a log into the queues of a store that are open. */
public final class RecoveredQueues implements RecoveryVisitor {
  private final SegmentLog source;
  private final SegmentLog log;
  private final QueueList queues;
  private final AppliedBatches batches;
  private final LongConsumer openBeside;
  private final LongPredicate isValid;
  private final RecoveryVisitor others;
  private final Set<DiskQueueStore> found = new LinkedHashSet<>();
  private DiskQueueStore last;
  private long messages;
  private long highestQueueId;

  /**
   * Two logs, which may be the same.
   *
   * @param source the log that is recovered
   * @param log that of the store
   */
  record Logs(SegmentLog source, SegmentLog log) {}

  /** Creates a visitor; see {@link StoreContents#recovery}. */
  RecoveredQueues(
      Logs logs,
      LoggedContents contents,
      LongConsumer openBeside,
      LongPredicate isValid,
      RecoveryVisitor others) {
    this.source = logs.source;
    this.log = logs.log;
    this.queues = contents.queues();
    this.batches = contents.batches();
    this.openBeside = openBeside;
    this.isValid = isValid;
    this.others = others;
  }

  /** Returns how many messages the queues have got. */
  public long messages() {
    return messages;
  }

  /** Returns the highest id of a queue in the log, 0 if there is none. */
  public long highestQueueId() {
    return highestQueueId;
  }

  /** Returns the queues that have got messages. */
  Set<DiskQueueStore> found() {
    return found;
  }

  /** Returns the queue of this id; null if it is not open or the log is not valid for it. */
  private DiskQueueStore find(long queueId) {
    if (last == null || last.id != queueId) {
      highestQueueId = Math.max(highestQueueId, StoreIds.queueOf(queueId));
      DiskQueueStore queue = queues.get(queueId);
      if (queue == null || !isValid.test(queueId)) {
        return null;
      }
      last = queue;
    }
    return last;
  }

  /**
   * Returns the queue that a message entered; opens the store of scheduled messages or waiting dead
   * letters with the first of them.
   */
  private DiskQueueStore findEntered(long queueId) {
    DiskQueueStore queue = find(queueId);
    if (queue == null && StoreIds.isBeside(queueId) && isValid.test(queueId)) {
      openBeside.accept(queueId);
      queue = find(queueId);
    }
    return queue;
  }

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
    DiskQueueStore queue = findEntered(queueId);
    if (queue == null) {
      others.enqueued(
          queueId,
          sequence,
          deadlineMillis,
          flags,
          enqueuedAtMillis,
          priority,
          bodyLength,
          location);
      return;
    }
    if (queue.queue().locationOf(sequence) != QueueStore.NOWHERE) {
      source.release(location, bodyLength);
      return;
    }
    found.add(queue);
    queue
        .queue()
        .recovered(sequence, deadlineMillis, enqueuedAtMillis, priority, bodyLength, location);
    queue.recovered();
    count(queue, 1);
  }

  /** What says when the time of a queue stood still is no message. */
  private void count(DiskQueueStore queue, int more) {
    messages += StoreIds.isStops(queue.id) ? 0 : more;
  }

  @Override
  public void settled(long queueId, long from, long to, int segment) {
    DiskQueueStore queue = find(queueId);
    if (queue == null) {
      others.settled(queueId, from, to, segment);
      return;
    }
    if (to == Long.MAX_VALUE) {
      queue
          .queue()
          .forEachStored(
              (sequence, location, bodyLength, enqueuedAtMillis, paged) ->
                  settled(queue, sequence, segment));
      return;
    }
    for (long sequence = from; sequence <= to; sequence++) {
      settled(queue, sequence, segment);
    }
  }

  private void settled(DiskQueueStore queue, long sequence, int segment) {
    RecoverableQueue stored = queue.queue();
    long location = stored.locationOf(sequence);
    if (location != QueueStore.NOWHERE && Location.segment(location) == segment) {
      source.release(location, stored.settled(sequence));
      queue.recoveredSettled();
      count(queue, -1);
    }
  }

  @Override
  public void replaced(long queueId, long sequence) {
    DiskQueueStore queue = find(queueId);
    if (queue == null) {
      others.replaced(queueId, sequence);
    } else {
      drop(queue, sequence);
    }
  }

  /** Drops an earlier entry, if there is one. */
  private void drop(DiskQueueStore queue, long sequence) {
    long location = queue.queue().locationOf(sequence);
    if (location != QueueStore.NOWHERE) {
      source.release(location, queue.queue().settled(sequence));
      queue.recoveredSettled();
      count(queue, -1);
    }
  }

  @Override
  public void removed(long queueId, long from, long to, int segment, long stamp) {
    DiskQueueStore queue = find(queueId);
    if (queue == null) {
      others.removed(queueId, from, to, segment, stamp);
      return;
    }
    DiskQueueStore kept = findEntered(StoreIds.ofRemoved(queueId));
    for (long sequence = from; sequence <= to; sequence++) {
      RecoverableQueue stored = queue.queue();
      long location = stored.locationOf(sequence);
      if (location == QueueStore.NOWHERE || Location.segment(location) != segment) {
        continue;
      }
      long arrived = stored.arrivalOf(sequence);
      int bodyLength = stored.settled(sequence);
      queue.recoveredSettled();
      if (kept == null) {
        source.release(location, bodyLength);
        messages--;
      } else {
        found.add(kept);
        drop(kept, sequence);
        kept.queue().recovered(sequence, stamp, arrived, Message.NO_PRIORITY, bodyLength, location);
        kept.recovered();
      }
    }
  }

  @Override
  public void delivered(long queueId, long upTo) {
    DiskQueueStore queue = find(queueId);
    if (queue == null) {
      others.delivered(queueId, upTo);
      return;
    }
    queue.recoveredDelivered(upTo);
    if (source != log) {
      log.delivered(queueId, upTo);
    }
  }

  @Override
  public void returned(long queueId, byte[] notes, boolean all) {
    DiskQueueStore queue = find(queueId);
    if (queue == null) {
      others.returned(queueId, notes, all);
      return;
    }
    queue.queue().recoveredReturns(notes, all);
    if (source != log) {
      log.returned(queueId, notes, all);
    }
  }

  @Override
  public void applied(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome) {
    batches.recovered(origin, number, unknownUpTo, outcome);
  }
}
