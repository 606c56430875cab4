package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.QueueNote;
import java.util.function.LongSupplier;

/**
 * The owner of the messages in the log of a partition: its queues, and the entries of dead messages
 * whose dead letters are not safe yet.
 *
 * @param metadataSequence returns the sequence number of the last change of metadata that is
 *     durable
 */
record LoggedContents(
    QueueList queues, UnsettledEntries dead, AppliedBatches batches, LongSupplier metadataSequence)
    implements LogOwner {
  @Override
  public boolean isLive(long queueId, long sequence, long location) {
    DiskQueueStore queue = queues.get(queueId);
    if (queue != null && queue.queue().isLive(sequence, location, false)) {
      return true;
    }
    return dead.awaitedAt(queueId, sequence, location) != null;
  }

  @Override
  public long removalOf(long queueId, long sequence, long location) {
    DiskQueueStore kept = queues.get(StoreIds.ofRemoved(queueId));
    return kept != null && kept.queue().isLive(sequence, location, false)
        ? kept.queue().ownDeadlineOf(sequence)
        : NOT_REMOVED;
  }

  @Override
  public void moved(long queueId, long sequence, long from, long to) {
    UnsettledEntry entry = dead.awaitedAt(queueId, sequence, from);
    if (entry != null) {
      entry.moveTo(to);
    } else {
      queues.get(queueId).queue().moved(sequence, to);
    }
  }

  @Override
  public QueueNote noteOf(long queueId, int segment) {
    DiskQueueStore queue = queues.get(queueId);
    return queue == null ? null : queue.noteOf(segment, metadataSequence.getAsLong());
  }

  @Override
  public void forEachDelivered(DeliveredSink sink) {
    for (DiskQueueStore queue : queues.all()) {
      long upTo = queue.deliveredAmongThose();
      if (upTo >= 0) {
        sink.accept(queue.id, upTo);
      }
    }
  }

  @Override
  public void forEachReturned(int mostBytes, ReturnedSink sink) {
    RedeliveryNotes notes = new RedeliveryNotes();
    int left = mostBytes;
    for (DiskQueueStore queue : queues.all()) {
      queue.noteReturns(notes, left);
      if (notes.size() > 0) {
        left -= notes.size();
        sink.accept(queue.id, notes.take());
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
