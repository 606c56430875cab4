package io.mayflymq.server.channel;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.TimeoutAction;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.LongPairHeap;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;

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
  private final LongConsumer onEnd;
  private final Map<Long, Long> renewed = new HashMap<>(0);
  private LongPairHeap ends;

  /**
   * Creates the timeouts of a channel.
   *
   * @param defaultMillis the timeout for queues that have none of their own, 0 for none
   * @param onEnd called with the tag of each delivery whose lock has ended, on the connection's
   *     loop; it must remove the delivery from the unacknowledged ones
   */
  DeliveryTimeouts(UnackedDeliveries unacked, Shard home, long defaultMillis, LongConsumer onEnd) {
    this.unacked = unacked;
    this.home = home;
    this.defaultMillis = defaultMillis;
    this.onEnd = onEnd;
    this.ends = new LongPairHeap(unacked::contains);
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
    ends.add(end, tag);
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
    LongPairHeap living = new LongPairHeap(unacked::contains);
    while (!ends.isEmpty()) {
      long end = ends.peekDeadline();
      long tag = ends.poll();
      if (unacked.contains(tag)) {
        living.add(end, tag);
      } else {
        renewed.remove(tag);
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
      onEnd.accept(ends.poll());
      lookAtFirst();
    }
    if (!ends.isEmpty()) {
      home.scheduleSteady(this, ends.peekDeadline());
    }
  }

  /** Makes the first entry that of a lock which ends then: not settled, and not renewed. */
  private void lookAtFirst() {
    while (!ends.isEmpty()) {
      long tag = ends.peekSequence();
      Long later = renewed.remove(tag);
      if (unacked.contains(tag) && (later == null || later <= ends.peekDeadline())) {
        return;
      }
      ends.poll();
      if (unacked.contains(tag) && later != Deadlines.NEVER) {
        ends.add(later, tag);
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
