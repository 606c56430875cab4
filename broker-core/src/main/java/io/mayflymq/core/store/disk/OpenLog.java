package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogOptions;
import io.mayflymq.core.store.segment.SegmentLog;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/** A log with the threads that write it to the disk. */
public record OpenLog(SegmentLog log, ExecutorService flusher) {
  /**
   * Opens a log; it has to be recovered before use.
   *
   * @param directory the name of its directory
   * @param name its name in alarms and of its threads
   */
  static OpenLog open(
      StorageEnvironment host,
      String directory,
      LogOptions options,
      StoreAlarms alarms,
      String name)
      throws IOException {
    LogDirectory files = host.open(directory);
    ExecutorService flusher = host.flusher(name, SegmentLog.THREADS);
    SegmentLog log = new SegmentLog(files, options, flusher, new AlarmingLogListener(name, alarms));
    return new OpenLog(log, flusher);
  }

  /** Ends the threads of a log that could not be recovered. */
  public void abandon() {
    flusher.shutdown();
  }

  /** Writes everything and closes the files and the threads. */
  public CompletableFuture<Void> close() {
    return log.close().whenComplete((done, failure) -> flusher.shutdown());
  }
}
