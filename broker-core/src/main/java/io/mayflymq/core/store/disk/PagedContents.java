package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.QueueNote;

/**
 * The owner of paged contents: the same queues, with those of their messages that are not in the
 * log.
 */
record PagedContents(QueueList queues) implements LogOwner, ContentOwner {
  @Override
  public boolean isLive(long queueId, long sequence, long location) {
    DiskQueueStore queue = queues.get(queueId);
    return queue != null && queue.queue().isLive(sequence, location, true);
  }

  @Override
  public void moved(long queueId, long sequence, long from, long to) {
    queues.get(queueId).queue().moved(sequence, to);
  }

  @Override
  public QueueNote noteOf(long queueId, int segment) {
    return null;
  }

  @Override
  public void forEachDelivered(DeliveredSink sink) {
    // Not needed: paged contents are not read after a crash.
  }

  @Override
  public void forEachApplied(AppliedBatches.Sink sink) {
    // Only in the log of a replica.
  }

  @Override
  public void forEachReturned(int mostBytes, ReturnedSink sink) {
    // Not needed: paged contents are not read after a crash.
  }
}
