package io.mayflymq.core.metrics;

import java.util.List;

/** How often each thing had happened at some moments of the past. Immutable. */
public final class PastCounts {
  /** Stands for the time of the first sample while there is none. */
  static final long NO_SAMPLE = Long.MIN_VALUE;

  private final long[][] rows;
  private final int unknown;

  /**
   * Wraps counts.
   *
   * @param rows one for each moment, each with a cell for each counter; kept
   * @param unknown how many of the first moments nothing is known of
   */
  PastCounts(long[][] rows, int unknown) {
    this.rows = rows;
    this.unknown = unknown;
  }

  /**
   * Returns counts of which nothing is known before a moment.
   *
   * @param beginNanos that of the first sample; {@link #NO_SAMPLE} if there is none
   * @param rows one for each moment; kept
   * @param nanos the moments, in ascending order
   */
  static PastCounts since(long beginNanos, long[][] rows, long[] nanos) {
    int unknown = beginNanos == NO_SAMPLE ? nanos.length : 0;
    while (unknown < nanos.length && nanos[unknown] - beginNanos < 0) {
      unknown++;
    }
    return new PastCounts(rows, unknown);
  }

  /**
   * Returns the sum of several counts, each of the same moments. It is known as soon as one of them
   * is: the others were not there yet, or counted nothing.
   */
  public static PastCounts sum(List<? extends Counts> all, long[] nanos) {
    long[][] sums = new long[nanos.length][Counter.COUNT];
    int unknown = all.isEmpty() ? 0 : nanos.length;
    for (Counts each : all) {
      PastCounts past = each.at(nanos);
      unknown = Math.min(unknown, past.unknown);
      for (int i = 0; i < sums.length; i++) {
        for (int cell = 0; cell < Counter.COUNT; cell++) {
          sums[i][cell] += past.rows[i][cell];
        }
      }
    }
    return new PastCounts(sums, unknown);
  }

  /**
   * Returns how many of the first moments nothing is known of, as they were before the counters:
   * before the broker was started, or the object came to this node.
   */
  public int unknown() {
    return unknown;
  }

  /** Returns a count at a moment, by the index of the moment. */
  public long get(Counter counter, int moment) {
    return rows[moment][counter.cell];
  }
}
