package io.mayflymq.core.routing;

import io.vavr.collection.HashMap;

/** The exchanges and queues of a table by their names, without the default exchange. Immutable. */
record RoutingNodes<Q>(
    HashMap<String, ExchangeNode<Q>> exchanges, HashMap<String, QueueNode<Q>> queues) {
  static <Q> RoutingNodes<Q> empty() {
    return new RoutingNodes<>(HashMap.empty(), HashMap.empty());
  }

  /** The exchange of this name, or null. */
  ExchangeNode<Q> exchange(String name) {
    return exchanges.getOrElse(name, null);
  }

  /** The queue of this name, or null. */
  QueueNode<Q> queue(String name) {
    return queues.getOrElse(name, null);
  }

  RoutingNodes<Q> with(ExchangeNode<Q> exchange) {
    return new RoutingNodes<>(exchanges.put(exchange.definition().name(), exchange), queues);
  }

  RoutingNodes<Q> with(QueueNode<Q> queue) {
    return new RoutingNodes<>(exchanges, queues.put(queue.name(), queue));
  }

  RoutingNodes<Q> withoutExchange(String name) {
    return new RoutingNodes<>(exchanges.remove(name), queues);
  }

  RoutingNodes<Q> withoutQueue(String name) {
    return new RoutingNodes<>(exchanges, queues.remove(name));
  }
}
