package io.mayflymq.core.routing;

import io.mayflymq.core.routing.route.QueueNode;
import io.vavr.collection.HashMap;

/** The exchanges and queues of a table by their names, without the default exchange. Immutable. */
record Nodes<Q>(HashMap<String, ExchangeNode<Q>> exchanges, HashMap<String, QueueNode<Q>> queues) {
  static <Q> Nodes<Q> empty() {
    return new Nodes<>(HashMap.empty(), HashMap.empty());
  }

  /** The exchange of this name, or null. */
  ExchangeNode<Q> exchange(String name) {
    return exchanges.getOrElse(name, null);
  }

  /** The queue of this name, or null. */
  QueueNode<Q> queue(String name) {
    return queues.getOrElse(name, null);
  }

  Nodes<Q> with(ExchangeNode<Q> exchange) {
    return new Nodes<>(exchanges.put(exchange.definition().name(), exchange), queues);
  }

  Nodes<Q> with(QueueNode<Q> queue) {
    return new Nodes<>(exchanges, queues.put(queue.name(), queue));
  }

  Nodes<Q> withoutExchange(String name) {
    return new Nodes<>(exchanges.remove(name), queues);
  }

  Nodes<Q> withoutQueue(String name) {
    return new Nodes<>(exchanges, queues.remove(name));
  }
}
