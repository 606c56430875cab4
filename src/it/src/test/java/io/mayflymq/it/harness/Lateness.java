package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * How exactly the broker kept many deadlines, seen from outside.
 *
 * <p>A message is in its queue at some time between its publish and its confirm, so its death is
 * early for sure before the first of the two plus its TTL, and late for sure after the second. What
 * is measured includes the way back to the client: a bound on it is a bound on the broker.
 */
public final class Lateness {
  /** The broker counts in whole milliseconds. */
  private static final double TICK_MILLIS = 1.0;

  private final long[] published;
  private final long[] confirmed;
  private final long[] ttlNanos;
  private final long[] seen;

  public Lateness(int count) {
    published = new long[count];
    confirmed = new long[count];
    ttlNanos = new long[count];
    seen = new long[count];
  }

  /** Notes a publish; times are those of {@link System#nanoTime}. */
  public void published(int message, long nanos, long ttlMillis) {
    published[message] = nanos;
    ttlNanos[message] = ttlMillis * 1_000_000;
  }

  /** Notes that messages from (inclusive) to (exclusive) are confirmed. */
  public void confirmed(int from, int to, long nanos) {
    Arrays.fill(confirmed, from, to, nanos);
  }

  /** Notes a death; false if it was known already. */
  public boolean seen(int message, long nanos) {
    boolean first = seen[message] == 0;
    seen[message] = nanos;
    return first;
  }

  /** How many messages must be dead at this time, if none may be late by more than the slack. */
  public int surelyDead(long nanos, double slackMillis) {
    int dead = 0;
    for (int i = 0; i < seen.length; i++) {
      dead += confirmed[i] + ttlNanos[i] + slackMillis * 1e6 < nanos ? 1 : 0;
    }
    return dead;
  }

  /** How many messages may be dead at this time, if none is early. */
  public int possiblyDead(long nanos) {
    int dead = 0;
    for (int i = 0; i < seen.length; i++) {
      dead += published[i] + ttlNanos[i] - TICK_MILLIS * 1e6 <= nanos ? 1 : 0;
    }
    return dead;
  }

  /** Checks that nothing was seen before its deadline, nor longer than this after it. */
  public void assertNeitherEarlyNorLaterThan(double millis) {
    double[] sorted = sorted();
    assertThat(sorted).isNotEmpty();
    for (int i = 0; i < seen.length; i++) {
      if (seen[i] != 0) {
        assertThat((published[i] + ttlNanos[i] - seen[i]) / 1e6)
            .as("ms before the deadline of message %d", i)
            .isLessThan(TICK_MILLIS);
      }
    }
    assertNoneLaterThan(millis);
  }

  /** The time after its deadline, in ms, within which this fraction of the messages was seen. */
  public double percentile(double fraction) {
    double[] sorted = sorted();
    return sorted[(int) Math.ceil(fraction * sorted.length) - 1];
  }

  private double[] sorted() {
    return IntStream.range(0, seen.length)
        .filter(i -> seen[i] != 0)
        .mapToDouble(this::lateness)
        .sorted()
        .toArray();
  }

  private double lateness(int message) {
    return (seen[message] - confirmed[message] - ttlNanos[message]) / 1e6;
  }

  @Override
  public String toString() {
    return String.format(
        "ms after the deadline: median %.2f, p99 %.2f, maximum %.2f of %d",
        percentile(0.5), percentile(0.99), percentile(1), count());
  }

  /** How many were seen. */
  public int count() {
    return (int) Arrays.stream(seen).filter(nanos -> nanos != 0).count();
  }

  /** Checks that what was seen, dead or alive, was not seen long after its deadline. */
  public void assertNoneLaterThan(double millis) {
    for (int i = 0; i < seen.length; i++) {
      if (seen[i] != 0) {
        assertThat(lateness(i))
            .as("ms after the deadline of message %d", i)
            .isLessThanOrEqualTo(millis);
      }
    }
  }
}
