package io.mayflymq.core.metrics.histogram;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The bounds of a histogram's buckets, and the unit of its values. Immutable.
 *
 * <p>The bucket of a value is found without a search: a table has, for each number of leading
 * zeros, the first bucket that a value with so many can be in. As long as bounds are not closer
 * than a factor of two, at most one comparison follows.
 */
public final class Buckets {
  private final long[] bounds;
  private final double perUnit;
  private final int[] first = new int[Long.SIZE + 1];

  private Buckets(double perUnit, long... bounds) {
    for (int i = 1; i < bounds.length; i++) {
      if (bounds[i - 1] >= bounds[i]) {
        throw new IllegalArgumentException("bounds that do not ascend: " + Arrays.toString(bounds));
      }
    }
    this.bounds = bounds;
    this.perUnit = perUnit;
    for (int zeros = 0; zeros < first.length; zeros++) {
      long smallest = zeros == Long.SIZE ? 0 : Long.MIN_VALUE >>> zeros;
      first[zeros] = (int) Arrays.stream(bounds).filter(bound -> bound < smallest).count();
    }
  }

  /** Returns buckets of numbers of bytes. */
  public static Buckets bytes(long... bounds) {
    return new Buckets(1, bounds);
  }

  /** Returns buckets of times in ms, which are shown in seconds. */
  public static Buckets millis(long... bounds) {
    return new Buckets(1e3, bounds);
  }

  /** Returns buckets of times in ns, which are shown in seconds. */
  public static Buckets nanos(long... bounds) {
    return new Buckets(1e9, bounds);
  }

  /** Returns how many there are, with the last one, which has no bound. */
  public int count() {
    return bounds.length + 1;
  }

  /** Returns the upper bounds, which belong to their buckets, in the unit that is shown. */
  public List<Double> bounds() {
    return IntStream.range(0, count())
        .mapToObj(i -> i < bounds.length ? bounds[i] / perUnit : Double.POSITIVE_INFINITY)
        .toList();
  }

  /** Returns a sum of values in the unit that is shown. */
  double shown(long sum) {
    return sum / perUnit;
  }

  /** Returns the index of the bucket of a value, which is 0 or more. */
  int of(long value) {
    int bucket = first[Long.numberOfLeadingZeros(value)];
    while (bucket < bounds.length && value > bounds[bucket]) {
      bucket++;
    }
    return bucket;
  }
}
