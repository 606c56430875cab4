package io.mayflymq.server.channel;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.TimeoutAction;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.LongPairHeap;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import java.util.function.LongConsumer;

/**
 * The locks of deliveries from queues whose consumer-timeout does not close the channel: each
 * delivery has a lock that ends on its own, to the millisecond. The end is fixed at the delivery; a
 * changed policy applies to later deliveries.
 *
 * <p>There is one timer, for the earliest end. Entries of settled deliveries are not removed at
 * once: they are skipped when they come first, and all removed when they outnumber the others.
 *
 * <p>Source: Azure Service Bus, "Message transfers, locks, and settlement".
 */
final class DeliveryTimeouts extends Timer {
  private static final int FEW = 64;

  private final UnackedDeliveries unacked;
  private final Shard home;
  private final long defaultMillis;
  private final LongConsumer onEnd;
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

  private void sweep() {
    LongPairHeap living = new LongPairHeap(unacked::contains);
    while (!ends.isEmpty()) {
      long end = ends.peekDeadline();
      long tag = ends.poll();
      if (unacked.contains(tag)) {
        living.add(end, tag);
      }
    }
    ends = living;
  }

  @Override
  protected long effectMillis() {
    dropSettled();
    return ends.isEmpty() ? Long.MAX_VALUE : ends.peekDeadline() + home.skippedMillis();
  }

  @Override
  protected void fire(long atMillis) {
    long nowMillis = home.steadyNow();
    while (ends.peekDeadline() <= nowMillis) {
      long tag = ends.poll();
      if (unacked.contains(tag)) {
        onEnd.accept(tag);
      }
    }
    dropSettled();
    if (!ends.isEmpty()) {
      home.scheduleSteady(this, ends.peekDeadline());
    }
  }

  private void dropSettled() {
    while (!ends.isEmpty() && !unacked.contains(ends.peekSequence())) {
      ends.poll();
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
  }
}
