package io.mayflymq.core.store.disk;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.runtime.BurstEnd;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.CompositeCommit;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.segment.LogState;
import io.mayflymq.core.store.stream.StreamLogs;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * The streams of a partition; nothing is opened before the first of them. Belongs to the shard's
 * thread, except for {@link #open}.
 */
final class PartitionStreams {
  private final int partition;
  private final Shard shard;
  private final StoreFiles files;
  private final BurstEnd burst;

  /** Null until there is a stream. */
  private volatile StreamLogs logs;

  PartitionStreams(int partition, Shard shard, StoreFiles files, BurstEnd burst) {
    this.partition = partition;
    this.shard = shard;
    this.files = files;
    this.burst = burst;
  }

  /** Creates the store of a stream. Any thread may call. */
  synchronized StreamStore open(long queueId, QueueName name) {
    if (logs == null) {
      logs = files.openStreams(partition, shard, burst::request);
    }
    files.hasStream(queueId);
    return logs.open(queueId, name);
  }

  /** Recovers the messages of streams. @return how many there are */
  long recover() {
    try {
      return logs == null ? 0 : logs.recover();
    } catch (IOException e) {
      throw new StoreException(
          "cannot recover the streams of shard %d: %s".formatted(partition, e.getMessage()), e);
    }
  }

  /** Returns how many messages have been appended so far. */
  long appendedCount() {
    return logs == null ? 0 : logs.appendedCount();
  }

  /** Returns how long forced writes took; null if there is no stream. */
  Histogram.Reading forceTimes() {
    return logs == null ? null : logs.forceTimes();
  }

  /** Returns how many bytes all streams take on disk. */
  long bytes() {
    return logs == null ? 0 : logs.bytes();
  }

  /** Returns how many bytes were written. */
  long writtenBytes() {
    return logs == null ? 0 : logs.writtenBytes();
  }

  /** Returns how many bytes are not written yet. */
  long pendingBytes() {
    return logs == null ? 0 : logs.pendingBytes();
  }

  /**
   * Starts to write what was appended.
   *
   * @param commit is to be notified when everything in this burst is safe; or null
   * @return what the message log has to notify: a commit that covers both logs is safe when both
   *     are
   */
  Commit flush(Commit commit) {
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

  /** Repeats writes that have failed. */
  void retry() {
    if (logs != null && logs.state() == LogState.BLOCKED) {
      logs.retry();
    }
  }

  /** Requests notes of how much has been forced. */
  void note() {
    if (logs != null) {
      logs.note();
    }
  }

  CompletableFuture<Void> close() {
    return logs == null ? CompletableFuture.completedFuture(null) : logs.close();
  }
}
