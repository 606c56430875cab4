package io.mayflymq.cluster.store;

import io.mayflymq.cluster.replication.Burst;
import io.mayflymq.core.runtime.BurstEnd;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.disk.LogUpkeep;
import io.mayflymq.core.store.disk.OpenLog;
import io.mayflymq.core.store.segment.LogState;
import io.mayflymq.core.store.segment.SegmentLog;
import io.mayflymq.core.store.segment.WireBurst;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * The log of a replica that follows, with the places of its messages. What is appended in a burst
 * of the shard is forced together. Belongs to the shard's thread.
 */
final class FollowerLog implements EndOfBurstListener {
  /** After how many bytes of a copy the disk is to force them. */
  private static final long FORCED_AT_ONCE = 4 << 20;

  private final OpenLog open;
  private final SegmentLog log;
  private final FollowerQueues queues;
  private final FollowedStreams streams;
  private final ReplicaStreams streamFiles;
  private final BurstEnd endOfBurst;
  private final LogUpkeep upkeep;
  private final BiConsumer<Object, BurstId> forced;
  private BurstId unforced;
  private long copiedBytes;
  private boolean isClosed;

  /**
   * Recovers a log.
   *
   * @param upTo the last burst that is to remain
   * @param forced told on any thread up to which burst this log is forced
   * @param streamFiles the files of its streams
   * @throws IOException if it cannot be read
   */
  FollowerLog(
      OpenLog open,
      long upTo,
      Shard shard,
      BiConsumer<Object, BurstId> forced,
      ReplicaStreams streamFiles)
      throws IOException {
    this.open = open;
    this.log = open.log();
    this.streamFiles = streamFiles;
    this.streams = new FollowedStreams(streamFiles, log);
    this.queues = streams.queues();
    this.endOfBurst = new BurstEnd(shard, this);
    this.upkeep = new LogUpkeep(shard, endOfBurst, new Work());
    this.forced = forced;
    log.recover(queues, queues, upTo);
    queues.recovered();
    streams.ended(log.bursts().last().number());
    upkeep.start();
  }

  SegmentLog log() {
    return log;
  }

  /**
   * Appends a burst.
   *
   * @throws IllegalArgumentException if it has changed on its way; then nothing is appended
   */
  void append(Burst burst) {
    log.take(burst.content(), queues);
    log.endBurst(burst.id(), WireBurst.leaderMillis(burst.content()));
    streams.ended(burst.id().number());
    unforced = burst.id();
    endOfBurst.request();
  }

  /** Takes a part of all that the leader has. */
  void takeCopy(ByteBuffer content) {
    log.takeCopy(content, queues);
    copiedBytes += content.remaining();
    endOfBurst.request();
  }

  /** Bursts up to this one are committed. */
  void committed(long number) {
    streams.committed(number);
    log.committed(number);
    endOfBurst.request();
  }

  @Override
  public void endOfBurst() {
    endOfBurst.reached();
    if (isClosed) {
      return;
    }
    if (unforced != null) {
      log.commit(new Forced(unforced));
      unforced = null;
    } else if (copiedBytes > FORCED_AT_ONCE) {
      log.commit(Commit.UNAWAITED);
      copiedBytes = 0;
    } else {
      log.flush();
    }
    upkeep.compact();
  }

  /** A commit of all bursts up to one. */
  private final class Forced implements Commit {
    private final BurstId burst;

    Forced(BurstId burst) {
      this.burst = burst;
    }

    @Override
    public void safe() {
      forced.accept(FollowerLog.this, burst);
    }

    @Override
    public void failed() {
      // The leader notices that this replica does not force any more.
    }
  }

  private final class Work implements LogUpkeep.Work {
    @Override
    public boolean compact(int budget) {
      return log.compact(budget);
    }

    @Override
    public void maintain() {
      if (log.state() == LogState.BLOCKED) {
        log.retry();
      }
      streamFiles.retry();
      if (log.unforced()) {
        log.commit(Commit.UNAWAITED);
      }
      endOfBurst.request();
    }

    @Override
    public void note() {
      log.note(0);
      streamFiles.note();
    }

    @Override
    public void trimMemory() {
      log.trimMemory();
      queues.trimMemory();
      streamFiles.retain();
    }
  }

  /** Writes all, and closes the files. @return completed when that is done */
  CompletableFuture<Void> close() {
    isClosed = true;
    upkeep.end();
    return open.close();
  }
}
