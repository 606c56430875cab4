package io.mayflymq.core.runtime;

/**
 * An action that runs once at a deadline. A timer is its own node in the lists of the {@link
 * TimerWheel} it is scheduled on, so scheduling, moving and cancelling it allocate nothing: its
 * owner (a queue, a connection) creates it once and keeps it.
 *
 * <p>Not thread-safe. A timer belongs to at most one wheel at a time and is touched only by the
 * thread that owns that wheel.
 */
public abstract class Timer {
  /** The slot value of a timer that is in no slot of the wheel. */
  static final int NO_SLOT = -1;

  Timer previous;
  Timer next;
  int slot = NO_SLOT;
  long deadline = Long.MAX_VALUE;

  /**
   * Called once, no earlier than the deadline, from within {@link TimerWheel#advance}. The timer is
   * no longer scheduled then, and may schedule or cancel any timer of its wheel, itself included. A
   * timer that throws is reported, and fires again a second later unless it has been scheduled
   * again: otherwise the object that it belongs to would never be checked again.
   *
   * @param nowMillis the time that was given to {@code advance}, in milliseconds since the epoch
   */
  protected abstract void fire(long nowMillis);

  /**
   * Returns when this timer, which is scheduled, will do something that others notice, in
   * milliseconds since the epoch: its deadline, unless it only looks then whether it is time; in
   * that case {@link Long#MAX_VALUE} means that it will not.
   */
  protected long effectMillis() {
    return deadline;
  }

  /** Whether this timer is scheduled. */
  public final boolean isScheduled() {
    return next != null;
  }

  /**
   * When this timer fires, in milliseconds since the epoch; {@link Long#MAX_VALUE} if it is not
   * scheduled.
   */
  public final long deadlineMillis() {
    return isScheduled() ? deadline : Long.MAX_VALUE;
  }
}
