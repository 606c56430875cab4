package io.mayflymq.core.metrics;

import java.util.Arrays;
import java.util.OptionalLong;

/**
 * The last two samples of an array of numbers, and how fast each of them grew in between. One
 * thread samples, any thread may read.
 */
final class RateWindow {
  private static final double NANOS_PER_SECOND = 1e9;

  private static final class Sample {
    final long nanos;
    final long[] values;

    Sample(long nanos, long[] values) {
      this.nanos = nanos;
      this.values = values;
    }
  }

  private record Pair(Sample before, Sample latest) {}

  /** Stands for the time of the last change while numbers are changing. */
  private static final long MOVING = Long.MIN_VALUE;

  private volatile Pair pair;

  /** Null as long as all numbers were 0. */
  private volatile SampleHistory history;

  private volatile long stillSinceNanos = MOVING;

  /**
   * Takes a sample.
   *
   * @param nanos {@link System#nanoTime}
   * @param sincePreviousNanos the time between samples, for the first one, before which all was 0
   * @param values the numbers, in the same order each time; kept
   * @param historyBytes how many bytes the history of earlier samples may take
   */
  void sample(long nanos, long sincePreviousNanos, long[] values, int historyBytes) {
    Pair last = pair;
    if (!isLatest(values)) {
      stillSinceNanos = MOVING;
      remember(nanos, sincePreviousNanos, values, historyBytes);
    } else if (stillSinceNanos == MOVING) {
      stillSinceNanos = nanos;
    }
    if (last == null) {
      if (!isZero(values)) {
        long[] nothing = new long[values.length];
        pair = new Pair(new Sample(nanos - sincePreviousNanos, nothing), new Sample(nanos, values));
      }
      return;
    }
    // Unchanged numbers share one array.
    long[] kept = Arrays.equals(values, last.latest.values) ? last.latest.values : values;
    pair = new Pair(last.latest, new Sample(nanos, kept));
  }

  private void remember(long nanos, long sincePreviousNanos, long[] values, int historyBytes) {
    SampleHistory known = history;
    if (known == null) {
      known = new SampleHistory(nanos - sincePreviousNanos, values.length);
    }
    known.add(nanos, values, historyBytes);
    history = known;
  }

  /** Forgets all samples but the last two; see {@link SampleHistory#forget}. */
  void forgetHistory() {
    SampleHistory known = history;
    if (known != null) {
      known.forget();
    }
  }

  /**
   * Returns the numbers as they were at some moments of the last day; see {@link SampleHistory}.
   *
   * @param nanos the moments, in ascending order
   * @param numbers how many numbers there are
   */
  long[][] at(long[] nanos, int numbers) {
    SampleHistory known = history;
    return known == null ? new long[nanos.length][numbers] : known.at(nanos);
  }

  /**
   * Takes a sample of unchanged numbers without storing them: most counters do not change most of
   * the time.
   *
   * @param values the numbers, which may change meanwhile
   * @return false if they have changed since the last two samples, so that one has to be taken
   */
  boolean rests(long nanos, long[] values) {
    Pair last = pair;
    if (!isLatest(values) || (last != null && last.before.values != last.latest.values)) {
      return false;
    }
    if (stillSinceNanos == MOVING) {
      stillSinceNanos = nanos;
    }
    return true;
  }

  /** How many per second a number grew by between the last two samples; negative if it shrank. */
  double rate(int index) {
    Pair last = pair;
    if (last == null || last.latest.nanos <= last.before.nanos) {
      return 0;
    }
    return (last.latest.values[index] - last.before.values[index])
        * NANOS_PER_SECOND
        / (last.latest.nanos - last.before.nanos);
  }

  /**
   * The first sample since which nothing has changed; empty if something has.
   *
   * @param values the numbers of this moment
   */
  OptionalLong stillSinceNanos(long[] values) {
    long since = stillSinceNanos;
    return since == MOVING || !isLatest(values) ? OptionalLong.empty() : OptionalLong.of(since);
  }

  private boolean isLatest(long[] values) {
    Pair last = pair;
    return last == null ? isZero(values) : Arrays.equals(values, last.latest.values);
  }

  private static boolean isZero(long[] values) {
    for (long value : values) {
      if (value != 0) {
        return false;
      }
    }
    return true;
  }
}
