package io.mayflymq.core.queue;

import io.mayflymq.core.retention.Deadlines;

/** The one timer of a queue. It is set for the earliest time, and only ever moved forward. */
public final class QueueTimer {
  private final QueueEffects effects;
  private long at = Deadlines.NEVER;

  /** Creates one that is not set. */
  public QueueTimer(QueueEffects effects) {
    this.effects = effects;
  }

  /** Something has to be done at this time, in ms since the epoch; the timer may fire earlier. */
  public void noLaterThan(long deadlineMillis) {
    if (deadlineMillis < at) {
      at = deadlineMillis;
      effects.wakeAt(deadlineMillis);
    }
  }

  /** The timer has fired: it has to be set anew. */
  public void fired() {
    at = Deadlines.NEVER;
  }
}
