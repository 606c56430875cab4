package io.mayflymq.core.vhost;

import io.mayflymq.core.event.Actor;
import io.mayflymq.core.event.BrokerEvents;
import io.mayflymq.core.event.TopologyEvents;
import io.mayflymq.core.expiry.IdleLease;
import io.mayflymq.core.metrics.VhostMetrics;
import io.mayflymq.core.routing.Removal;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.routing.binding.Binding;
import io.mayflymq.core.routing.binding.DestinationKind;
import io.mayflymq.core.routing.exchange.ExchangeDefinition;
import io.mayflymq.core.vhost.event.InternalPublisher;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The exchanges and bindings of a virtual host: how they are declared and deleted. Each request is
 * made under the lock, through {@link VhostState#ask}.
 */
final class VhostExchanges {
  private final VhostState state;
  private final IdleLeases idle;
  private final VhostMetrics metrics;
  private final TopologyCommands commands;
  private final TopologyEvents events;

  VhostExchanges(VhostState state, IdleLeases idle, VhostMetrics metrics, BrokerEvents events) {
    this.state = state;
    this.idle = idle;
    this.metrics = metrics;
    this.commands = new TopologyCommands(state.name());
    this.events = new TopologyEvents(state.name(), events);
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
    Preconditions.requireUnreserved("exchange", wanted.name());
    wanted.type().validate(wanted.arguments());
    IdleLease lease = idle.leaseOf(wanted, topology.policies());
    return state.propose(
        topology.with(withExchange(topology, wanted, lease)),
        commands.declared(wanted),
        () -> {
          idle.watch(wanted.name(), lease);
          events.created(wanted, Actor.of(connection));
        });
  }

  /** One that is being deleted and declared anew is another one, though it is equal. */
  @SuppressWarnings("ReferenceEquality")
  private boolean isInForce(ExchangeDefinition proposed) {
    return routing().exchange(proposed.name()) == proposed;
  }

  private static RoutingTable<Queue> withExchange(
      Topology topology, ExchangeDefinition exchange, IdleLease lease) {
    RoutingTable<Queue> changed =
        VhostPolicies.add(topology.routing(), exchange, topology.policies());
    return lease == null ? changed : changed.withLease(exchange.name(), lease);
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
    return remove(table.deleteExchange(exchange), connection);
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
    IdleLease lease = idle.leaseOf(table, binding, topology.policies());
    RoutingTable<Queue> changed = withBinding(table, binding, lease);
    return state.propose(
        topology.with(changed),
        commands.bound(changed, binding),
        () -> {
          idle.watch(binding, lease);
          idle.usedEnds(changed, binding);
          InternalPublisher.replay(changed, binding);
          events.created(binding, Actor.of(connection));
        });
  }

  private static RoutingTable<Queue> withBinding(
      RoutingTable<Queue> table, Binding binding, IdleLease lease) {
    RoutingTable<Queue> changed = table.withBinding(binding);
    return lease == null ? changed : changed.withLease(binding, lease);
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
    return remove(table.deleteBinding(binding), connection);
  }

  private void requireEnds(RoutingTable<Queue> table, Binding binding, Object connection) {
    required(table, binding.source());
    if (binding.destinationKind() == DestinationKind.QUEUE) {
      state.usable(table, binding.destination(), connection);
    } else {
      required(table, binding.destination());
    }
  }

  private CompletableFuture<Void> remove(Removal<Queue> removal, Object connection) {
    Topology before = state.proposed();
    return propose(
        removal,
        () ->
            removal.deletedBindings().forEach(binding -> idle.usedEnds(before.routing(), binding)),
        Actor.of(connection));
  }

  private CompletableFuture<Void> propose(Removal<Queue> removal, Runnable first, Actor actor) {
    Topology before = state.proposed();
    return state.propose(
        before.with(removal.table()),
        commands.removed(before.routing(), removal),
        () -> {
          first.run();
          removed(removal, actor);
        });
  }

  /** Exchanges and bindings have gone. Within the lock. */
  void removed(Removal<Queue> removal, Actor actor) {
    for (ExchangeDefinition exchange : removal.deletedExchanges()) {
      metrics.exchanges().forget(exchange.name());
      idle.forget(exchange.name());
    }
    events.removed(removal, actor);
    removal.deletedBindings().forEach(idle::forget);
  }

  /**
   * Something was not used for too long. Within the lock.
   *
   * @return done when it has gone, or is about to; fails if that could not be made durable, and it
   *     is still there
   */
  CompletableFuture<Void> expire(Function<RoutingTable<Queue>, Removal<Queue>> deletion) {
    RoutingTable<Queue> table = state.proposed().routing();
    Removal<Queue> removal = deletion.apply(table);
    return removal.table() == table ? VhostState.done() : propose(removal, () -> {}, Actor.BROKER);
  }

  // Recovering

  void replay(ExchangeDefinition exchange) {
    Topology topology = state.current();
    IdleLease lease = idle.leaseOf(exchange, topology.policies());
    idle.watch(exchange.name(), lease);
    state.restore(topology.with(withExchange(topology, exchange, lease)));
  }

  void replay(Binding binding) {
    Topology topology = state.current();
    IdleLease lease = idle.leaseOf(topology.routing(), binding, topology.policies());
    idle.watch(binding, lease);
    state.restore(topology.with(withBinding(topology.routing(), binding, lease)));
  }
}
