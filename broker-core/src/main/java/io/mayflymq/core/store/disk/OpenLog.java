package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.DiskDirectory;
import io.mayflymq.core.store.segment.LogFailedException;
import io.mayflymq.core.store.segment.LogListener;
import io.mayflymq.core.store.segment.LogOptions;
import io.mayflymq.core.store.segment.SegmentLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A log with the thread that brings it to the disk. */
record OpenLog(SegmentLog log, ExecutorService flusher) {
  /**
   * Opens a log; it has to be recovered before use.
   *
   * @param name what alarms and threads call it
   */
  static OpenLog open(Path path, LogOptions options, StoreAlarms alarms, String name)
      throws IOException {
    Files.createDirectories(path);
    ExecutorService flusher =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    SegmentLog log =
        new SegmentLog(new DiskDirectory(path), options, flusher, new Alarming(name, alarms));
    return new OpenLog(log, flusher);
  }

  /** Writes everything and lets the files and the thread go. */
  CompletableFuture<Void> close() {
    return log.close().whenComplete((done, failure) -> flusher.shutdown());
  }

  private record Alarming(String what, StoreAlarms alarms) implements LogListener {
    @Override
    public void blocked(IOException cause) {
      alarms.raised(what, cause.toString());
    }

    @Override
    public void unblocked() {
      alarms.cleared(what, "it can be written again");
    }

    @Override
    public void failed(LogFailedException cause) {
      // No room will cure it: its publishers get basic.nack, and nobody is made to wait.
      alarms.cleared(what, cause.getMessage());
    }
  }
}
