package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.ShardStore.Recovered;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.StoredQueue;
import io.mayflymq.core.store.segment.Location;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.RecoveryVisitor;
import io.mayflymq.core.store.segment.SegmentLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Brings the messages of a shard's queues back at start.
 *
 * What the log speaks of and metadata does not know as a queue of this shard is let go: a queue whose deletion was safe while its messages were
 * still in the log, or one that lives on another shard by now.
 *
 * A broker may be started with fewer shards than before. The queues of those that are gone live on others now, which take their messages over:
 * copy them into the own log, have that made safe, have metadata say where the queues live, and only then delete the old log. Wherever
 * that is interrupted, the next start finds either the old log and does it again, or the whole of it in the new one.
 */
final class StoreRecovery {
  private static final Logger LOGGER = LoggerFactory.getLogger(StoreRecovery.class);
  private static final long MOST_PENDING = 16L << 20;

  private final int shard;
  private final DiskStores stores;
  private final SegmentLog log;
  private final LogOwner owner;
  private final Map<Long, DiskQueueStore> queues;
  private final List<Integer> adopted = new ArrayList<>();
  private long messages;
  private long highestQueueId;

  StoreRecovery(
      int shard,
      DiskStores stores,
      SegmentLog log,
      LogOwner owner,
      Map<Long, DiskQueueStore> queues) {
    this.shard = shard;
    this.stores = stores;
    this.log = log;
    this.owner = owner;
    this.queues = queues;
  }

  Recovered run() {
    try {
      stores.deletePaging(shard);
      log.recover(new Own(), owner);
      for (int other : stores.adopted(shard)) {
        adopt(other);
        adopted.add(other);
      }
    } catch (IOException | UncheckedIOException e) {
      throw new StoreException(
          "cannot recover the messages of shard %d: %s".formatted(shard, e.getMessage()), e);
    }
    return new Recovered(messages, highestQueueId);
  }

  void deleteAdopted() {
    for (int other : adopted) {
      try {
        stores.deleteLog(other);
        LOGGER.info("shard {} has taken over the messages of shard {}", shard, other);
      } catch (IOException e) {
        throw new StoreException(
            "cannot delete the message log of shard %d, which is gone: %s".formatted(other, e), e);
      }
    }
  }

  private void adopt(int other) throws IOException {
    OpenLog opened = stores.openLog(other);
    SegmentLog foreign = opened.log();
    Foreign visitor = new Foreign(foreign);
    foreign.recover(visitor, owner);
    for (DiskQueueStore queue : visitor.found) {
      queue
          .queue()
          .forEachStored(
              (sequence, location, bodyLength, enqueuedAtMillis, paged) ->
                  copy(foreign, queue, sequence, location, enqueuedAtMillis));
    }
    awaitCommit();
    opened.close().join();
  }

  private void copy(
      SegmentLog foreign, DiskQueueStore queue, long sequence, long location, long enqueuedAt) {
    Message message = foreign.read(location);
    long ownDeadline = Deadlines.after(enqueuedAt, message.ttlMillis());
    queue
        .queue()
        .moved(sequence, log.enqueue(queue.id, sequence, ownDeadline, 0, enqueuedAt, message));
    if (log.pendingBytes() > MOST_PENDING) {
      awaitCommit();
    }
  }

  private void awaitCommit() {
    CompletableFuture<Void> safe = new CompletableFuture<>();
    log.commit(
        new Commit() {
          @Override
          public void safe() {
            safe.complete(null);
          }

          @Override
          public void failed() {
            safe.completeExceptionally(new IOException("the disk has failed"));
          }
        });
    safe.join();
  }

  /** What all logs tell. */
  private abstract class Visitor implements RecoveryVisitor {
    private final SegmentLog source;
    private DiskQueueStore last;

    Visitor(SegmentLog source) {
      this.source = source;
    }

    /** The queue of this id; null if this shard has no such durable queue. */
    DiskQueueStore find(long queueId) {
      if (last == null || last.id != queueId) {
        highestQueueId = Math.max(highestQueueId, queueId);
        DiskQueueStore queue = queues.get(queueId);
        if (queue == null || !queue.durable) {
          return null;
        }
        last = queue;
      }
      return last;
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
      DiskQueueStore queue = find(queueId);
      if (queue == null || !prepare(queue, sequence)) {
        source.release(location, bodyLength);
        return;
      }
      queue.queue().recovered(sequence, deadlineMillis, enqueuedAtMillis, bodyLength, location);
      queue.recovered();
      messages++;
    }

    /** Whether a message is to be taken from here. */
    abstract boolean prepare(DiskQueueStore queue, long sequence);

    @Override
    public void settled(long queueId, long from, long to, int segment) {
      DiskQueueStore queue = find(queueId);
      if (queue == null) {
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
      StoredQueue stored = queue.queue();
      long location = stored.locationOf(sequence);
      if (location != QueueStore.NOWHERE && Location.segment(location) == segment) {
        source.release(location, stored.settled(sequence));
        queue.recoveredSettled();
        messages--;
      }
    }
  }

  /** The shard's own log. */
  private final class Own extends Visitor {
    Own() {
      super(log);
    }

    @Override
    boolean prepare(DiskQueueStore queue, long sequence) {
      return queue.queue().locationOf(sequence) == QueueStore.NOWHERE;
    }

    @Override
    public void delivered(long queueId, long upTo) {
      DiskQueueStore queue = find(queueId);
      if (queue != null) {
        queue.recoveredDelivered(upTo);
      }
    }
  }

  /** The log of a shard that is gone. A copy that was begun before is made anew. */
  private final class Foreign extends Visitor {
    final Set<DiskQueueStore> found = new LinkedHashSet<>();

    Foreign(SegmentLog source) {
      super(source);
    }

    @Override
    boolean prepare(DiskQueueStore queue, long sequence) {
      found.add(queue);
      long location = queue.queue().locationOf(sequence);
      if (location != QueueStore.NOWHERE) {
        log.settle(queue.id, sequence, location, queue.queue().settled(sequence));
        queue.recoveredSettled();
        messages--;
      }
      return true;
    }

    @Override
    public void delivered(long queueId, long upTo) {
      DiskQueueStore queue = find(queueId);
      if (queue != null) {
        queue.recoveredDelivered(upTo);
        log.delivered(queueId, upTo);
      }
    }
  }
}
