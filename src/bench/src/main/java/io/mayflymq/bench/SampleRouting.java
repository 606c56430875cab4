package io.mayflymq.bench;

import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.protocol.types.FieldTable;

/** Builds a routing table with one exchange. A queue is its own name. */
final class SampleRouting {
  static final String EXCHANGE = "orders";

  private RoutingTable<String> table;

  SampleRouting(ExchangeType type) {
    table = RoutingTable.<String>empty().withExchange(ExchangeDefinition.durable(EXCHANGE, type));
  }

  void bind(String queue, String key) {
    bind(queue, key, FieldTable.EMPTY);
  }

  void bind(String queue, String key, FieldTable arguments) {
    if (table.queue(queue) == null) {
      table = table.withQueue(queue, queue, 0);
    }
    table = table.withBinding(new Binding(EXCHANGE, DestinationKind.QUEUE, queue, key, arguments));
  }

  RoutingTable<String> table() {
    return table;
  }
}
