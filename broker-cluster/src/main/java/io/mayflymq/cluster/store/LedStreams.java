package io.mayflymq.cluster.store;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.runtime.BurstEnd;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.PartitionStreams;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.stream.StreamLogs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * The streams of a replica that leads: what is appended to them is appended to the log of the
 * partition, and to their files when it is committed. On the shard's thread.
 */
final class LedStreams implements PartitionStreams {
  private final ReplicaStreams files;
  private final PartitionStore store;
  private final BurstEnd burst;
  private final BooleanSupplier isCopied;
  private final Map<Long, LedStream> streams = new HashMap<>();
  private final List<LedStream> appended = new ArrayList<>();
  private long appendedCount;

  /**
   * Creates them.
   *
   * @param store that of the partition
   * @param burst requested when something was appended
   * @param isCopied whether the log is being copied: what it has stays there meanwhile
   */
  public LedStreams(
      ReplicaStreams files, PartitionStore store, BurstEnd burst, BooleanSupplier isCopied) {
    this.files = files;
    this.store = store;
    this.burst = burst;
    this.isCopied = isCopied;
  }

  @Override
  public StreamStore open(long queueId, QueueName name) {
    LedStream stream =
        new LedStream(
            queueId,
            store.open(StoreIds.ofStream(queueId), name, QueueStore.Kept.ALL),
            files.of(queueId),
            this);
    streams.put(queueId, stream);
    return stream;
  }

  @Override
  public long recover() {
    files.deleteUnknown();
    long messages = 0;
    for (LedStream stream : streams.values()) {
      stream.recovered();
      messages += stream.filedMessages();
    }
    return messages;
  }

  /** Something has been appended to a stream in this burst. */
  void appended(LedStream stream) {
    appended.add(stream);
    burst.request();
  }

  /** Appends what the log had when it was opened to the files. */
  void append(long queueId, long offset, Message message, long millis) {
    files.append(queueId, offset, message, millis);
  }

  /** A message has been appended. */
  void count() {
    appendedCount++;
  }

  @Override
  public boolean isAtRest() {
    return appended.isEmpty();
  }

  /** What is committed elsewhere is written to the files later, and nothing waits for that. */
  @Override
  public long pendingWrites() {
    return 0;
  }

  @Override
  public Commit flush(Commit commit) {
    if (appended.isEmpty()) {
      return commit;
    }
    List<LedStream.Appended> burstOfAll = appended.stream().map(LedStream::takeAppended).toList();
    appended.clear();
    return new Committed(burstOfAll, commit);
  }

  /**
   * What was appended in a burst is committed: it goes into the files, and to consumers.
   *
   * @param commit is told then; or null
   */
  private record Committed(List<LedStream.Appended> appended, Commit commit) implements Commit {
    @Override
    public void safe() {
      try {
        appended.forEach(LedStream.Appended::committed);
      } finally {
        if (commit != null) {
          commit.safe();
        }
      }
    }

    @Override
    public void failed() {
      if (commit != null) {
        commit.failed();
      }
    }
  }

  void forget(long queueId) {
    streams.remove(queueId);
    files.delete(queueId);
  }

  @Override
  public void retry() {
    files.retry();
  }

  /** Also settles in the log what the files have had since the call before. */
  @Override
  public void note() {
    files.note();
    if (!isCopied.getAsBoolean()) {
      streams.values().forEach(LedStream::settle);
    }
  }

  @Override
  public long appendedCount() {
    return appendedCount;
  }

  @Override
  public Histogram.Reading forceTimes() {
    return files.forceTimes();
  }

  @Override
  public long bytes() {
    return files.figure(StreamLogs::bytes);
  }

  @Override
  public long writtenBytes() {
    return files.figure(StreamLogs::writtenBytes);
  }

  @Override
  public long pendingBytes() {
    return files.figure(StreamLogs::pendingBytes);
  }

  /** The files stay open: they are those of the replica. */
  @Override
  public CompletableFuture<Void> close() {
    return CompletableFuture.completedFuture(null);
  }
}
