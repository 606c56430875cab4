package io.mayflymq.cluster.store;

import io.mayflymq.cluster.replication.Burst;
import io.mayflymq.cluster.replication.ReplicaLog;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.disk.DiskStores;
import io.mayflymq.core.store.disk.OpenLog;
import io.mayflymq.core.store.disk.ReplicaFiles;
import io.mayflymq.core.store.segment.Bursts;
import io.mayflymq.core.store.segment.LogState;
import io.mayflymq.core.store.segment.Recovery;
import io.mayflymq.core.store.segment.SegmentLog;
import io.mayflymq.core.store.segment.WireBurst;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The replica of a partition in the data directory of this node. In bursts of the shard only,
 * except where stated otherwise.
 *
 * <p>A replica on the disk. Its log is opened in one of two ways: as that of a follower, which
 * knows where messages are and takes what the leader sends; or as that of a leader, which is a
 * store with queues. A change from one to the other, and a cut, closes the log and opens it again:
 * what happens then is what happens after the process was killed, which is well tested. The thread
 * of the shard waits for the disk meanwhile.
 *
 * <p>What a replica tells of its log is kept beside it, so that it is right while the log is
 * closed. If the disk does not have it when the log is opened again, since it was full, the replica
 * tells what the disk has, and the call fails.
 *
 * <p>A replica that has taken over all that its leader had cannot undo bursts before that. As long
 * as it is not known that these are committed, its history does not reach further back: then a
 * leader that has others in their place has it take over again.
 */
public final class DiskReplica implements ReplicaLog {
  private final DiskStores stores;
  private final ReplicaFiles files;
  private final Shard shard;
  private final KeptTime time;
  private final ReplicaStreams streams;
  private Consumer<BurstId> onForced = burst -> {};
  private BurstId last = BurstId.NONE;
  private EpochHistory history = EpochHistory.NONE;
  private long base;
  private long committed;
  private long remembered;

  /** Null unless this node follows. */
  private FollowerLog follower;

  /** What is being taken over from the leader; null if nothing is. */
  private FollowerLog copy;

  /** Null unless this node leads. */
  private LeaderLog leader;

  private PartitionStore store;

  /** Logs that were closed: whether one has failed is known when that is done. */
  private final List<SegmentLog> closed = new ArrayList<>(2);

  /** See {@link DiskReplicas#open}. Any thread may call. */
  DiskReplica(DiskStores stores, int partition, PartitionTime time, StreamRules rules) {
    this.stores = stores;
    this.files = stores.replica(partition);
    this.shard = time.shard();
    this.time = new KeptTime(files, time);
    this.streams = new ReplicaStreams(files, time, rules);
    try {
      openFollower(Recovery.ALL);
      this.remembered = files.epoch();
    } catch (RuntimeException e) {
      streams.close();
      throw e;
    }
  }

  private void openFollower(long upTo) {
    OpenLog open = files.open();
    follower = recovered(open, upTo);
    files.keep(follower.log().id());
    adopt(follower.log());
  }

  private FollowerLog recovered(OpenLog open, long upTo) {
    try {
      return new FollowerLog(open, upTo, shard, this::forced, streams);
    } catch (IOException | UncheckedIOException e) {
      open.abandon();
      throw new StoreException(
          "cannot read the log of partition %d: %s".formatted(files.partition(), e.getMessage()),
          e);
    }
  }

  /** Tells what a log has from now on. */
  private void adopt(SegmentLog log) {
    Bursts bursts = log.bursts();
    last = bursts.last();
    history = bursts.history();
    base = bursts.base();
    committed = Math.max(committed, Math.min(bursts.committed(), last.number()));
    log.committed(committed);
  }

  /**
   * Sets what is told, on the shard's thread, up to which burst the log is forced. To be called
   * once, before anything is appended.
   */
  public void onForced(Consumer<BurstId> listener) {
    onForced = listener;
  }

  /** Any thread may call. */
  private void forced(Object log, BurstId burst) {
    shard.execute(
        () -> {
          if (log == follower || log == leader) {
            onForced.accept(burst);
          }
        });
  }

  /** All that the log has is forced, as it was just opened. */
  private void allForced(Object log) {
    if (last.number() > 0) {
      forced(log, last);
    }
  }

  // The log

  @Override
  public BurstId last() {
    return last;
  }

  @Override
  public EpochHistory history() {
    return committed < base ? history.from(base) : history;
  }

  @Override
  public long epoch() {
    return Math.max(remembered, last.epoch());
  }

  /**
   * Appends a burst: as a follower, one that its leader has sent; as a leader, what was appended to
   * the store, within {@link BurstSink#append}.
   *
   * @throws IllegalArgumentException if the content has changed on its way; nothing is appended
   */
  @Override
  public void append(Burst burst) {
    if (leader != null) {
      leader.append(burst);
    } else {
      follow(burst);
    }
    last = burst.id();
    history = history.with(last);
  }

  private void follow(Burst burst) {
    FollowerLog log = following();
    try {
      log.append(burst);
    } catch (RuntimeException e) {
      if (log.log().isBurstOpen()) {
        reopen(last.number());
      }
      throw e;
    }
  }

  @Override
  public Burst read(long number) {
    if (leader == null && follower == null) {
      return null;
    }
    WireBurst burst = open().readBurst(number);
    return burst == null ? null : new Burst(burst.id(), burst.content());
  }

  private FollowerLog following() {
    if (follower == null) {
      throw new IllegalStateException(
          "the log of partition %d is %s"
              .formatted(files.partition(), leader == null ? "closed" : "that of a leader"));
    }
    return follower;
  }

  /**
   * {@inheritDoc}
   *
   * @throws StoreException if the disk does not take it
   */
  @Override
  public void cutAfter(long number, long epoch) {
    following();
    if (number < base) {
      throw new IllegalStateException(
          "partition %d is to be cut after burst %d, and begins after %d"
              .formatted(files.partition(), number, base));
    }
    if (epoch > remembered) {
      files.remember(epoch);
      remembered = epoch;
    }
    reopen(number);
  }

  /** Opens the log of a follower again. */
  private void reopen(long upTo) {
    long expected = Math.min(upTo, last.number());
    closeFollower();
    openFollower(upTo);
    requireLast(expected);
    allForced(follower);
  }

  private void closeFollower() {
    FollowerLog closing = follower;
    follower = null;
    files.await(closing.close());
    requireSound(closing.log());
  }

  /** What a disk has refused to force is not read back: it is not known what is there. */
  private void requireSound(SegmentLog log) {
    if (log.state() == LogState.FAILED) {
      closed.add(log);
      throw new StoreException(
          "the log of partition %d has failed: expected a restart".formatted(files.partition()),
          new IOException("the disk has failed"));
    }
  }

  /**
   * Returns whether the disk has refused to force what is in the log: it is not to be opened again
   * before a restart. To be called when {@link #close} is done.
   */
  public boolean hasFailed() {
    return closed.stream().anyMatch(log -> log.state() == LogState.FAILED);
  }

  private void requireLast(long expected) {
    if (last.number() < expected) {
      throw new StoreException(
          "the disk did not take bursts %d to %d of partition %d"
              .formatted(last.number() + 1, expected, files.partition()),
          new IOException("the disk is full"));
    }
  }

  @Override
  public void committed(long number) {
    committed = Math.max(committed, Math.min(number, last.number()));
    if (leader != null) {
      leader.committed(committed);
    } else if (follower != null) {
      follower.committed(committed);
    }
  }

  /**
   * Returns the number of the last burst that cannot be read any more: what it has changed that is
   * still needed is in what comes behind it.
   */
  public long gone() {
    SegmentLog log = open();
    return log == null ? base : log.bursts().gone();
  }

  /** Returns how many files the log has; 0 while it is closed. */
  public int segments() {
    SegmentLog log = open();
    return log == null ? 0 : log.usage().segments();
  }

  /** Null while it is closed. */
  private SegmentLog open() {
    if (leader != null) {
      return leader.log();
    }
    return follower == null ? null : follower.log();
  }

  /** Keeps the time of the partition, as far as it has changed against the clock. */
  public void keepTime() {
    time.keep();
  }

  // Taking over all that the leader has

  @Override
  public void takingOver() {
    following();
    dropCopy();
    copy = recovered(files.openCopy(), Recovery.ALL);
  }

  @Override
  public Map<Long, Long> streamEnds() {
    return streams.ends();
  }

  private void dropCopy() {
    if (copy != null) {
      FollowerLog dropped = copy;
      copy = null;
      files.await(dropped.close());
      files.dropCopy();
    }
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if it has changed on its way; nothing is taken then
   */
  @Override
  public void take(ByteBuffer content) {
    if (WireBurst.leaderMillis(content) == WireBurst.OF_STREAM_FILES) {
      streams.take(content);
    } else {
      copy.takeCopy(content);
    }
  }

  /**
   * {@inheritDoc}
   *
   * @throws StoreException if the disk does not take it; the log stays what it was, or is closed
   */
  @Override
  public void takenOver(BurstId until, EpochHistory itsHistory) {
    streams.force(); // What they have may be in no log any more.
    FollowerLog taken = copy;
    taken.log().beginBehind(until, itsHistory);
    files.await(taken.close());
    copy = null;
    if (taken.log().state() != LogState.OPEN) {
      files.dropCopy();
      throw new StoreException(
          "the disk did not take a copy of partition %d".formatted(files.partition()),
          new IOException("the disk is full, or has failed"));
    }
    closeFollower();
    files.useCopy();
    openFollower(Recovery.ALL);
    requireLast(until.number());
    allForced(follower);
  }

  /** A stream is deleted: its files go, though the leader may not have said so yet. */
  public void streamDeleted(long queueId) {
    if (leader == null) {
      streams.delete(queueId);
    }
  }

  // Leading

  /**
   * Opens the log as the store of a leader. The caller opens the queues in it, then has it recover,
   * in the same burst. What is appended to the store in a burst goes to the sink at its end; a
   * commit is told when the last burst before it is committed.
   *
   * @throws StoreException if the disk does not take what the log has; the log is closed then, and
   *     {@link #follow} may open it again
   */
  public PartitionStore lead(BurstSink sink) {
    following();
    dropCopy();
    closeFollower();
    leader = new LeaderLog(files, shard, sink, new LogListener(), streams);
    LeaderLog led = leader;
    store =
        stores.create(
            leader,
            shard,
            (itsStore, burst) -> new LedStreams(streams, itsStore, burst, led::isCopied));
    return store;
  }

  private final class LogListener implements LeaderLog.Listener {
    @Override
    public void recovered(LeaderLog log) {
      long expected = last.number();
      adopt(log.log());
      log.committed(committed);
      requireLast(expected);
      allForced(log);
    }

    @Override
    public void forced(Object log, BurstId burst) {
      DiskReplica.this.forced(log, burst);
    }
  }

  /**
   * Begins a copy of all that there is, for a follower that takes over. Only while this node leads.
   *
   * @param streamEnds what {@link #streamEnds} has returned there
   * @return to give it up
   */
  public ReplicaCopy copy(LogCopySink sink, Map<Long, Long> streamEnds) {
    if (leader == null) {
      throw new IllegalStateException(
          "the log of partition %d is not that of a leader".formatted(files.partition()));
    }
    return leader.copy(sink, streamEnds);
  }

  /**
   * Opens the log as that of a follower again; does nothing if it is. The store is closed, what
   * waits there fails, and what a burst has not finished is undone. To be called as soon as this
   * node leads no more, before anything else is done with the log.
   *
   * @throws StoreException if the log cannot be read; it may be called again
   */
  public void follow() {
    if (follower != null) {
      return;
    }
    if (leader != null) {
      LeaderLog ended = leader;
      ended.end();
      CompletableFuture<Void> closed = store.close();
      leader = null;
      store = null;
      files.await(closed);
      requireSound(ended.log());
    }
    long expected = last.number();
    openFollower(Recovery.ALL);
    requireLast(expected);
    allForced(follower);
  }

  /** Writes everything and closes the files. @return completed when that is done */
  public CompletableFuture<Void> close() {
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    if (leader != null) {
      leader.end();
      closing.add(store.close());
      closed.add(leader.log());
    }
    if (follower != null) {
      closing.add(follower.close());
      closed.add(follower.log());
    }
    if (copy != null) {
      closing.add(copy.close());
    }
    closing.add(streams.close());
    leader = null;
    store = null;
    follower = null;
    copy = null;
    return CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new));
  }
}
