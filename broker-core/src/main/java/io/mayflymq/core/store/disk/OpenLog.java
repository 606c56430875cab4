package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFailedException;
import io.mayflymq.core.store.segment.LogListener;
import io.mayflymq.core.store.segment.LogOptions;
import io.mayflymq.core.store.segment.SegmentLog;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/** A log with the threads that bring it to the disk. */
record OpenLog(SegmentLog log, ExecutorService flusher) {
  /**
   * Opens a log; it has to be recovered before use.
   *
   * @param directory the name of its directory
   * @param name what alarms and threads call it
   */
  static OpenLog open(
      StoreHost host, String directory, LogOptions options, StoreAlarms alarms, String name)
      throws IOException {
    LogDirectory files = host.open(directory);
    ExecutorService flusher = host.flusher(name);
    SegmentLog log = new SegmentLog(files, options, flusher, new Alarming(name, alarms));
    return new OpenLog(log, flusher);
  }

  /** Writes everything and lets the files and the threads go. */
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
