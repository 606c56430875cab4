package io.mayflymq.server.channel;

import static io.mayflymq.core.policy.TimeoutAction.CANCEL;
import static io.mayflymq.core.policy.TimeoutAction.DEAD_LETTER;
import static io.mayflymq.core.policy.TimeoutAction.REQUEUE;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.TimeoutAction;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.LongPairHeap;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import java.util.HashMap;
import java.util.Map;

/**
 * The locks of deliveries from queues whose consumer-timeout does not close the channel: each
 * delivery has a lock that ends on its own, to the millisecond. The end is fixed at the delivery; a
 * changed policy applies to later deliveries. A client may renew a lock, and then it ends later.
 *
 * <p>There is one timer, for the earliest end. Entries of settled deliveries are not removed at
 * once: they are skipped when they come first, and all removed when they outnumber the others. A
 * renewed lock gets its later end when its earlier one comes first.
 *
 * <p>Source: Azure Service Bus, "Message transfers, locks, and settlement".
 */
final class DeliveryTimeouts extends Timer {
  private static final int FEW = 64;

  private final UnackedDeliveries unacked;
  private final Shard home;
  private final long defaultMillis;
  private static final int ACTION_BITS = 2;
  private static final int ACTION_MASK = (1 << ACTION_BITS) - 1;

  private final OnEnd onEnd;
  private final Map<Long, Long> renewed = new HashMap<>(0);
  private LongPairHeap ends;

  /**
   * Creates the timeouts of a channel.
   *
   * @param defaultMillis the timeout for queues that have none of their own, 0 for none
   * @param onEnd called for each delivery whose lock has ended, on the connection's loop; it must
   *     remove the delivery from the unacknowledged ones
   */
  DeliveryTimeouts(UnackedDeliveries unacked, Shard home, long defaultMillis, OnEnd onEnd) {
    this.unacked = unacked;
    this.home = home;
    this.defaultMillis = defaultMillis;
    this.onEnd = onEnd;
    this.ends = new LongPairHeap(this::isHeld);
  }

  /** What is done when the lock of a delivery has ended. */
  @FunctionalInterface
  interface OnEnd {
    /**
     * Ends a delivery.
     *
     * @param action that of the queue now; if the queue has no timeout of its own any more, that of
     *     the time when the message was delivered, as its lock is one of that time
     */
    void ended(long tag, TimeoutAction action);
  }

  // An entry is a tag with the action of its lock.

  private static long entry(long tag, TimeoutAction action) {
    return tag << ACTION_BITS | (action == CANCEL ? 0 : action == REQUEUE ? 1 : 2);
  }

  private static long tag(long entry) {
    return entry >>> ACTION_BITS;
  }

  private static TimeoutAction action(long entry) {
    return switch ((int) entry & ACTION_MASK) {
      case 0 -> CANCEL;
      case 1 -> REQUEUE;
      default -> DEAD_LETTER;
    };
  }

  private boolean isHeld(long entry) {
    return unacked.contains(tag(entry));
  }

  /** Adds a delivery that must be acknowledged. */
  void delivered(DeliverySource source, long tag) {
    TimeoutAction action = source.timeoutAction();
    if (action == TimeoutAction.CLOSE_CHANNEL || action == TimeoutAction.NONE) {
      return;
    }
    long millis = ConsumerTimeout.orDefault(source.timeoutMillis(), defaultMillis);
    if (millis == QueueSettings.NONE) {
      return;
    }
    if (ends.size() > 2 * unacked.count() + FEW) {
      sweep();
    }
    long end = Deadlines.after(home.steadyNow(), millis);
    boolean isFirst = end < ends.peekDeadline();
    ends.add(end, entry(tag, action));
    if (isFirst) {
      home.scheduleSteady(this, end);
    }
  }

  /**
   * Lets the lock of a delivery that is unacknowledged end later. It never ends earlier than it
   * would without.
   *
   * @param mostMillis for how long at most, in ms from now; else for as long as a delivery of this
   *     moment would be locked
   */
  void renew(DeliverySource source, long tag, long mostMillis) {
    if (ends.isEmpty()) {
      return; // No delivery has a lock.
    }
    if (renewed.size() > 2 * unacked.count() + FEW) {
      renewed.keySet().removeIf(each -> !unacked.contains(each));
    }
    long millis = ConsumerTimeout.orDefault(source.timeoutMillis(), defaultMillis);
    long end =
        millis == QueueSettings.NONE
            ? Deadlines.NEVER
            : Deadlines.after(home.steadyNow(), Math.min(millis, mostMillis));
    renewed.merge(tag, end, Math::max);
  }

  private void sweep() {
    LongPairHeap living = new LongPairHeap(this::isHeld);
    while (!ends.isEmpty()) {
      long end = ends.peekDeadline();
      long entry = ends.poll();
      if (isHeld(entry)) {
        living.add(end, entry);
      } else {
        renewed.remove(tag(entry));
      }
    }
    ends = living;
  }

  @Override
  protected long effectMillis() {
    lookAtFirst();
    return ends.isEmpty() ? Long.MAX_VALUE : ends.peekDeadline() + home.skippedMillis();
  }

  @Override
  protected void fire(long atMillis) {
    long nowMillis = home.steadyNow();
    lookAtFirst();
    while (ends.peekDeadline() <= nowMillis) {
      end(ends.poll());
      lookAtFirst();
    }
    if (!ends.isEmpty()) {
      home.scheduleSteady(this, ends.peekDeadline());
    }
  }

  private void end(long entry) {
    DeliverySource source = unacked.source(tag(entry));
    boolean hasTimeout = source.timeoutMillis() != QueueSettings.NONE;
    onEnd.ended(tag(entry), hasTimeout ? source.timeoutAction() : action(entry));
  }

  /** Makes the first entry that of a lock which ends then: not settled, and not renewed. */
  private void lookAtFirst() {
    while (!ends.isEmpty()) {
      long entry = ends.peekSequence();
      long tag = tag(entry);
      Long later = renewed.remove(tag);
      if (unacked.contains(tag) && (later == null || later <= ends.peekDeadline())) {
        return;
      }
      ends.poll();
      if (unacked.contains(tag) && later != Deadlines.NEVER) {
        ends.add(later, entry);
      }
    }
  }

  /** Returns the number of entries, those of settled deliveries included. */
  int size() {
    return ends.size();
  }

  /** Stops; called when the channel ends. */
  void stop() {
    home.timers().cancel(this);
    ends.clear();
    renewed.clear();
  }
}
