package io.mayflymq.core.queue;

import io.mayflymq.core.policy.LeaseSettings;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.queue.index.Deadlines;

/**
 * How long a queue may stay unused ({@code x-expires}), and what counts as use. Some uses are
 * momentary, others last: while the queue has consumers, or scheduled messages, the lease does not
 * run, if these uses count.
 *
 * <p>Renewing is one assignment: when the timer that was set for the old end fires, it is set again
 * for the new end.
 *
 * <p>Source: RabbitMQ, "Time-To-Live and Expiration", section "Queue TTL"; Azure Service Bus,
 * "Message expiration", section "Idleness".
 */
final class QueueLease {
  /** Is told when the lease moves. */
  @FunctionalInterface
  public interface Watch {
    /**
     * The queue was used, or the lease was moved for another reason.
     *
     * @param lastUseMillis when the queue was last used; {@link Deadlines#NEVER} while a lasting
     *     use counts
     * @param periodMillis the period of the lease
     */
    void leaseMoved(long lastUseMillis, long periodMillis);
  }

  private static final long UNKNOWN = Long.MIN_VALUE;

  private LeaseSettings settings;

  /** Null if nothing is told. */
  private Watch watch;

  /** The uses that count, one bit each, as there are many queues and each publish may be a use. */
  private int counting;

  /** The lasting uses that are in progress, one bit each. */
  private int lasting;

  /** Whether one of the lasting uses counts. */
  private boolean inUse;

  private long lastUseMillis;
  private long endMillis;

  /** How much time was skipped, as far as that was told. */
  private long skippedMillis = UNKNOWN;

  /**
   * Creates a lease that starts now.
   *
   * @param settings the settings of the lease
   * @param nowMillis the current time
   */
  public QueueLease(LeaseSettings settings, long nowMillis) {
    adopt(settings);
    renew(nowMillis);
  }

  /** Sets what is told of the lease, as long as there is one: once. */
  public void watch(Watch watching) {
    watch = watching;
  }

  private void tell() {
    if (watch != null && settings.expiresMillis() > 0) {
      watch.leaseMoved(inUse ? Deadlines.NEVER : lastUseMillis, settings.expiresMillis());
    }
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

  /** Records a use of the queue. */
  public void used(LeaseUse use, long nowMillis) {
    if (counts(use)) {
      renew(nowMillis);
    }
  }

  /** Begins a use that lasts until {@link #ends}; only one of the same kind at a time. */
  public void begins(LeaseUse use) {
    lasting |= use.bit;
    look();
    tell();
  }

  /** Ends a lasting use: if it counts, the lease starts again. */
  public void ends(LeaseUse use, long nowMillis) {
    lasting &= ~use.bit;
    look();
    used(use, nowMillis);
  }

  /**
   * The clock was set ahead: the lease goes on for as long as if it had not been.
   *
   * @param totalMillis by how much, in all; what the first call says is the state when the lease
   *     began
   */
  public void skipped(long totalMillis) {
    long step = skippedMillis == UNKNOWN ? 0 : totalMillis - skippedMillis;
    skippedMillis = totalMillis;
    if (step != 0) {
      lastUseMillis += step;
      endMillis = Deadlines.after(lastUseMillis, settings.expiresMillis());
      tell();
    }
  }

  /** Renews the lease although the queue was not used. */
  public void renew(long nowMillis) {
    lastUseMillis = nowMillis;
    endMillis = Deadlines.after(nowMillis, settings.expiresMillis());
    tell();
  }

  /**
   * Returns when the queue was last used, in ms since the epoch: now while a lasting use counts.
   */
  public long lastUseMillis(long nowMillis) {
    return inUse ? nowMillis : lastUseMillis;
  }

  /**
   * Applies new settings: another period counts from the last use of the queue, which may have been
   * longer ago; other kinds of use count from now on.
   */
  public void change(LeaseSettings changed, long nowMillis) {
    boolean wasInUse = inUse;
    adopt(changed);
    if (wasInUse || counts(LeaseUse.POLICY)) {
      lastUseMillis = nowMillis;
    }
    endMillis = Deadlines.after(lastUseMillis, changed.expiresMillis());
    tell();
  }

  /**
   * Returns when the lease would end with other settings, in the form that {@link #endMillis}
   * returns.
   */
  public long endWith(LeaseSettings changed, long nowMillis) {
    QueueLease other = new QueueLease(settings, lastUseMillis);
    other.lasting = lasting;
    other.look();
    other.change(changed, nowMillis);
    return other.endMillis();
  }

  /**
   * Returns when the lease ends if the queue stays unused, in ms since the epoch; {@link
   * Deadlines#NEVER} while a lasting use counts, or without a lease.
   */
  public long endMillis() {
    return inUse ? Deadlines.NEVER : endMillis;
  }
}
