package io.mayflymq.core.metrics.histogram;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How many values were in which range.
 *
 * <p>One thread writes at a time, so a value costs two additions and two opaque stores, with no
 * lock and no atomic instruction. Any thread may read; each number only grows.
 */
public final class Histogram {
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  private final Buckets buckets;

  /** The count of each bucket, then the sum of the values. */
  private final long[] cells;

  /** Creates an empty histogram. */
  public Histogram(Buckets buckets) {
    this.buckets = buckets;
    this.cells = new long[buckets.count() + 1];
  }

  /**
   * Counts a value. On the writing thread.
   *
   * @param value in the unit of the buckets; one that is negative, since a clock was set back,
   *     counts as 0
   */
  public void record(long value) {
    long counted = Math.max(0, value);
    add(buckets.of(counted), 1);
    add(cells.length - 1, counted);
  }

  private void add(int cell, long more) {
    CELL.setOpaque(cells, cell, cells[cell] + more);
  }

  private long read(int cell) {
    return (long) CELL.getOpaque(cells, cell);
  }

  /**
   * The values of one or several histograms so far.
   *
   * @param bounds the upper bounds of the buckets, as shown; the last one is infinite
   * @param counts how many values each bucket has, without those of the buckets before it
   * @param sum the sum of the values, as shown: of sizes in bytes, of times in seconds
   */
  public record Reading(List<Double> bounds, List<Long> counts, double sum) {
    /** Copies the lists. */
    public Reading {
      bounds = List.copyOf(bounds);
      counts = List.copyOf(counts);
    }

    /**
     * Returns the sum of several.
     *
     * @param parts one at least, all with the same bounds
     */
    public static Reading sum(List<Reading> parts) {
      List<Double> bounds = parts.get(0).bounds;
      return new Reading(
          bounds,
          IntStream.range(0, bounds.size())
              .mapToObj(bucket -> parts.stream().mapToLong(part -> part.counts.get(bucket)).sum())
              .toList(),
          parts.stream().mapToDouble(Reading::sum).sum());
    }

    /** Returns how many values there are. */
    public long count() {
      return counts.stream().mapToLong(Long::longValue).sum();
    }
  }

  /** Returns what it has. Any thread may call. */
  public Reading read() {
    return sum(List.of(this));
  }

  /**
   * Returns the sum of histograms. Any thread may call.
   *
   * @param parts one at least, all with the same buckets
   */
  public static Reading sum(Collection<Histogram> parts) {
    Buckets buckets = parts.iterator().next().buckets;
    List<Long> counts = new ArrayList<>(buckets.count());
    for (int bucket = 0; bucket < buckets.count(); bucket++) {
      int cell = bucket;
      counts.add(parts.stream().mapToLong(part -> part.read(cell)).sum());
    }
    long sum = parts.stream().mapToLong(part -> part.read(buckets.count())).sum();
    return new Reading(buckets.bounds(), counts, buckets.shown(sum));
  }
}
