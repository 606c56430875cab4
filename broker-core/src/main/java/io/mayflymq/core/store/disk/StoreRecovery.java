package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore.Recovered;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.segment.DamagedRecordException;
import io.mayflymq.core.store.segment.RecoveryReport;
import io.mayflymq.core.store.segment.RecoveryVisitor;
import io.mayflymq.core.store.segment.SegmentLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers the messages of a shard's queues at start.
 *
 * <p>Entries in the log whose queue metadata does not know as a queue of this shard are dropped:
 * the queue's deletion was safe while its messages were still in the log, or the queue is on
 * another shard now. Queues that metadata have lost are found before this and are known again
 * ({@link OrphanSearch}).
 *
 * <p>A broker may be started with fewer shards than before. The queues of the removed shards are
 * then on other shards, which take their messages over: they copy them into the own log, make that
 * safe, have metadata record the new shard of the queues, and only then delete the old log. If that
 * is interrupted, metadata says which log is valid for a queue. Any other log has an unfinished
 * copy, which may be outdated, as the broker may have run with the former number of shards in
 * between: in the own log it is marked as gone before a new copy is made.
 *
 * <p>From a damaged log everything readable is taken over; it is then renamed rather than deleted.
 */
final class StoreRecovery {
  private static final Logger LOGGER = LoggerFactory.getLogger(StoreRecovery.class);
  private static final long MOST_PENDING = 16L << 20;

  private final int shard;
  private final StoreFiles files;
  private final SegmentLog log;
  private final List<Integer> adopted = new ArrayList<>();

  /** Shards with logs of which something could not be read. */
  private final Set<Integer> withDamage = new HashSet<>();

  private final List<Stale> stale = new ArrayList<>();
  private Map<Long, Integer> shardsBefore = Map.of();
  private StoreContents contents;
  private long messages;
  private long highestQueueId;

  /** An entry of an earlier copy that was not finished. */
  private record Stale(long queueId, long sequence, long location, int bodyLength) {}

  StoreRecovery(int shard, StoreFiles files, SegmentLog log) {
    this.shard = shard;
    this.files = files;
    this.log = log;
  }

  Recovered run(StoreContents queues, Map<Long, Integer> before) {
    contents = queues;
    shardsBefore = before;
    try {
      files.deletePaging(shard);
      recover(shard, log);
      files.keepLog(shard, log.id());
      markStale();
      for (int other : files.adopted(shard)) {
        adopt(other);
        adopted.add(other);
      }
    } catch (IOException | UncheckedIOException | CompletionException | DamagedRecordException e) {
      throw new StoreException(
          "cannot recover the messages of shard %d: %s".formatted(shard, e.getMessage()), e);
    }
    return new Recovered(messages, highestQueueId);
  }

  private RecoveredQueues recover(int number, SegmentLog source) throws IOException {
    RecoveredQueues visitor =
        contents.recovery(
            source, log, queueId -> isTrueOf(queueId, number), new Others(number, source));
    RecoveryReport report = source.recover(visitor, contents.owner());
    if (report.damages().stream().anyMatch(damage -> !damage.kind().isHarmless())) {
      withDamage.add(number);
    }
    messages += visitor.messages();
    highestQueueId = Math.max(highestQueueId, visitor.highestQueueId());
    return visitor;
  }

  private boolean isTrueOf(long queueId, int number) {
    return shardsBefore.getOrDefault(StoreIds.queueOf(queueId), number) == number;
  }

  private void markStale() {
    for (Stale entry : stale) {
      log.settle(entry.queueId, entry.sequence, entry.location, entry.bodyLength);
    }
    if (!stale.isEmpty()) {
      stale.clear();
      awaitCommit();
    }
  }

  void deleteAdopted() {
    for (int other : adopted) {
      try {
        if (withDamage.contains(other)) {
          String kept = files.keepAside(other);
          LOGGER.warn("the log of shard {} has damage and is kept as {}", other, kept);
        } else {
          files.deleteLog(other);
        }
        files.deletePaging(other);
        LOGGER.info("shard {} has taken over the messages of shard {}", shard, other);
      } catch (IOException e) {
        throw new StoreException(
            "cannot delete the message log of shard %d, which is gone: %s".formatted(other, e), e);
      }
    }
  }

  private void adopt(int other) throws IOException {
    OpenLog opened = files.openLog(other);
    SegmentLog foreign = opened.log();
    for (DiskQueueStore queue : recover(other, foreign).found()) {
      List<Long> unreadable = new ArrayList<>();
      queue
          .queue()
          .forEachStored(
              (sequence, location, bodyLength, enqueuedAtMillis, paged) -> {
                if (!copy(foreign, queue, sequence, location, enqueuedAtMillis)) {
                  unreadable.add(sequence);
                }
              });
      unreadable.forEach(sequence -> drop(queue, sequence));
      if (!unreadable.isEmpty()) {
        withDamage.add(other);
      }
    }
    awaitCommit();
    opened.close().join();
  }

  private void drop(DiskQueueStore queue, long sequence) {
    queue.queue().settled(sequence);
    queue.recoveredSettled();
    messages--;
  }

  /** Copies a message into the own log. @return false if it is damaged */
  private boolean copy(
      SegmentLog foreign, DiskQueueStore queue, long sequence, long location, long enqueuedAt) {
    Message message;
    try {
      message = foreign.read(location);
    } catch (DamagedRecordException e) {
      LOGGER.warn("message {} of queue {} is lost: {}", sequence, queue.id, e.getMessage());
      return false;
    }
    long ownDeadline = queue.queue().ownDeadlineOf(sequence);
    queue
        .queue()
        .moved(
            sequence,
            log.enqueue(queue.id, queue.namedIn(), sequence, ownDeadline, 0, enqueuedAt, message));
    if (log.pendingBytes() > MOST_PENDING) {
      awaitCommit();
    }
    return true;
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

  /** Receives what a log has of queues that are not here: it is dropped. */
  private final class Others implements RecoveryVisitor {
    private final int number;
    private final SegmentLog source;

    /**
     * Creates a visitor.
     *
     * @param number the shard that wrote the log
     */
    Others(int number, SegmentLog source) {
      this.number = number;
      this.source = source;
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
      if (source == log && !isTrueOf(queueId, number)) {
        stale.add(new Stale(queueId, sequence, location, bodyLength));
      } else {
        source.release(location, bodyLength);
      }
    }

    @Override
    public void settled(long queueId, long from, long to, int segment) {}

    @Override
    public void replaced(long queueId, long sequence) {}

    @Override
    public void removed(long queueId, long from, long to, int segment, long stamp) {}

    @Override
    public void delivered(long queueId, long upTo) {}

    @Override
    public void returned(long queueId, byte[] notes, boolean all) {}

    @Override
    public void applied(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome) {}
  }
}
