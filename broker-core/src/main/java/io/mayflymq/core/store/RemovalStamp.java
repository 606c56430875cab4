package io.mayflymq.core.store;

/**
 * When and why a message has left its queue, as one number: of two stamps the larger one is the
 * later one. The log has it in the place of the deadline of a message that can be brought back.
 */
public final class RemovalStamp {
  private static final int REASON_BITS = 3;
  private static final int REASON_MASK = (1 << REASON_BITS) - 1;

  private RemovalStamp() {}

  /**
   * Makes a stamp.
   *
   * @param millis when, in ms since the epoch, 0 or more
   * @param reason the code of the reason, 0 to 7
   */
  public static long of(long millis, int reason) {
    return millis << REASON_BITS | reason;
  }

  /** Returns the earliest stamp of a time, in ms since the epoch. */
  public static long first(long millis) {
    return of(millis, 0);
  }

  /** Returns the same stamp at a time that is so many ms later. */
  public static long later(long stamp, long millis) {
    return of(millis(stamp) + millis, reason(stamp));
  }

  /** Returns when the message has left, in ms since the epoch. */
  public static long millis(long stamp) {
    return stamp >> REASON_BITS;
  }

  /** Returns the code of the reason. */
  public static int reason(long stamp) {
    return (int) stamp & REASON_MASK;
  }
}
