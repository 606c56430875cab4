package io.mayflymq.core.routing;

import io.mayflymq.core.queue.IdleLease;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The destinations that one exchange selected, each once.
 *
 * @param nodes the queues, to be merged with those of other exchanges
 * @param exchanges the names of exchanges to continue with
 * @param route the same queues as a route, to be used if there are no other destinations
 * @param leases the leases of the bindings that lead to them
 */
record Targets<Q>(
    List<QueueNode<Q>> nodes, List<String> exchanges, Route<Q> route, Set<IdleLease> leases) {
  private static final Targets<Object> NONE =
      new Targets<>(List.of(), List.of(), Route.none(), Set.of());

  /** No destination. */
  @SuppressWarnings("unchecked") // it holds no Q
  public static <Q> Targets<Q> none() {
    return (Targets<Q>) NONE;
  }

  /** The destinations of these bindings, each once. */
  public static <Q> Targets<Q> of(Collection<? extends Target<Q>> targets) {
    if (targets.size() == 1 && targets.iterator().next() instanceof QueueNode<Q> queue) {
      return new Targets<>(List.of(queue), List.of(), queue.route(), Set.of());
    }
    Set<QueueNode<Q>> queues = new LinkedHashSet<>();
    Set<String> exchanges = new LinkedHashSet<>();
    Set<IdleLease> leases = new LinkedHashSet<>();
    for (Target<Q> each : targets) {
      Target<Q> target = each;
      if (each instanceof LeasedTarget<Q> leased) {
        leases.add(leased.lease());
        target = leased.target();
      }
      if (target instanceof QueueNode<Q> queue) {
        queues.add(queue);
      } else if (target instanceof ExchangeTarget<Q> exchange) {
        exchanges.add(exchange.name());
      }
    }
    return of(queues, exchanges, leases);
  }

  /** The destinations in any of these, each once. */
  public static <Q> Targets<Q> union(List<Targets<Q>> parts) {
    if (parts.size() <= 1) {
      return parts.isEmpty() ? none() : parts.get(0);
    }
    Set<QueueNode<Q>> queues = new LinkedHashSet<>();
    Set<String> exchanges = new LinkedHashSet<>();
    Set<IdleLease> leases = new LinkedHashSet<>();
    for (Targets<Q> part : parts) {
      queues.addAll(part.nodes);
      exchanges.addAll(part.exchanges);
      leases.addAll(part.leases);
    }
    return of(queues, exchanges, leases);
  }

  private static <Q> Targets<Q> of(
      Set<QueueNode<Q>> queues, Set<String> exchanges, Set<IdleLease> leases) {
    return new Targets<>(
        List.copyOf(queues), List.copyOf(exchanges), Route.of(queues).using(leases), leases);
  }

  public boolean isEmpty() {
    return nodes.isEmpty() && exchanges.isEmpty();
  }
}
