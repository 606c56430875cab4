package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.LogListener;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import java.util.concurrent.ExecutorService;

/**
 * How the streams of a shard are written to the disk.
 *
 * @param directories the directories of the streams
 * @param flusher one thread, used by these streams alone, since it waits for the disk
 * @param listener is notified of problems, on that thread
 * @param sync when a commit is safe
 */
public record StreamDisk(
    StreamDirectories directories, ExecutorService flusher, LogListener listener, Sync sync) {
  /** How many threads the flusher has: what it does is done one after the other. */
  public static final int THREADS = 1;
}
