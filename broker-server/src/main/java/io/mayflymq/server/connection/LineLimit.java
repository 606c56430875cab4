package io.mayflymq.server.connection;

import java.util.function.LongSupplier;

/**
 * How many lines of a kind the log gets in a period, so that a client cannot fill a disk with them.
 * Those beyond are counted, and the next line tells how many there were. Any thread may call.
 */
final class LineLimit {
  private final int most;
  private final long periodNanos;
  private final LongSupplier clock;
  private long periodBegan;
  private int written;
  private long leftOut;

  /**
   * @param most the lines in a period, 1 or more
   * @param clock nanoseconds that only grow
   */
  LineLimit(int most, long periodNanos, LongSupplier clock) {
    this.most = most;
    this.periodNanos = periodNanos;
    this.clock = clock;
    this.periodBegan = clock.getAsLong();
  }

  /**
   * Whether a line is to be written.
   *
   * @param isAdmitted whether it is
   * @param leftOut what to put behind it: empty, or how many lines like it were left out before
   */
  record Verdict(boolean isAdmitted, String leftOut) {}

  /** There is a line to be written. */
  synchronized Verdict next() {
    long now = clock.getAsLong();
    if (now - periodBegan >= periodNanos) {
      periodBegan = now;
      written = 0;
    }
    if (written == most) {
      leftOut++;
      return new Verdict(false, "");
    }
    written++;
    return new Verdict(true, end());
  }

  /** How many lines were left out and not yet told of, as text; empty if none were. */
  synchronized String end() {
    String text = leftOut == 0 ? "" : " (%d more such lines left out)".formatted(leftOut);
    leftOut = 0;
    return text;
  }
}
