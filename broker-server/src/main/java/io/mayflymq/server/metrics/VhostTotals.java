package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.VhostMetrics;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * The counts of all virtual hosts together.
 *
 * <p>A counter of Prometheus must not shrink, as a smaller value is taken for a restart of the
 * broker. So the last counts of a virtual host that was seen once remain in the sums when it is
 * deleted.
 */
final class VhostTotals {
  /**
   * The sums.
   *
   * @param channels publishes
   * @param queues everything that queues count
   * @param types the same by the type of queue
   * @param exchanges routed messages
   * @param connections bytes and packets
   */
  record Sums(
      CountSum channels,
      CountSum queues,
      Map<QueueType, CountSum> types,
      CountSum exchanges,
      CountSum connections) {
    /** Creates sums that are 0. */
    Sums() {
      this(
          new CountSum(),
          new CountSum(),
          new EnumMap<>(QueueType.class),
          new CountSum(),
          new CountSum());
      for (QueueType type : QueueType.values()) {
        types.put(type, new CountSum());
      }
    }

    private void add(VhostMetrics vhost) {
      channels.add(vhost.channels().snapshot()::get);
      List<ToLongFunction<Counter>> ofKinds = vhost.queues().totals();
      types.forEach(
          (type, sum) -> {
            ToLongFunction<Counter> ofType = ofKinds.get(VhostMetrics.kindOf(type));
            sum.add(ofType);
            queues.add(ofType);
          });
      exchanges.add(vhost.exchanges()::total);
      connections.add(vhost.connections().snapshot()::get);
    }

    private void add(Sums others) {
      channels.add(others.channels::get);
      queues.add(others.queues::get);
      types.forEach((type, sum) -> sum.add(others.types.get(type)::get));
      exchanges.add(others.exchanges::get);
      connections.add(others.connections::get);
    }
  }

  private final Set<VirtualHost> seen = new LinkedHashSet<>();
  private final Sums departed = new Sums();

  /** Returns the present sums. Any thread may call. */
  synchronized Sums of(Collection<VirtualHost> vhosts) {
    Set<VirtualHost> present = Set.copyOf(vhosts);
    for (Iterator<VirtualHost> each = seen.iterator(); each.hasNext(); ) {
      VirtualHost vhost = each.next();
      if (!present.contains(vhost)) {
        departed.add(vhost.metrics());
        each.remove();
      }
    }
    seen.addAll(vhosts);
    Sums sums = new Sums();
    sums.add(departed);
    vhosts.forEach(vhost -> sums.add(vhost.metrics()));
    return sums;
  }
}
