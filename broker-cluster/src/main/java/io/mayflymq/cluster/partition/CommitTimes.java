package io.mayflymq.cluster.partition;

import io.mayflymq.core.metrics.histogram.Buckets;
import io.mayflymq.core.metrics.histogram.Histogram;

/**
 * How long bursts took from the end of the burst until they were committed, on the node that leads.
 * On the partition's shard, where nothing else is said.
 */
final class CommitTimes {
  private static final Buckets BUCKETS =
      Buckets.nanos(
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

  private static final int SMALLEST = 64;

  private final Histogram took = new Histogram(BUCKETS);

  /** When each burst ended: at the index of its number modulo the length, a power of two. */
  private long[] ended = new long[SMALLEST];

  private long first;
  private long end;
  private long lastNanos;

  /**
   * A burst has ended.
   *
   * @param number one more than that of the one before, or any if none waits
   */
  void appended(long number, long nowNanos) {
    if (first == end) {
      first = number;
    }
    if (number - first == ended.length) {
      grow();
    }
    ended[index(number)] = nowNanos;
    end = number + 1;
  }

  private void grow() {
    long[] before = ended;
    ended = new long[before.length * 2];
    for (long number = first; number < end; number++) {
      ended[index(number)] = before[(int) (number & (before.length - 1))];
    }
  }

  private int index(long number) {
    return (int) (number & (ended.length - 1));
  }

  /** All bursts up to one are committed. */
  void committed(long last, long nowNanos) {
    for (; first < end && first <= last; first++) {
      lastNanos = nowNanos - ended[index(first)];
      took.record(lastNanos);
    }
  }

  /** Returns for how long the first burst has waited that is not committed, in ns; 0 for none. */
  long waitingNanos(long nowNanos) {
    return first < end ? nowNanos - ended[index(first)] : 0;
  }

  /** Returns how long a burst takes at present, in ns; 0 if there was none. */
  long presentNanos(long nowNanos) {
    return Math.max(lastNanos, waitingNanos(nowNanos));
  }

  /** What waits is not committed by this node. */
  void clear() {
    first = end;
  }

  /** Returns how long the last burst took that was committed, in ns; 0 if there is none. */
  long lastNanos() {
    return lastNanos;
  }

  /** Returns how long all have taken. Any thread may call. */
  Histogram.Reading read() {
    return took.read();
  }
}
