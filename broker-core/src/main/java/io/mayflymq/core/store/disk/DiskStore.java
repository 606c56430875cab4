package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.runtime.BurstEnd;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.PartitionStore.Recovered;
import io.mayflymq.core.store.PartitionStreams;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.StoreStats;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.segment.LogState;
import io.mayflymq.core.store.segment.SegmentLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;

/**
 * The store of a shard: a log of the messages of its durable queues, and beside it, in memory or in
 * a file, the contents of all other waiting messages.
 *
 * <p>During a burst, records are appended to the logs. At its end everything is handed over at
 * once: the notes of what was delivered, then the commits. So there is one force for all queues of
 * the shard and all connections that published in the burst.
 */
final class DiskStore implements PartitionStore, EndOfBurstListener {
  /** How many bytes may wait for the disk before publishers have to wait, too. */
  private static final long MOST_PENDING = 32L << 20;

  /** Each may take several forces. */
  private static final long MOST_PENDING_STREAM_WRITES = 1_000;

  private final Shard shard;
  private final StoreLog storeLog;
  private final SegmentLog log;
  private final BurstEnd burst;
  private final Paging paging;
  private final QueueList queues = new QueueList();
  private final PartitionEntries entries;
  private final AppliedBatches batches = new AppliedBatches(this::beginBatch);
  private final List<Commit> commits = new ArrayList<>();
  private final List<Commit> queueCommits = new ArrayList<>();
  private final UnsettledEntries dead = new UnsettledEntries(queues);
  private final PendingMove move;
  private final LoggedContents contents;
  private final PartitionStreams streams;
  private final LogUpkeep upkeep;
  private volatile boolean recovered;
  private boolean closed;

  /**
   * Creates the store for a log.
   *
   * @param memory how much memory its messages may take
   * @param streams those of the partition
   */
  DiskStore(StoreLog storeLog, Shard shard, MemoryShare memory, PartitionStreams.Factory streams) {
    this.shard = shard;
    this.storeLog = storeLog;
    this.log = storeLog.log();
    this.burst = new BurstEnd(shard, this);
    PagedContents paged = new PagedContents(queues);
    ContentArena packed = new ContentArena(memory.contents(), paged);
    MemoryBudget budget = new MemoryBudget(memory.bytes(), packed);
    this.paging = new Paging(packed, budget, () -> storeLog.openPaging(paged));
    // The time of a replicated partition is kept beside its log.
    LongUnaryOperator storedTime =
        storeLog.isReplicated() ? LongUnaryOperator.identity() : shard::toMachine;
    this.move = new PendingMove(log, queues, dead, storedTime);
    this.entries = new PartitionEntries(storeLog.owner(), log, move, paging, burst, storedTime);
    this.contents = new LoggedContents(queues, dead, batches, storeLog::metadataSequence);
    this.streams = streams.of(this, burst);
    this.upkeep = new LogUpkeep(shard, burst, new Work());
  }

  /**
   * How much memory the messages of a store may take.
   *
   * @param bytes how much, before contents are kept in files only
   * @param contents where those in memory are
   */
  record MemoryShare(long bytes, BlockMemory contents) {}

  @Override
  public QueueStore open(long queueId, QueueName name, QueueStore.Kept kept) {
    boolean keepsAll = storeLog.isReplicated() && kept != QueueStore.Kept.NONE;
    DiskQueueStore queue =
        new DiskQueueStore(
            new DiskQueueStore.Settings(queueId, name, keepsAll ? QueueStore.Kept.ALL : kept),
            entries,
            queues);
    if (!recovered) {
      queue.list();
    }
    return queue;
  }

  @Override
  public StreamStore openStream(long queueId, QueueName name) {
    return streams.open(queueId, name);
  }

  @Override
  public Recovered recover(Map<Long, Integer> shardsBefore, LongConsumer openBeside) {
    Recovered found = storeLog.recover(new StoreContents(contents, openBeside), shardsBefore);
    recovered = true;
    queues.all().forEach(DiskQueueStore::unlistIfUnused);
    long messages = found.messages() + streams.recover();
    upkeep.start();
    return new Recovered(messages, found.highestQueueId());
  }

  @Override
  public void recoveredForGood() {
    storeLog.recoveredForGood();
  }

  // Dead letters

  @Override
  public void await(UnsettledEntry entry) {
    dead.await(entry);
  }

  @Override
  public void settle(UnsettledEntry entry) {
    dead.arrived(entry);
    entries.settle(entry.queueId(), entry.sequence(), entry.location(), entry.bodyLength());
  }

  @Override
  public Move move(UnsettledEntry source, Message message) {
    burst.request();
    move.begin(source, message);
    return move;
  }

  // Batches

  @Override
  public AppliedBatches batches() {
    return batches;
  }

  @Override
  public void beginBatch() {
    burst.request();
    log.beginBurst();
  }

  // Safety

  @Override
  public long storedCount() {
    return entries.storedCount() + streams.appendedCount();
  }

  @Override
  public long streamedCount() {
    return streams.appendedCount();
  }

  @Override
  public boolean isBehind() {
    return pendingBytes() > MOST_PENDING
        || streams.pendingWrites() > MOST_PENDING_STREAM_WRITES
        || storeLog.isBehind();
  }

  @Override
  public long commitMillis() {
    return storeLog.commitMillis();
  }

  private long pendingBytes() {
    return log.pendingBytes() + paging.pendingBytes() + streams.pendingBytes();
  }

  @Override
  public boolean isAtRest() {
    return log.isAtRest() && streams.isAtRest();
  }

  @Override
  public StoreStats figures() {
    Histogram.Reading ofStreams = streams.forceTimes();
    return new StoreStats(
        log.figures(),
        paging.figures(),
        streams.bytes(),
        pendingBytes(),
        log.writtenBytes() + streams.writtenBytes(),
        storedCount(),
        log.lastForceNanos(),
        log.forceTimes(),
        ofStreams == null ? StoreStats.NONE.forcedStreamWrites() : ofStreams);
  }

  @Override
  public void commit(Commit commit) {
    commits.add(commit);
    burst.request();
  }

  @Override
  public void commitQueues(Commit commit) {
    queueCommits.add(commit);
    burst.request();
  }

  @Override
  public void endOfBurst() {
    burst.reached();
    if (closed) {
      return;
    }
    Commit commit = takeCommits(commits);
    Commit ofQueues = takeCommits(queueCommits);
    try {
      handOver(commit, ofQueues);
    } catch (Throwable e) {
      shard.faults().report("writing the messages of", shard, e);
      failed(commit);
      failed(ofQueues);
    }
    upkeep.compact();
  }

  private static void failed(Commit commit) {
    if (commit != null) {
      commit.failed();
    }
  }

  private void handOver(Commit commit, Commit ofQueues) {
    queues.note(log);
    batches.note(log::applied);
    Commit ofLog = streams.flush(commit);
    storeLog.endBurst(
        ofLog == null || ofQueues == null
            ? (ofLog == null ? ofQueues : ofLog)
            : new Commits(List.of(ofQueues, ofLog), shard));
    paging.flush();
  }

  private Commit takeCommits(List<Commit> from) {
    if (from.size() <= 1) {
      return from.isEmpty() ? null : from.remove(0);
    }
    Commits taken = new Commits(List.copyOf(from), shard);
    from.clear();
    return taken;
  }

  /** Several commits, of which one that throws keeps none of the others from being told. */
  private record Commits(List<Commit> all, Shard shard) implements Commit {
    @Override
    public void safe() {
      tell(Commit::safe);
    }

    @Override
    public void failed() {
      tell(Commit::failed);
    }

    private void tell(Consumer<Commit> outcome) {
      for (Commit commit : all) {
        try {
          outcome.accept(commit);
        } catch (Throwable e) {
          shard.faults().report("telling what was written on", shard, e);
        }
      }
    }
  }

  private final class Work implements LogUpkeep.Work {
    @Override
    public boolean compact(int budget) {
      boolean more = storeLog.compact(budget);
      more |= paging.compact(budget);
      return more;
    }

    @Override
    public void maintain() {
      entries.allowReads();
      if (log.state() == LogState.BLOCKED) {
        log.retry();
      }
      streams.retry();
      paging.tick();
      if (log.unforced()) {
        commit(Commit.UNAWAITED);
      } else {
        // The log then notes what has been forced, when nothing else happens.
        burst.request();
      }
    }

    @Override
    public void note() {
      log.note(storeLog.metadataSequence());
      streams.note();
    }

    @Override
    public void trimMemory() {
      log.trimMemory();
    }
  }

  @Override
  public CompletableFuture<Void> close() {
    upkeep.end();
    if (burst.isRequested()) {
      endOfBurst();
    }
    closed = true;
    return CompletableFuture.allOf(storeLog.close(), paging.close(), streams.close());
  }
}
