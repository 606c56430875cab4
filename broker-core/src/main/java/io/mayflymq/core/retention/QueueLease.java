package io.mayflymq.core.retention;

import io.mayflymq.core.settings.LeaseSettings;
import io.mayflymq.core.settings.LeaseUse;

/**
 * How long a queue may stay unused ({@code x-expires}), and what counts as use. Some uses are a
 * moment, others last: while the queue has consumers, or messages that are scheduled for later, the
 * lease does not run, if these are uses that count.
 *
 * <p>Renewing is one assignment: the timer that was set for the old end finds, when it fires, that
 * the lease goes on, and is set again.
 *
 * <p>Source: RabbitMQ, "Time-To-Live and Expiration", section "Queue TTL"; Azure Service Bus,
 * "Message expiration", section "Idleness".
 */
public final class QueueLease {
  private LeaseSettings settings;

  /** The uses that count, a bit for each: queues are many, and publishing may be one. */
  private int counting;

  /** The uses that go on, likewise. */
  private int lasting;

  /** Whether one of those counts. */
  private boolean inUse;

  private long lastUseMillis;
  private long endMillis;

  /**
   * Creates a lease that starts now.
   *
   * @param settings what it is
   * @param nowMillis the current time
   */
  public QueueLease(LeaseSettings settings, long nowMillis) {
    adopt(settings);
    renew(nowMillis);
  }

  private void adopt(LeaseSettings changed) {
    settings = changed;
    counting = 0;
    changed.uses().forEach(use -> counting |= use.bit);
    look();
  }

  private void look() {
    inUse = (lasting & counting) != 0;
  }

  private boolean counts(LeaseUse use) {
    return (counting & use.bit) != 0;
  }

  /** The queue was used so. */
  public void used(LeaseUse use, long nowMillis) {
    if (counts(use)) {
      renew(nowMillis);
    }
  }

  /** A use begins that lasts until {@link #ends}; one of the kind at a time. */
  public void begins(LeaseUse use) {
    lasting |= use.bit;
    look();
  }

  /** A use that lasted ends: if it counts, the lease starts anew. */
  public void ends(LeaseUse use, long nowMillis) {
    lasting &= ~use.bit;
    look();
    used(use, nowMillis);
  }

  /** The queue stays for another period though nobody used it. */
  public void renew(long nowMillis) {
    lastUseMillis = nowMillis;
    endMillis = Deadlines.after(nowMillis, settings.expiresMillis());
  }

  /**
   * Another period counts, from the last use of the queue on, which may have been longer ago; or
   * other uses do, from now on.
   */
  public void change(LeaseSettings changed, long nowMillis) {
    boolean wasInUse = inUse;
    adopt(changed);
    if (wasInUse || counts(LeaseUse.POLICY)) {
      lastUseMillis = nowMillis;
    }
    endMillis = Deadlines.after(lastUseMillis, changed.expiresMillis());
  }

  /** When it would end with other settings, as {@link #endMillis} tells it. */
  public long endWith(LeaseSettings changed, long nowMillis) {
    QueueLease other = new QueueLease(settings, lastUseMillis);
    other.lasting = lasting;
    other.look();
    other.change(changed, nowMillis);
    return other.endMillis();
  }

  /**
   * When the lease ends if nothing happens, in ms since the epoch; {@link Deadlines#NEVER} while
   * the queue is in use, or if it has no lease.
   */
  public long endMillis() {
    return inUse ? Deadlines.NEVER : endMillis;
  }
}
