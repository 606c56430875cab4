package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.Removal;
import io.mayflymq.core.routing.RoutingTable;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps what of the exchanges, queues and bindings of a virtual host is durable. What comes back is
 * done when that is safe. Called under the lock of the virtual host.
 */
final class TopologyLog {
  private final String vhost;
  private final MetadataLog metadata;

  TopologyLog(String vhost, MetadataLog metadata) {
    this.vhost = vhost;
    this.metadata = metadata;
  }

  CompletableFuture<Void> declared(ExchangeDefinition exchange) {
    return exchange.durable()
        ? metadata.append(new MetadataCommand.ExchangeDeclared(vhost, exchange))
        : done();
  }

  CompletableFuture<Void> declared(Queue queue) {
    return queue.definition().durable()
        ? metadata.append(
            new MetadataCommand.QueueDeclared(
                vhost, queue.definition(), queue.id(), queue.shard().index()))
        : done();
  }

  /**
   * @param table where the binding and both its ends are
   */
  CompletableFuture<Void> bound(RoutingTable<Queue> table, Binding binding) {
    return isDurable(table, binding)
        ? metadata.append(new MetadataCommand.Bound(vhost, binding))
        : done();
  }

  /**
   * @param table the one before
   */
  CompletableFuture<Void> removed(RoutingTable<Queue> table, Removal<Queue> removal) {
    CompletableFuture<Void> last = done();
    for (Binding binding : removal.deletedBindings()) {
      if (isDurable(table, binding)) {
        last = metadata.append(new MetadataCommand.Unbound(vhost, binding));
      }
    }
    for (ExchangeDefinition exchange : removal.deletedExchanges()) {
      if (exchange.durable()) {
        last = metadata.append(new MetadataCommand.ExchangeDeleted(vhost, exchange.name()));
      }
    }
    return last;
  }

  /**
   * @param bindings done when it is safe that its bindings have gone
   */
  CompletableFuture<Void> deleted(Queue queue, CompletableFuture<Void> bindings) {
    return queue.definition().durable()
        ? metadata.append(new MetadataCommand.QueueDeleted(vhost, queue.name()))
        : bindings;
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

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
