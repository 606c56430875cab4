package io.mayflymq.core.metrics.histogram;

/**
 * What one shard measures. Its thread writes, any thread may read.
 *
 * @param messageSizes the body sizes of messages that clients have published, in bytes
 * @param expiryLateness how long after their deadline messages expired, in ms
 * @param deadLetterDelays how long after their death dead letters were in another queue, in ms
 * @param bursts how long bursts took, in ns
 */
public record ShardHistograms(
    Histogram messageSizes,
    Histogram expiryLateness,
    Histogram deadLetterDelays,
    Histogram bursts) {
  /** RabbitMQ's, for the same dashboards. */
  private static final Buckets SIZES =
      Buckets.bytes(100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 50_000_000, 100_000_000);

  private static final Buckets LATENESS =
      Buckets.millis(
          0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 30_000, 300_000, 3_600_000);

  private static final Buckets BURSTS =
      Buckets.nanos(
          10_000,
          20_000,
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
          1_000_000_000,
          10_000_000_000L);

  /** Creates empty histograms. */
  public ShardHistograms() {
    this(
        new Histogram(SIZES),
        new Histogram(LATENESS),
        new Histogram(LATENESS),
        new Histogram(BURSTS));
  }
}
