package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.ExchangeDeleted;
import io.mayflymq.core.metadata.MetadataCommand.ExchangeUnused;
import io.mayflymq.core.metadata.MetadataCommand.Unbound;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.MetadataSize;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The exchanges and bindings of a virtual host: how they are declared and deleted. Each request is
 * made under the lock, through {@link VhostState#ask}.
 */
final class VhostExchanges {
  private final VhostState state;
  private final VhostChanges changes;
  private final IdleLeases idle;

  VhostExchanges(VhostState state, VhostChanges changes, IdleLeases idle) {
    this.state = state;
    this.changes = changes;
    this.idle = idle;
  }

  private RoutingTable<Queue> routing() {
    return state.routing();
  }

  // Exchanges

  ExchangeDefinition required(RoutingTable<Queue> table, String exchange) {
    ExchangeDefinition found = table.exchange(exchange);
    if (found == null) {
      throw state.errors().noExchange(exchange);
    }
    return found;
  }

  /** See {@link VirtualHost#exchangeStatus}. Any thread may call. */
  CompletableFuture<Void> status(String exchange) {
    if (routing().exchange(exchange) != null) {
      return VhostState.done();
    }
    return state.ask(
        () -> {
          required(routing(), exchange);
          return VhostState.done();
        });
  }

  /** See {@link VirtualHost#declareExchange}. */
  CompletableFuture<Void> declare(ExchangeDefinition wanted, Object connection) {
    Topology topology = state.proposed();
    state.requireAlive(topology);
    ExchangeDefinition present = topology.routing().exchange(wanted.name());
    if (present != null) {
      if (!isInForce(present)) {
        return state.askLater(() -> declare(wanted, connection));
      }
      Redeclaration.check(state.name(), wanted, present);
      idle.used(wanted.name());
      return VhostState.done();
    }
    DeclarationRules.check(wanted, state.name());
    state
        .errors()
        .requireRoomForExchange(
            state.definition().limits(), topology.routing().exchangeCount(), wanted.name());
    state.requireRoomForExchange(topology, wanted.name());
    state.requireRoom(
        topology, "cannot declare exchange '" + wanted.name() + "'", MetadataSize.of(wanted));
    return changes.request(
        new MetadataCommand.ExchangeDeclared(state.name(), wanted), ChangeOrigin.of(connection));
  }

  /** One that is being deleted and declared anew is another one, though it is equal. */
  @SuppressWarnings("ReferenceEquality")
  private boolean isInForce(ExchangeDefinition proposed) {
    return routing().exchange(proposed.name()) == proposed;
  }

  /** See {@link VirtualHost#deleteExchange}. */
  CompletableFuture<Void> delete(String exchange, boolean ifUnused, Object connection) {
    RoutingTable<Queue> table = state.proposed().routing();
    if (table.exchange(exchange) == null) {
      return routing().exchange(exchange) == null
          ? VhostState.done()
          : state.askLater(() -> delete(exchange, ifUnused, connection));
    }
    if (ifUnused && !table.bindingsFrom(exchange).isEmpty()) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "exchange '%s' in vhost '%s' in use".formatted(exchange, state.name()));
    }
    ExchangeDeleted deleted = new ExchangeDeleted(state.name(), exchange);
    return changes.request(
        ifUnused ? List.of(new ExchangeUnused(state.name(), exchange), deleted) : List.of(deleted),
        ChangeOrigin.of(connection));
  }

  // Bindings

  /** See {@link VirtualHost#bind}. */
  CompletableFuture<Void> bind(Binding binding, Object connection) {
    Topology topology = state.proposed();
    RoutingTable<Queue> table = topology.routing();
    state.requireAlive(topology);
    requireEnds(table, binding, connection);
    required(table, binding.source()).routingType().validate(binding);
    if (table.contains(binding)) {
      if (!routing().contains(binding)) {
        return state.askLater(() -> bind(binding, connection));
      }
      idle.used(binding);
      return VhostState.done();
    }
    DeclarationRules.expiresOf(binding, state.name());
    String what =
        "cannot bind "
            + binding.destinationKind()
            + " '"
            + binding.destination()
            + "' to exchange '"
            + binding.source()
            + "'";
    state.errors().requireRoomForBinding(state.definition().limits(), table.bindingCount(), what);
    state.requireRoom(topology, what, MetadataSize.of(binding));
    return changes.request(
        new MetadataCommand.Bound(state.name(), binding), ChangeOrigin.of(connection));
  }

  /** See {@link VirtualHost#unbind}. */
  CompletableFuture<Void> unbind(Binding binding, Object connection) {
    RoutingTable<Queue> table = state.proposed().routing();
    if (!table.contains(binding)) {
      return routing().contains(binding)
          ? state.askLater(() -> unbind(binding, connection))
          : VhostState.done();
    }
    if (binding.destinationKind() == DestinationKind.QUEUE) {
      state.usable(table, binding.destination(), connection);
    }
    return changes.request(new Unbound(state.name(), binding), ChangeOrigin.of(connection));
  }

  private void requireEnds(RoutingTable<Queue> table, Binding binding, Object connection) {
    required(table, binding.source());
    if (binding.destinationKind() == DestinationKind.QUEUE) {
      if (ReplyConsumers.isReplyName(binding.destination())) {
        throw new ChannelException(
            ReplyCode.ACCESS_REFUSED,
            "cannot bind or unbind to a volatile (direct reply-to) queue");
      }
      state.usable(table, binding.destination(), connection);
    } else {
      required(table, binding.destination());
    }
  }

  /**
   * An exchange was not used for too long. Within the lock.
   *
   * @return done when it has gone, or is about to; fails if that could not be made durable, and it
   *     is still there
   */
  CompletableFuture<Void> expire(String exchange) {
    return state.proposed().routing().exchange(exchange) == null
        ? VhostState.done()
        : changes.request(new ExchangeDeleted(state.name(), exchange), ChangeOrigin.EXPIRY);
  }

  /** The same for a binding. */
  CompletableFuture<Void> expire(Binding binding) {
    return state.proposed().routing().contains(binding)
        ? changes.request(new Unbound(state.name(), binding), ChangeOrigin.EXPIRY)
        : VhostState.done();
  }
}
