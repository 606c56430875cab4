package io.mayflymq.cluster.store;

import io.mayflymq.cluster.replication.Burst;
import io.mayflymq.core.runtime.BurstEnd;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore.Recovered;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.disk.OpenLog;
import io.mayflymq.core.store.disk.RecoveredQueues;
import io.mayflymq.core.store.disk.ReplicaFiles;
import io.mayflymq.core.store.disk.StoreContents;
import io.mayflymq.core.store.disk.StoreLog;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.SegmentLog;
import io.mayflymq.core.store.segment.WireBurst;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The log of a replica that leads. Belongs to the shard's thread.
 *
 * <p>A burst gets its number from the leader of the partition, which sends what it has appended to
 * the followers and has it ended here: the end of the burst is a record behind what the log has
 * already. What waits for the burst is safe when it is committed, which is told in order of
 * numbers.
 *
 * <p>Queues that were deleted while another node led are not open: their messages are dropped when
 * the log is recovered. That is a part of the first burst, so followers drop them, too.
 */
final class LeaderLog implements StoreLog, EndOfBurstListener {
  private final ReplicaFiles files;
  private final Shard shard;
  private final BurstSink sink;
  private final Listener listener;
  private final ReplicaStreams streams;
  private final OpenLog open;
  private final SegmentLog log;
  private final BurstEnd burst;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final List<ReplicaCopy> copies = new ArrayList<>();
  private long last;
  private long committed;
  private boolean endsBurst;
  private boolean copiesLater;
  private boolean ended;

  /** What is told of the log. */
  interface Listener {
    /** It was recovered. */
    void recovered(LeaderLog log);

    /** It is forced up to a burst. Any thread may call. */
    void forced(Object log, BurstId burst);
  }

  /** What is told when a burst is committed. */
  private record Waiting(long number, Commit commit) {}

  /**
   * Opens the log.
   *
   * @param streams the files of its streams
   * @throws StoreException if its directory cannot be used
   */
  LeaderLog(
      ReplicaFiles files, Shard shard, BurstSink sink, Listener listener, ReplicaStreams streams) {
    this.streams = streams;
    this.files = files;
    this.shard = shard;
    this.sink = sink;
    this.listener = listener;
    this.open = files.open();
    this.log = open.log();
    this.burst = new BurstEnd(shard, this);
  }

  @Override
  public SegmentLog log() {
    return log;
  }

  @Override
  public String owner() {
    return "partition " + files.partition();
  }

  @Override
  public boolean isReplicated() {
    return true;
  }

  /** The metadata of nodes have different numbers. */
  @Override
  public long metadataSequence() {
    return 0;
  }

  @Override
  public Recovered recover(StoreContents contents, Map<Long, Integer> shardsBefore) {
    FollowerQueues others = new FollowerQueues(log, streams.deletedOnes());
    RecoveredQueues queues = contents.recovery(log, log, queueId -> true, others);
    try {
      log.recover(queues, contents.owner());
    } catch (IOException e) {
      throw new StoreException(
          "cannot recover the messages of %s: %s".formatted(owner(), e.getMessage()), e);
    }
    last = log.bursts().last().number();
    listener.recovered(this);
    for (long queueId : others.ids()) {
      log.forget(
          queueId,
          sink ->
              others.take(
                  queueId,
                  0,
                  Long.MAX_VALUE,
                  (sequence, location, bodyLength) -> sink.accept(location, bodyLength)));
    }
    return new Recovered(queues.messages(), queues.highestQueueId());
  }

  @Override
  public void recoveredForGood() {
    // Its messages have no other place.
  }

  @Override
  public OpenLog openPaging(LogOwner owner) {
    return files.openPaging(owner);
  }

  @Override
  public void endBurst(Commit commit) {
    if (ended) {
      fail(commit);
      return;
    }
    if (log.isBurstOpen()) {
      ByteBuffer content = log.begunBurst(shard.now());
      endsBurst = true;
      try {
        last = sink.append(content);
      } finally {
        endsBurst = false;
      }
      copies.forEach(copy -> copy.burst(content));
    } else if (commit != null && log.unforced()) {
      log.commit(Commit.UNAWAITED);
    } else {
      log.flush();
    }
    if (commit != null && last <= committed) {
      commit.safe();
    } else if (commit != null) {
      waiting.add(new Waiting(last, commit));
    }
    if (!copies.isEmpty()) {
      burst.request();
    }
  }

  @Override
  public boolean isBehind() {
    return sink.isBehind();
  }

  @Override
  public long commitMillis() {
    return sink.commitMillis();
  }

  private static void fail(Commit commit) {
    if (commit != null) {
      commit.failed();
    }
  }

  /**
   * Ends a burst, which has what was appended since the one before it.
   *
   * @throws IllegalStateException if that is not what the leader appends now
   */
  void append(Burst burst) {
    if (!endsBurst) {
      throw new IllegalStateException(
          "%s is not of this node, whose log is that of the leader".formatted(burst.id()));
    }
    log.endBurst(burst.id(), WireBurst.leaderMillis(burst.content()));
    log.commit(
        new Commit() {
          @Override
          public void safe() {
            listener.forced(LeaderLog.this, burst.id());
          }

          @Override
          public void failed() {
            // The leader notices that nothing is forced.
          }
        });
  }

  /** Bursts up to this one are committed. */
  void committed(long number) {
    committed = number;
    log.committed(number);
    burst.request();
  }

  /** Begins a copy of all that there is. */
  ReplicaCopy copy(LogCopySink to, Map<Long, Long> streamEnds) {
    ReplicaCopy copy = new ReplicaCopy(to, streams.copy(streamEnds));
    copies.add(copy);
    burst.request();
    return copy;
  }

  @Override
  public void endOfBurst() {
    burst.reached();
    if (ended) {
      return;
    }
    while (!waiting.isEmpty() && waiting.peek().number <= committed) {
      tell(waiting.remove().commit);
    }
    if (!log.isBurstOpen()) {
      copySlices();
    }
  }

  /** What throws keeps nothing behind it from being listener. */
  private void tell(Commit commit) {
    try {
      commit.safe();
    } catch (Throwable e) {
      shard.faults().report("telling what is committed on", owner(), e);
    }
  }

  private void copySlices() {
    boolean more = false;
    for (ReplicaCopy copy : List.copyOf(copies)) {
      more |= copy.advance(log, shard.now());
    }
    copies.removeIf(ReplicaCopy::isEnded);
    if (more && !copies.isEmpty() && !copiesLater) {
      copiesLater = true;
      shard.executeLater(
          () -> {
            copiesLater = false;
            burst.request();
          });
    }
  }

  /** Returns whether the log is being copied: what it has must stay where it is. */
  boolean isCopied() {
    return !copies.isEmpty();
  }

  @Override
  public boolean compact(int budget) {
    return !isCopied() && log.compact(budget);
  }

  /** Fails what waits: this node leads no more. Nothing is appended from now on. */
  void end() {
    ended = true;
    waiting.forEach(each -> each.commit.failed());
    waiting.clear();
    copies.forEach(copy -> copy.fail("this node leads no more"));
    copies.clear();
  }

  @Override
  public CompletableFuture<Void> close() {
    return open.close();
  }
}
