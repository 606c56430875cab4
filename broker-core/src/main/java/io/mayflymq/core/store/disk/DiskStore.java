package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.PartitionStore.Recovered;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.StoreFigures;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.memory.ContentArena;
import io.mayflymq.core.store.segment.LogState;
import io.mayflymq.core.store.segment.SegmentLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/*
 * The store of a shard: a log of the messages of its durable queues, and beside it, in memory or in a file, the contents of all other waiting messages.
 *
 * During a burst, records are appended to the logs. At its end everything is handed over at once: the notes of what was delivered, then the commits. So
 * there is one force for all queues of the shard and all connections that published in the burst.
 */
final class DiskStore implements PartitionStore, EndOfBurstListener {
  /** How many bytes may wait for the disk before publishers have to wait, too. */
  private static final long MOST_PENDING = 32L << 20;

  private static final int COMPACTION_SLICE = 64 << 10;
  private static final long TICK_MILLIS = 200;
  private static final int TICKS_OF_REST = 150;
  private static final int TICKS_OF_NOTES = 5;

  private final int partition;
  private final Shard shard;
  private final StoreFiles files;
  private final BurstEnd burst;
  private final OpenLog openLog;
  private final SegmentLog log;
  private final Paging paging;
  private final QueueList queues = new QueueList();
  private final PartitionEntries entries;
  private final AppliedBatches batches = new AppliedBatches(this::appliedBatch);
  private final List<Commit> commits = new ArrayList<>();
  private final UnsettledEntries dead;
  private final StoreRecovery recovery;
  private final PartitionStreams streams;
  private volatile boolean recovered;
  private boolean compacting;
  private int ticks;
  private boolean closed;

  DiskStore(int partition, Shard shard, StoreOptions options, StoreFiles files) {
    this.partition = partition;
    this.shard = shard;
    this.files = files;
    this.burst = new BurstEnd(shard, this);
    this.openLog = files.openLog(partition);
    this.log = openLog.log();
    PagedContents paged = new PagedContents(queues);
    ContentArena memory = new ContentArena(options.slabBytes(), paged);
    MemoryBudget budget = new MemoryBudget(options.memoryBytes() / options.shards(), memory);
    this.paging = new Paging(memory, budget, () -> files.openPaging(partition, paged));
    this.entries = new PartitionEntries(partition, log, paging, budget, burst);
    this.dead = new UnsettledEntries(log, queues, entries.move);
    this.recovery =
        new StoreRecovery(
            partition,
            files,
            log,
            new LoggedContents(queues, dead, batches, files::metadataSequence));
    this.streams = new PartitionStreams(partition, shard, files, burst);
  }

  @Override
  public QueueStore open(long queueId, QueueName name, boolean durable) {
    DiskQueueStore queue = new DiskQueueStore(queueId, name, durable, entries, queues);
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
    Recovered found = recovery.run(shardsBefore, openBeside);
    recovered = true;
    queues.all().forEach(DiskQueueStore::unlistIfUnused);
    long messages = found.messages() + streams.recover();
    shard.loop().schedule(this::tick, TICK_MILLIS);
    return new Recovered(messages, found.highestQueueId());
  }

  @Override
  public void recoveredForGood() {
    recovery.deleteAdopted();
    files.deleteOrphanedStreams(partition);
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
  public void beginMove(UnsettledEntry source, Message deadLetter) {
    dead.beginMove(source, deadLetter);
  }

  @Override
  public void endMove(long nowMillis, boolean keepSource) {
    burst.request();
    dead.endMove(nowMillis, keepSource);
  }

  // Batches

  @Override
  public AppliedBatches batches() {
    return batches;
  }

  private void appliedBatch() {
    burst.request();
    log.beginBurst();
  }

  // Safety

  @Override
  public long storedCount() {
    return entries.storedCount() + streams.appendedCount();
  }

  @Override
  public boolean isBehind() {
    return pendingBytes() > MOST_PENDING;
  }

  private long pendingBytes() {
    return log.pendingBytes() + paging.pendingBytes() + streams.pendingBytes();
  }

  @Override
  public StoreFigures figures() {
    Histogram.Reading ofStreams = streams.forceTimes();
    return new StoreFigures(
        log.figures(),
        paging.figures(),
        streams.bytes(),
        pendingBytes(),
        log.writtenBytes() + streams.writtenBytes(),
        storedCount(),
        log.forceTimes(),
        ofStreams == null ? StoreFigures.NONE.forcedStreamWrites() : ofStreams);
  }

  @Override
  public void commit(Commit commit) {
    commits.add(commit);
    burst.request();
  }

  @Override
  public void endOfBurst() {
    burst.reached();
    Commit commit = commits.isEmpty() ? null : takeCommits();
    try {
      handOver(commit);
    } catch (Throwable e) {
      shard.faults().contained("writing the messages of", shard, e);
      if (commit != null) {
        commit.failed();
      }
    }
    if (!compacting) {
      compact();
    }
  }

  private void handOver(Commit commit) {
    queues.note(log);
    batches.note(log::applied);
    Commit awaitedOfAll = streams.flush(commit);
    if (awaitedOfAll == null) {
      log.flush();
    } else {
      log.commit(awaitedOfAll);
    }
    paging.flush();
  }

  private Commit takeCommits() {
    if (commits.size() == 1) {
      return commits.remove(0);
    }
    Commits taken = new Commits(List.copyOf(commits));
    commits.clear();
    return taken;
  }

  private record Commits(List<Commit> all) implements Commit {
    @Override
    public void safe() {
      all.forEach(Commit::safe);
    }

    @Override
    public void failed() {
      all.forEach(Commit::failed);
    }
  }

  /** Compacts a slice at a time, with clients having their turn in between. */
  private void compact() {
    if (closed) {
      return;
    }
    boolean more = false;
    try {
      more = log.compact(COMPACTION_SLICE);
      more |= paging.compact(COMPACTION_SLICE);
    } catch (Throwable e) {
      shard.faults().contained("freeing the disk of", shard, e);
    }
    compacting = more;
    if (more) {
      shard.executeLater(
          () -> {
            compact();
            burst.request();
          });
    }
  }

  /** Periodic maintenance, which is also needed when nothing happens. */
  private void tick() {
    if (closed) {
      return;
    }
    try {
      shard.run(this::lookAround);
    } catch (Throwable e) {
      shard.faults().contained("looking after the messages of", shard, e);
    } finally {
      shard.loop().schedule(this::tick, TICK_MILLIS);
    }
  }

  private void lookAround() {
    entries.allowReads();
    if (log.state() == LogState.BLOCKED) {
      log.retry();
    }
    streams.retry();
    paging.tick();
    if (log.unforced()) {
      commit(Commit.UNTOLD);
    } else {
      // The log then notes what has been forced, when nothing else happens.
      burst.request();
    }
    if (!compacting) {
      compact();
    }
    if (++ticks % TICKS_OF_REST == 0) {
      log.trimMemory();
    }
    if (ticks % TICKS_OF_NOTES == 0) {
      log.note(files.metadataSequence());
      streams.note();
    }
  }

  @Override
  public CompletableFuture<Void> close() {
    closed = true;
    if (burst.isRequested()) {
      endOfBurst();
    }
    return CompletableFuture.allOf(openLog.close(), paging.close(), streams.close());
  }
}
