package io.mayflymq.core.retention;

/**
 * How long a queue may stay unused ({@code x-expires}). Consumers, {@code basic.get} and a
 * redeclaration are use; publishing is not.
 *
 * <p>Renewing is one assignment: the timer that was set for the old end finds, when it fires, that
 * the lease goes on, and is set again.
 *
 * <p>Source: RabbitMQ, "Time-To-Live and Expiration", section "Queue TTL".
 */
public final class QueueLease {
  private long periodMillis;
  private long lastUseMillis;
  private long endMillis = Deadlines.NEVER;
  private boolean suspended;

  /**
   * Creates a lease that starts now.
   *
   * @param periodMillis how long the queue may stay unused, or a negative number: for ever
   * @param nowMillis the current time
   */
  public QueueLease(long periodMillis, long nowMillis) {
    this.periodMillis = periodMillis;
    renew(nowMillis);
  }

  /** The queue was used. */
  public void renew(long nowMillis) {
    lastUseMillis = nowMillis;
    endMillis = Deadlines.after(nowMillis, periodMillis);
  }

  /**
   * Another period counts, from the last use of the queue on, which may have been longer ago.
   *
   * @param changedMillis how long the queue may stay unused, or a negative number: for ever
   */
  public void change(long changedMillis) {
    periodMillis = changedMillis;
    endMillis = Deadlines.after(lastUseMillis, changedMillis);
  }

  /** When the lease would end with another period, as {@link #endMillis} tells it. */
  public long endWith(long otherMillis) {
    return suspended ? Deadlines.NEVER : Deadlines.after(lastUseMillis, otherMillis);
  }

  /** The queue has consumers from now on: the lease does not run. */
  public void suspend() {
    suspended = true;
  }

  /** The last consumer has left: the lease starts anew. */
  public void resume(long nowMillis) {
    suspended = false;
    renew(nowMillis);
  }

  /**
   * When the lease ends if nothing happens, in ms since the epoch; {@link Deadlines#NEVER} while
   * there are consumers.
   */
  public long endMillis() {
    return suspended ? Deadlines.NEVER : endMillis;
  }
}
