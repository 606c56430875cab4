package io.mayflymq.core.queue.index;

/**
 * Deadlines in ms since the epoch.
 *
 * <p>The clock counts whole milliseconds and is read at the start of the current one, so an event
 * that is stamped with it happened up to one millisecond later. Every deadline but an immediate one
 * therefore gets that millisecond added: nothing ends before its time.
 */
public final class Deadlines {
  /** No deadline. */
  public static final long NEVER = Long.MAX_VALUE;

  /**
   * By how much later a period may have begun than the clock said, which had its milliseconds cut
   * off, in ms.
   */
  private static long cutOff = 1;

  private Deadlines() {}

  /**
   * Sets whether the clock shows the moment itself, as one that is moved by hand does, rather than
   * the millisecond that has begun. To be called before a broker starts; counts for all that these
   * classes were loaded for.
   */
  public static void setExactClock(boolean exact) {
    cutOff = exact ? 0 : 1;
  }

  /**
   * Returns the own deadline of a message at a moment that stays what it is while the time of the
   * queue stands still: so it is told from one by a TTL, also in the log.
   *
   * @param millis the moment, in ms since the epoch; not {@link #NEVER}
   */
  public static long absolute(long millis) {
    return -Math.max(1, millis);
  }

  /** Whether the own deadline of a message is such a moment. */
  public static boolean isAbsolute(long ownMillis) {
    return ownMillis < 0;
  }

  /** Returns the moment of an own deadline, whether it is absolute or not. */
  public static long moment(long ownMillis) {
    return Math.abs(ownMillis);
  }

  /** Returns an own deadline of the same kind at another moment. */
  public static long at(long ownMillis, long otherMillis) {
    return isAbsolute(ownMillis) ? absolute(otherMillis) : otherMillis;
  }

  /**
   * Returns when a period that starts now will have passed.
   *
   * @param nowMillis what the clock shows
   * @param periodMillis 0 or more, or a negative number for no end
   * @return the first millisecond at which the whole period has passed, or {@link #NEVER}
   */
  public static long after(long nowMillis, long periodMillis) {
    if (periodMillis <= 0) {
      return periodMillis == 0 ? nowMillis : NEVER;
    }
    long deadline = nowMillis + periodMillis + cutOff;
    return deadline < nowMillis ? NEVER : deadline;
  }
}
