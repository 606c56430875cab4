package io.mayflymq.core.runtime;

import java.util.function.LongSupplier;

/**
 * Limits the log lines of a kind in a period, so that a client cannot fill a disk with them. Lines
 * above the limit are counted, and the next line states their number. Any thread may call.
 */
public final class LogLineLimit {
  private final int most;
  private final long periodNanos;
  private final LongSupplier clock;
  private long periodBegan;
  private int written;
  private long leftOut;

  /**
   * Creates a limit.
   *
   * @param most the lines in a period, 1 or more
   * @param clock nanoseconds that only grow
   */
  public LogLineLimit(int most, long periodNanos, LongSupplier clock) {
    this.most = most;
    this.periodNanos = periodNanos;
    this.clock = clock;
    this.periodBegan = clock.getAsLong();
  }

  /**
   * Whether a line is to be written.
   *
   * @param isAdmitted whether it may be written
   * @param leftOut the suffix of the line: empty, or how many lines like it were left out before
   */
  public record Verdict(boolean isAdmitted, String leftOut) {}

  /** Decides about the next line. */
  public synchronized Verdict next() {
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

  /** Returns how many lines were left out since the last report, as text; empty if none were. */
  public synchronized String end() {
    String text = leftOut == 0 ? "" : " (%d more such lines left out)".formatted(leftOut);
    leftOut = 0;
    return text;
  }
}
