package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.RecoverableStream;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFailedException;
import io.mayflymq.core.store.segment.LogIdentity;
import io.mayflymq.core.store.segment.LogListener;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.ManualExecutor;
import io.mayflymq.core.store.segment.MemoryDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** One stream on a disk in memory, which is written to when the test wants. */
public final class OneStream {
  static final LogIdentity IDENTITY = new LogIdentity(new UUID(1, 2), "stream-1");

  private final MemoryDirectory disk;
  private final ManualExecutor flusher = new ManualExecutor();
  private final List<String> troubles = new ArrayList<>();
  private final StreamLogs logs =
      new StreamLogs(
          new StreamDisk(new Disk(), flusher, new Troubles(), Sync.ALWAYS),
          Runnable::run,
          () -> {});
  private final StreamStore store = logs.open(1, new QueueName("/", "s"));

  /**
   * A stream that has not been recovered yet.
   *
   * @param disk what an earlier one has left
   * @param reader is notified of safe messages
   */
  public OneStream(MemoryDirectory disk, RecoverableStream reader) {
    this.disk = disk;
    store.attach(reader);
  }

  /** Brings back what is on the disk. */
  public void recover() {
    try {
      logs.recover();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public StreamStore store() {
    return store;
  }

  public MemoryDirectory disk() {
    return disk;
  }

  /** The burst is over: hands what was appended to the thread that writes; see there. */
  public void flush(Commit commit) {
    logs.flush(commit);
  }

  /** As {@link #flush}; what the result says is known when the thread that writes has run. */
  CompletableFuture<Void> force() {
    return logs.force();
  }

  /** Lets the thread that writes do so. */
  public void write() {
    flusher.runAll();
  }

  /** Returns what was told of the disk: that nothing could be written, that it could, failures. */
  List<String> troubles() {
    return troubles;
  }

  /** Closes the files, after a last attempt to write. */
  void close() {
    CompletableFuture<Void> closed = logs.close();
    flusher.runAll();
    closed.join();
  }

  private final class Disk implements StreamDirectories {
    @Override
    public LogDirectory open(long streamId) {
      return disk;
    }

    @Override
    public LogIdentity identity(long streamId) {
      return IDENTITY;
    }

    @Override
    public void keep(long streamId, long logId) {}

    @Override
    public long metadataSequence() {
      return 7;
    }

    @Override
    public void delete(long streamId) {
      throw new AssertionError("no test deletes the stream");
    }
  }

  private final class Troubles implements LogListener {
    @Override
    public void blocked(IOException cause) {
      troubles.add("blocked: " + cause.getMessage());
    }

    @Override
    public void unblocked(String why) {
      troubles.add("unblocked: " + why);
    }

    @Override
    public void failed(LogFailedException cause) {
      troubles.add("failed: " + cause.getCause().getMessage());
    }
  }
}
