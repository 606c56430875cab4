package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerOrigin;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.QueueLifecycle;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.List;

/**
 * The consumers that join a queue anew after it has moved. Belongs to the queue's shard.
 *
 * <p>Consumers join a queue that has moved one by one, from several nodes, in any order. Where
 * their order counts, as with a single active consumer or an exclusive one, those that come are
 * collected until all have come that the queue had at its old place, or some time is over. Then
 * they join in the old order, and others behind them.
 */
final class RejoiningConsumers implements QueueLifecycle.Arrivals {
  /** Those that have not come after this time do not come. */
  private static final long LONGEST_MILLIS = 2_000;

  /**
   * A consumer of the old place.
   *
   * @param tag its tag
   * @param origin its channel
   */
  record Member(ShortString tag, ConsumerOrigin origin) {
    static Member of(Consumer consumer) {
      return new Member(consumer.tag(), consumer.outlet().origin());
    }
  }

  private record Arrival(Consumer consumer, Runnable join) {}

  private final List<Member> expected;
  private final Arrival[] arrived;
  private final List<Arrival> others = new ArrayList<>();
  private int missing;

  /**
   * Begins to wait for consumers.
   *
   * @param expected those of the old place, in their order
   */
  RejoiningConsumers(List<Member> expected, Shard shard) {
    this.expected = List.copyOf(expected);
    this.arrived = new Arrival[expected.size()];
    this.missing = expected.size();
    if (missing > 0) {
      shard.loop().schedule(() -> shard.run(this::end), LONGEST_MILLIS);
    }
  }

  /** Whether all have joined that are waited for. */
  @Override
  public boolean isOver() {
    return missing == 0;
  }

  @Override
  public void come(Consumer consumer, Runnable join) {
    Arrival arrival = new Arrival(consumer, join);
    int place = expected.indexOf(Member.of(consumer));
    if (place < 0 || arrived[place] != null) {
      others.add(arrival);
      return;
    }
    arrived[place] = arrival;
    missing--;
    if (missing == 0) {
      joinAll();
    }
  }

  @Override
  public boolean leave(Consumer consumer) {
    if (others.removeIf(arrival -> arrival.consumer == consumer)) {
      return true;
    }
    for (int i = 0; i < arrived.length; i++) {
      if (arrived[i] != null && arrived[i].consumer == consumer && missing > 0) {
        arrived[i] = new Arrival(null, () -> {});
        return true;
      }
    }
    return false;
  }

  private void end() {
    if (missing > 0) {
      missing = 0;
      joinAll();
    }
  }

  private void joinAll() {
    for (Arrival arrival : arrived) {
      if (arrival != null) {
        arrival.join.run();
      }
    }
    others.forEach(arrival -> arrival.join.run());
    others.clear();
  }
}
