package io.mayflymq.core.store;

import io.mayflymq.core.metrics.histogram.Buckets;
import io.mayflymq.core.metrics.histogram.Histogram;

/**
 * What the store of a partition uses at one moment, and what it has done so far.
 *
 * @param messages the message log
 * @param paged contents of messages that memory had no room for
 * @param streamBytes the size of all streams
 * @param pendingBytes how many bytes wait to be written
 * @param writtenBytes how many bytes were written to the message log and to streams
 * @param storedMessages how many messages were stored in the message log and in streams
 * @param lastForcedNanos how long the last forced write of the message log took, in ns; 0 if there
 *     was none
 * @param forcedWrites how long forced writes of the message log took
 * @param forcedStreamWrites how long forced writes of streams took
 */
public record StoreStats(
    Log messages,
    Log paged,
    long streamBytes,
    long pendingBytes,
    long writtenBytes,
    long storedMessages,
    long lastForcedNanos,
    Histogram.Reading forcedWrites,
    Histogram.Reading forcedStreamWrites) {
  private static final Buckets FORCES =
      Buckets.nanos(
          50_000,
          100_000,
          200_000,
          500_000,
          1_000_000,
          2_000_000,
          5_000_000,
          10_000_000,
          20_000_000,
          50_000_000,
          100_000_000,
          200_000_000,
          500_000_000,
          1_000_000_000,
          5_000_000_000L,
          30_000_000_000L);

  /** Those of a store without files. */
  public static final StoreStats NONE =
      new StoreStats(Log.NONE, Log.NONE, 0, 0, 0, 0, 0, forceTimes().read(), forceTimes().read());

  /**
   * A log.
   *
   * @param segments how many files it has
   * @param bytes their size
   * @param liveBytes about how many of these belong to messages that are needed
   * @param compactedSegments how many files were compacted
   * @param copiedBytes how many bytes were copied for that
   */
  public record Log(
      int segments, long bytes, long liveBytes, long compactedSegments, long copiedBytes) {
    /** A log without files. */
    public static final Log NONE = new Log(0, 0, 0, 0, 0);
  }

  /** Returns an empty histogram of times in ns, for what forces files. */
  public static Histogram forceTimes() {
    return new Histogram(FORCES);
  }
}
