package io.mayflymq.core.store.disk;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.runtime.BurstEnd;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.CompositeCommit;
import io.mayflymq.core.store.PartitionStreams;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.segment.LogState;
import io.mayflymq.core.store.stream.StreamLogs;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * The streams of a shard; nothing is opened before the first of them. Belongs to the shard's
 * thread, except for {@link #open}.
 */
final class ShardStreams implements PartitionStreams {
  private final int partition;
  private final Shard shard;
  private final StoreFiles files;
  private final BurstEnd burst;

  /** Null until there is a stream. */
  private volatile StreamLogs logs;

  ShardStreams(int partition, Shard shard, StoreFiles files, BurstEnd burst) {
    this.partition = partition;
    this.shard = shard;
    this.files = files;
    this.burst = burst;
  }

  @Override
  public synchronized StreamStore open(long queueId, QueueName name) {
    if (logs == null) {
      logs = files.openStreams(partition, shard, burst::request);
    }
    files.hasStream(queueId);
    return logs.open(queueId, name);
  }

  @Override
  public long recover() {
    try {
      return logs == null ? 0 : logs.recover();
    } catch (IOException e) {
      throw new StoreException(
          "cannot recover the streams of shard %d: %s".formatted(partition, e.getMessage()), e);
    }
  }

  @Override
  public long appendedCount() {
    return logs == null ? 0 : logs.appendedCount();
  }

  @Override
  public Histogram.Reading forceTimes() {
    return logs == null ? null : logs.forceTimes();
  }

  @Override
  public long bytes() {
    return logs == null ? 0 : logs.bytes();
  }

  @Override
  public long writtenBytes() {
    return logs == null ? 0 : logs.writtenBytes();
  }

  @Override
  public long pendingBytes() {
    return logs == null ? 0 : logs.pendingBytes();
  }

  @Override
  public long pendingWrites() {
    return logs == null ? 0 : logs.pendingWrites();
  }

  @Override
  public boolean isAtRest() {
    return logs == null || logs.isAtRest();
  }

  @Override
  public Commit flush(Commit commit) {
    if (logs == null) {
      return commit;
    }
    if (commit == null || !logs.hasUnsafe()) {
      logs.flush(null);
      return commit;
    }
    Commit both = new CompositeCommit(commit);
    logs.flush(both);
    return both;
  }

  @Override
  public void retry() {
    if (logs != null && logs.state() == LogState.BLOCKED) {
      logs.retry();
    }
  }

  @Override
  public void note() {
    if (logs != null) {
      logs.note();
    }
  }

  @Override
  public CompletableFuture<Void> close() {
    return logs == null ? CompletableFuture.completedFuture(null) : logs.close();
  }
}
