package io.mayflymq.core.routing;

import io.mayflymq.core.queue.IdleLease;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Routing over more than one exchange: bindings between exchanges, alternate exchanges, several
 * routing keys.
 *
 * <p>As in RabbitMQ each exchange is visited once however many paths lead to it, which ends cycles.
 * The alternate exchange is used if none of an exchange's own bindings matches any of the keys; it
 * is not used if a binding matches but leads to an exchange where nothing matches.
 *
 * <p>Delayed exchanges are visited last, so an exchange or queue that can also be reached without a
 * delay counts as not delayed.
 */
final class Router<Q> {
  private final RoutingNodes<Q> nodes;
  private final List<String> routingKeys;
  private final MessageProperties properties;
  private final Set<QueueNode<Q>> queues = new LinkedHashSet<>();
  private final Set<String> seen = new HashSet<>();
  private final Deque<String> toVisit = new ArrayDeque<>();
  private final Deque<ExchangeNode<Q>> delayed = new ArrayDeque<>();
  private final List<RecentHistory> histories = new ArrayList<>();
  private final Set<IdleLease> leases = new LinkedHashSet<>();
  private boolean reusable = true;

  Router(RoutingNodes<Q> nodes, List<String> routingKeys, MessageProperties properties) {
    this.nodes = nodes;
    this.routingKeys = routingKeys;
    this.properties = properties;
  }

  Route<Q> route(String exchange) {
    enqueue(exchange);
    return routeOn();
  }

  /** The same from an exchange whose own bindings have been asked already. */
  Route<Q> route(ExchangeNode<Q> exchange, Targets<Q> matched) {
    seen.add(exchange.definition().name());
    follow(exchange, matched);
    return routeOn();
  }

  private Route<Q> routeOn() {
    visitAll();
    int undelayed = queues.size();
    int undelayedHistories = histories.size();
    for (ExchangeNode<Q> node = delayed.poll(); node != null; node = delayed.poll()) {
      follow(node);
      visitAll();
    }
    return Route.of(queues, undelayed, histories, undelayedHistories, reusable).using(leases);
  }

  private void visitAll() {
    for (String name = toVisit.poll(); name != null; name = toVisit.poll()) {
      visit(name);
    }
  }

  private void enqueue(String exchange) {
    if (seen.add(exchange)) {
      toVisit.add(exchange);
    }
  }

  private void visit(String name) {
    if (name.isEmpty()) {
      visitDefault();
      return;
    }
    ExchangeNode<Q> exchange = nodes.exchange(name);
    if (exchange == null) {
      return;
    }
    if (exchange.delays()) {
      delayed.add(exchange);
    } else {
      follow(exchange);
    }
  }

  private void follow(ExchangeNode<Q> exchange) {
    follow(exchange, exchange.index().match(routingKeys, properties));
  }

  private void follow(ExchangeNode<Q> exchange, Targets<Q> targets) {
    reusable &= !exchange.index().variesByMessage();
    if (exchange.index().history() != null) {
      histories.add(exchange.index().history());
    }
    queues.addAll(targets.nodes());
    leases.addAll(targets.leases());
    if (exchange.lease() != null) {
      leases.add(exchange.lease());
    }
    targets.exchanges().forEach(this::enqueue);
    if (targets.isEmpty() && exchange.alternate() != null) {
      enqueue(exchange.alternate());
    }
  }

  private void visitDefault() {
    for (String key : routingKeys) {
      QueueNode<Q> queue = nodes.queue(key);
      if (queue != null) {
        queues.add(queue);
      }
    }
  }
}
