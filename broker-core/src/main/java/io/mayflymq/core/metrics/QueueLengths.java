package io.mayflymq.core.metrics;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How many messages a queue has by its counters, or several queues by their sums: those that came
 * without those that went. It works for rates, too.
 */
public final class QueueLengths {
  /** Messages that left their queue without being unacknowledged. */
  private static final List<Counter> LEFT_UNSEEN =
      List.of(
          Counter.DELIVERED_NO_ACK,
          Counter.GOT_NO_ACK,
          Counter.EXPIRED,
          Counter.MAXLEN,
          Counter.PURGED,
          Counter.MOVED,
          Counter.REDRIVEN,
          Counter.LEFT);

  private QueueLengths() {}

  /** Returns how many messages there are. */
  public static double all(ToDoubleFunction<Counter> counts) {
    return sum(counts, List.of(Counter.PUBLISHED, Counter.ARRIVED))
        - settled(counts)
        - sum(counts, LEFT_UNSEEN);
  }

  /** Returns how many of them were delivered and are not settled. */
  public static double unacked(ToDoubleFunction<Counter> counts) {
    return sum(counts, List.of(Counter.DELIVERED, Counter.GOT))
        - settled(counts)
        - sum(counts, List.of(Counter.REQUEUED, Counter.LEFT_UNACKED));
  }

  private static double settled(ToDoubleFunction<Counter> counts) {
    return sum(counts, List.of(Counter.ACKED, Counter.REJECTED, Counter.DELIVERY_LIMIT));
  }

  private static double sum(ToDoubleFunction<Counter> counts, List<Counter> counters) {
    return counters.stream().mapToDouble(counts).sum();
  }
}
