package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.Removal;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What is to be written of a change of exchanges, queues and bindings: what of it is durable.
 *
 * @param vhost the name of the virtual host
 * @param keepsAll whether everything is written: in a cluster what is not durable is there as long
 *     as its node, not as long as this process
 */
record TopologyCommands(String vhost, BooleanSupplier keepsAll) {
  private boolean isKept(boolean durable) {
    return durable || keepsAll.getAsBoolean();
  }

  List<MetadataCommand> declared(ExchangeDefinition exchange) {
    return isKept(exchange.durable())
        ? List.of(new MetadataCommand.ExchangeDeclared(vhost, exchange))
        : List.of();
  }

  List<MetadataCommand> declared(QueueDeclared queue) {
    return isKept(queue.queue().durable()) ? List.of(queue) : List.of();
  }

  /**
   * @param table where the binding and both its ends are
   */
  List<MetadataCommand> bound(RoutingTable<Queue> table, Binding binding) {
    return isKept(isDurable(table, binding))
        ? List.of(new MetadataCommand.Bound(vhost, binding))
        : List.of();
  }

  /**
   * @param table the one before
   */
  List<MetadataCommand> removed(RoutingTable<Queue> table, Removal<Queue> removal) {
    List<MetadataCommand> commands = new ArrayList<>();
    for (Binding binding : removal.deletedBindings()) {
      if (isKept(isDurable(table, binding))) {
        commands.add(new MetadataCommand.Unbound(vhost, binding));
      }
    }
    for (ExchangeDefinition exchange : removal.deletedExchanges()) {
      if (isKept(exchange.durable())) {
        commands.add(new MetadataCommand.ExchangeDeleted(vhost, exchange.name()));
      }
    }
    return commands;
  }

  /** The same for a queue that goes, with what goes along. */
  List<MetadataCommand> deleted(RoutingTable<Queue> table, Queue queue, Removal<Queue> removal) {
    List<MetadataCommand> commands = removed(table, removal);
    if (isKept(queue.definition().durable())) {
      commands.add(new MetadataCommand.QueueDeleted(vhost, queue.name()));
    }
    return commands;
  }

  private static boolean isDurable(RoutingTable<Queue> table, Binding binding) {
    ExchangeDefinition source = table.exchange(binding.source());
    if (source == null || !source.durable()) {
      return false;
    }
    if (binding.destinationKind() == DestinationKind.EXCHANGE) {
      ExchangeDefinition destination = table.exchange(binding.destination());
      return destination != null && destination.durable();
    }
    Queue queue = table.queue(binding.destination());
    return queue != null && queue.definition().durable();
  }
}
