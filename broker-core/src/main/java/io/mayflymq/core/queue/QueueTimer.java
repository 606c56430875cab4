package io.mayflymq.core.queue;

import io.mayflymq.core.queue.index.Deadlines;

/**
 * The only timer of a queue. It is set for the earliest time, and only ever moved to an earlier
 * one.
 */
public final class QueueTimer {
  private final QueueEffects effects;
  private long at = Deadlines.NEVER;

  /** Creates a timer that is not set. */
  public QueueTimer(QueueEffects effects) {
    this.effects = effects;
  }

  /** Requests a wake-up at this time, in ms since the epoch; the timer may fire earlier. */
  public void noLaterThan(long deadlineMillis) {
    if (deadlineMillis < at) {
      at = deadlineMillis;
      effects.wakeAt(deadlineMillis);
    }
  }

  /** Called when the timer has fired: it has to be set again. */
  public void fired() {
    at = Deadlines.NEVER;
  }
}
