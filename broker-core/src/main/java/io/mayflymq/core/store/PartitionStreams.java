package io.mayflymq.core.store;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.runtime.BurstEnd;
import java.util.concurrent.CompletableFuture;

/** The streams of a partition's store. Belongs to the shard's thread, except for {@link #open}. */
public interface PartitionStreams {
  /** Creates the streams of a store. */
  @FunctionalInterface
  interface Factory {
    /**
     * Creates them; none is there yet.
     *
     * @param store the store
     * @param burst is to be requested when something is to be flushed at the end of a burst
     */
    PartitionStreams of(PartitionStore store, BurstEnd burst);
  }

  /** Creates the store of a stream. Any thread may call. */
  StreamStore open(long queueId, QueueName name);

  /** Recovers the messages of streams. @return how many there are */
  long recover();

  /** Returns how many messages have been appended so far. */
  long appendedCount();

  /** Returns how long forced writes took; null if there is no stream. */
  Histogram.Reading forceTimes();

  /** Returns how many bytes all streams take on disk. */
  long bytes();

  /** Returns how many bytes were written. */
  long writtenBytes();

  /** Returns how many bytes are not written yet. */
  long pendingBytes();

  /** See {@link PartitionStore#isAtRest}. */
  boolean isAtRest();

  /** Returns how many bursts of streams are not written yet. */
  long pendingWrites();

  /**
   * Starts to write what was appended.
   *
   * @param commit is to be notified when everything in this burst is safe; or null
   * @return what the message log has to notify in its place when what it has is safe; or null
   */
  Commit flush(Commit commit);

  /** Repeats writes that have failed. Called five times a second. */
  void retry();

  /** Requests notes of how much has been forced. Called about once a second. */
  void note();

  /** Writes everything and closes the files. @return completed when that is done */
  CompletableFuture<Void> close();
}
