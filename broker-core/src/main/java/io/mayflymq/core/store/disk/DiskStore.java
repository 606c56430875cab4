package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.ShardStore;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.UnreadableException;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.memory.ContentArena;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.LogState;
import io.mayflymq.core.store.segment.SegmentLog;
import io.mayflymq.core.store.segment.record.Location;
import io.mayflymq.core.store.segment.record.QueueNote;
import io.mayflymq.core.store.stream.StreamLogs;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;

/*
 * The store of a shard: a log of the messages of its durable queues, and beside it, in memory or in a file, the contents of all other waiting messages.
 *
 * During a burst, records are appended to the logs. At its end everything is handed over at once: the notes of what was delivered, then the commits. So
 * there is one force for all queues of the shard and all connections that published in the burst.
 */
final class DiskStore implements ShardStore, EndOfBurstListener, LogOwner {
  /** How many bytes may wait for the disk before publishers have to wait, too. */
  private static final long MOST_PENDING = 32L << 20;

  private static final int COMPACTION_SLICE = 64 << 10;
  private static final long TICK_MILLIS = 200;
  private static final int TICKS_OF_REST = 150;
  private static final int TICKS_OF_NOTES = 5;
  // per tick
  private static final int READS_IN_PASSING = 200;

  final MemoryBudget budget;
  final Paging paging;
  private final int partition;
  private final Shard shard;
  private final DiskStores stores;
  private final OpenLog openLog;
  private final SegmentLog log;

  /** The queues that have, or had since the start, messages with a location; at start, all. */
  final Map<Long, DiskQueueStore> queues = new ConcurrentHashMap<>();

  private final List<DiskQueueStore> delivered = new ArrayList<>();
  private final List<DiskQueueStore> returned = new ArrayList<>();
  private final List<Commit> commits = new ArrayList<>();
  private final UnsettledEntries dead;
  private final StoreRecovery recovery;

  /** Null until there is a stream. */
  private volatile StreamLogs streams;

  private volatile boolean recovered;
  private long stored;
  private boolean inBurst;
  private boolean compacting;
  private int readsInPassing = READS_IN_PASSING;
  private int ticks;
  private boolean closed;

  DiskStore(int partition, Shard shard, StoreOptions options, DiskStores stores) {
    this.partition = partition;
    this.shard = shard;
    this.stores = stores;
    PagedContents paged = new PagedContents(queues);
    ContentArena memory = new ContentArena(options.slabBytes(), paged);
    this.budget = new MemoryBudget(options.memoryBytes() / options.shards(), memory);
    this.paging = new Paging(memory, budget, () -> stores.openPaging(partition, paged));
    this.openLog = stores.openLog(partition);
    this.log = openLog.log();
    this.dead = new UnsettledEntries(log, queues);
    this.recovery = new StoreRecovery(partition, stores, log, this, queues);
  }

  @Override
  public QueueStore open(long queueId, QueueName name, boolean durable) {
    DiskQueueStore queue = new DiskQueueStore(queueId, name, durable, this);
    if (!recovered) {
      queue.list();
    }
    return queue;
  }

  @Override
  public synchronized StreamStore openStream(long queueId, QueueName name) {
    if (streams == null) {
      streams = stores.openStreams(partition, shard, this::touch);
    }
    stores.hasStream(queueId);
    return streams.open(queueId, name);
  }

  @Override
  public Recovered recover(Map<Long, Integer> shardsBefore, LongConsumer openBeside) {
    Recovered found = recovery.run(shardsBefore, openBeside);
    recovered = true;
    queues.values().forEach(DiskQueueStore::unlistIfUnused);
    long messages = found.messages() + stores.recoverStreams(streams, partition);
    shard.loop().schedule(this::tick, TICK_MILLIS);
    return new Recovered(messages, found.highestQueueId());
  }

  @Override
  public void recoveredForGood() {
    recovery.deleteAdopted();
    stores.deleteOrphanedStreams(partition);
  }

  // Entries, for the queues

  long store(
      DiskQueueStore queue,
      long sequence,
      Message message,
      long ownDeadlineMillis,
      long enqueuedAtMillis) {
    stored++;
    if (dead.move().isOpen()) {
      dead.move().add(queue.id, sequence, ownDeadlineMillis);
      return QueueStore.NOWHERE;
    }
    touch();
    return log.enqueue(
        queue.id, queue.namedIn(), sequence, ownDeadlineMillis, 0, enqueuedAtMillis, message);
  }

  void settle(long queueId, long sequence, long location, int bodyLength) {
    if (location == QueueStore.NOWHERE) {
      dead.move().remove(queueId, sequence);
    } else {
      touch();
      log.settle(queueId, sequence, location, bodyLength);
    }
  }

  UnsettledEntry detach(long queueId, long sequence, long location, int bodyLength) {
    UnsettledEntry entry = new UnsettledEntry(queueId, sequence, location, bodyLength);
    if (location == QueueStore.NOWHERE) {
      dead.move().addDead(entry);
    }
    return entry;
  }

  Message read(long location, boolean paged) {
    if (location == QueueStore.NOWHERE && dead.move().isOpen()) {
      return dead.move().deadLetter();
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
    return "record at %d of segment %d of shard %d"
        .formatted(Location.offset(location), Location.segment(location), partition);
  }

  boolean mayReadInPassing(long location, boolean paged) {
    return (paged && ContentArena.has(location)) || mayReadFileInPassing();
  }

  private boolean mayReadFileInPassing() {
    return readsInPassing > 0 && readsInPassing-- > 0;
  }

  void hasDelivered(DiskQueueStore queue) {
    delivered.add(queue);
    touch();
  }

  void hasReturned(DiskQueueStore queue) {
    returned.add(queue);
    touch();
  }

  long page(long queueId, long sequence, Message message) {
    long location = paging.put(queueId, sequence, message);
    if (!ContentArena.has(location)) {
      touch();
    }
    return location;
  }

  void unpage(long location, int bodyLength) {
    paging.release(location, bodyLength);
    if (!ContentArena.has(location)) {
      touch();
    }
  }

  void forget(DiskQueueStore queue, boolean hasLocations, boolean hasAwaited) {
    queues.remove(queue.id);
    delivered.remove(queue);
    returned.remove(queue);
    if (!hasLocations) {
      return;
    }
    touch();
    // A mark for the whole queue would also void the entries whose dead letters are not safe yet.
    log.forget(
        queue.id,
        sink ->
            queue
                .queue()
                .forEachStored(
                    (sequence, location, bodyLength, enqueuedAtMillis, paged) -> {
                      if (paged) {
                        paging.release(location, bodyLength);
                      } else if (hasAwaited) {
                        log.settle(queue.id, sequence, location, bodyLength);
                      } else {
                        sink.accept(location, bodyLength);
                      }
                    }));
  }

  // Dead letters

  @Override
  public void await(UnsettledEntry entry) {
    dead.await(entry);
  }

  @Override
  public void settle(UnsettledEntry entry) {
    dead.arrived(entry);
    settle(entry.queueId(), entry.sequence(), entry.location(), entry.bodyLength());
  }

  @Override
  public void beginMove(UnsettledEntry source, Message deadLetter) {
    dead.beginMove(source, deadLetter);
  }

  @Override
  public void endMove(long nowMillis, boolean keepSource) {
    touch();
    dead.endMove(nowMillis, keepSource);
  }

  // As the log asks and tells

  @Override
  public boolean isLive(long queueId, long sequence, long location) {
    DiskQueueStore queue = queues.get(queueId);
    if (queue != null && queue.queue().isLive(sequence, location, false)) {
      return true;
    }
    return dead.awaitedAt(queueId, sequence, location) != null;
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
    return queue == null ? null : queue.noteOf(segment, stores.metadataSequence());
  }

  @Override
  public void forEachDelivered(DeliveredSink sink) {
    for (DiskQueueStore queue : queues.values()) {
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
    for (DiskQueueStore queue : queues.values()) {
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

  // Safety

  @Override
  public long storedCount() {
    return streams == null ? stored : stored + streams.appendedCount();
  }

  @Override
  public boolean isBehind() {
    return log.pendingBytes()
            + paging.pendingBytes()
            + (streams == null ? 0 : streams.pendingBytes())
        > MOST_PENDING;
  }

  @Override
  public void commit(Commit commit) {
    commits.add(commit);
    touch();
  }

  private void touch() {
    if (!inBurst) {
      inBurst = true;
      shard.afterBurst(this);
    }
  }

  @Override
  public void endOfBurst() {
    inBurst = false;
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
    for (DiskQueueStore queue : delivered) {
      log.delivered(queue.id, queue.logDelivered());
    }
    delivered.clear();
    for (DiskQueueStore queue : returned) {
      log.returned(queue.id, queue.logReturned(), false);
    }
    returned.clear();
    Commit awaitedOfAll = streams == null ? commit : flushStreams(commit);
    if (awaitedOfAll == null) {
      log.flush();
    } else {
      log.commit(awaitedOfAll);
    }
    paging.flush();
  }

  /** A commit may cover both logs: then it is safe when both are. */
  private Commit flushStreams(Commit commit) {
    if (commit == null || !streams.hasUnsafe()) {
      streams.flush(null);
      return commit;
    }
    Commit both = new CompositeCommit(commit);
    streams.flush(both);
    return both;
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
            touch();
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
    readsInPassing = READS_IN_PASSING;
    if (log.state() == LogState.BLOCKED) {
      log.retry();
    }
    if (streams != null && streams.state() == LogState.BLOCKED) {
      streams.retry();
    }
    paging.tick();
    if (log.unforced()) {
      commit(Commit.UNTOLD);
    } else {
      // The log then notes what has been forced, when nothing else happens.
      touch();
    }
    if (!compacting) {
      compact();
    }
    if (++ticks % TICKS_OF_REST == 0) {
      log.trimMemory();
    }
    if (ticks % TICKS_OF_NOTES == 0) {
      log.note(stores.metadataSequence());
      if (streams != null) {
        streams.note();
      }
    }
  }

  @Override
  public CompletableFuture<Void> close() {
    closed = true;
    if (inBurst) {
      endOfBurst();
    }
    List<CompletableFuture<Void>> done = new ArrayList<>(List.of(openLog.close(), paging.close()));
    if (streams != null) {
      done.add(streams.close());
    }
    return CompletableFuture.allOf(done.toArray(CompletableFuture<?>[]::new));
  }
}
