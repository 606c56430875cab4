package io.mayflymq.core.metrics;

import java.util.List;

/** How often each thing had happened at some moments of the past. Immutable. */
public final class PastCounts {
  private final long[][] rows;

  /**
   * Wraps counts.
   *
   * @param rows one for each moment, each with a cell for each counter; kept
   */
  PastCounts(long[][] rows) {
    this.rows = rows;
  }

  /** Returns the sum of several counts, each of the same moments. */
  public static PastCounts sum(List<? extends Counts> all, long[] nanos) {
    long[][] sums = new long[nanos.length][Counter.COUNT];
    for (Counts each : all) {
      long[][] rows = each.at(nanos).rows;
      for (int i = 0; i < sums.length; i++) {
        for (int cell = 0; cell < Counter.COUNT; cell++) {
          sums[i][cell] += rows[i][cell];
        }
      }
    }
    return new PastCounts(sums);
  }

  /** Returns a count at a moment, by the index of the moment. */
  public long get(Counter counter, int moment) {
    return rows[moment][counter.cell];
  }
}
