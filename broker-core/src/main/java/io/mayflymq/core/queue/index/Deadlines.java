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

  private Deadlines() {}

  /**
   * Returns when a period that starts now will have passed.
   *
   * @param nowMillis the clock's current millisecond
   * @param periodMillis 0 or more, or a negative number for no end
   * @return the first millisecond at which the whole period has passed, or {@link #NEVER}
   */
  public static long after(long nowMillis, long periodMillis) {
    if (periodMillis <= 0) {
      return periodMillis == 0 ? nowMillis : NEVER;
    }
    long deadline = nowMillis + periodMillis + 1;
    return deadline < nowMillis ? NEVER : deadline;
  }
}
