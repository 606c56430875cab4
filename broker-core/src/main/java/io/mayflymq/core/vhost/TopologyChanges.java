package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Bound;
import io.mayflymq.core.metadata.MetadataCommand.ExchangeDeclared;
import io.mayflymq.core.metadata.MetadataCommand.ExchangeDeleted;
import io.mayflymq.core.metadata.MetadataCommand.ExchangeUnused;
import io.mayflymq.core.metadata.MetadataCommand.PolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.PolicySet;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.MetadataCommand.QueueForgotten;
import io.mayflymq.core.metadata.MetadataCommand.QueueIs;
import io.mayflymq.core.metadata.MetadataCommand.QueueKept;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoveIs;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoved;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.MetadataCommand.QueueRedefined;
import io.mayflymq.core.metadata.MetadataCommand.QueueReturned;
import io.mayflymq.core.metadata.MetadataCommand.QueueStays;
import io.mayflymq.core.metadata.MetadataCommand.Unbound;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeleted;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.queue.IdleLease;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.MetadataSize;
import io.mayflymq.core.routing.Removal;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.Topology.Move;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QuorumConversion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Applies commands to topologies. Within the lock of the virtual host.
 *
 * <p>What each command does to the exchanges, queues, bindings and policies of a virtual host.
 *
 * <p>All changes come this way, whatever they come from: a client's request that has been checked,
 * what was kept before this process, what another node of a cluster has done. A request says what
 * it wants (one queue goes); what goes along with it (bindings, auto-delete exchanges) is found
 * here, in the topology that the change is really made to. In a cluster that may be a later one
 * than the one that the request was checked against.
 *
 * <p>A command that does not fit the topology is refused with UndoneException. Alone that does not
 * happen, as a request is checked against the same topology; in a cluster all nodes refuse it
 * alike, and the node where it was requested checks the request again.
 */
final class TopologyChanges {
  /**
   * How many deleted queues of a virtual host can be brought back: the oldest goes for the next.
   */
  static final int MOST_KEPT = 1_000;

  private static final long MOST_BINDING_BYTES = 256 << 10;

  private static final Comparator<KeptQueue> OLDEST =
      Comparator.<KeptQueue>comparingLong(kept -> kept.command().deletedAtMillis())
          .thenComparingLong(kept -> kept.queue().id());

  private final TopologyCommands commands;
  private final IdleLeases idle;
  private final QueueFactory queues;
  private final TopologyEffects effects;

  TopologyChanges(
      TopologyCommands commands, IdleLeases idle, QueueFactory queues, TopologyEffects effects) {
    this.commands = commands;
    this.idle = idle;
    this.queues = queues;
    this.effects = effects;
  }

  /**
   * Applies commands in order; nothing is in force yet.
   *
   * @throws UndoneException if one of them does not fit
   */
  TopologyChange of(
      Topology before, List<? extends MetadataCommand> requested, ChangeOrigin origin) {
    TopologyChange change = new TopologyChange(before);
    try {
      requested.forEach(command -> apply(change, command, origin));
      return change;
    } catch (RuntimeException e) {
      change.discard();
      throw e;
    }
  }

  private void apply(TopologyChange change, MetadataCommand command, ChangeOrigin origin) {
    require(!change.topology().deleted(), command);
    if (command instanceof ExchangeDeclared declared) {
      declare(change, declared, origin);
    } else if (command instanceof ExchangeDeleted deleted) {
      require(change.routing().exchange(deleted.exchange()) != null, command);
      remove(change, change.routing().deleteExchange(deleted.exchange()), origin);
    } else if (command instanceof QueueDeclared declared) {
      declare(change, declared, origin);
    } else if (command instanceof QueueRedefined redefined) {
      redefine(change, redefined, origin);
    } else if (command instanceof QueueDeleted deleted) {
      delete(change, deleted, origin);
    } else if (command instanceof QueueKept kept) {
      keep(change, kept, origin);
    } else if (command instanceof QueueForgotten forgotten) {
      require(change.topology().kept().containsKey(forgotten.id()), command);
      forget(change, forgotten);
    } else if (command instanceof QueueReturned returned) {
      bringBack(change, returned, origin);
    } else if (command instanceof QueueMoving moving) {
      beginMove(change, moving, origin);
    } else if (command instanceof QueueMoved moved) {
      move(change, moved);
    } else if (command instanceof QueueStays stays) {
      Move move = change.topology().moves().get(stays.queue());
      require(move != null, command);
      change.become(change.topology().withoutMove(stays.queue()));
      change.write(List.of(stays));
      Queue queue = change.topology().queue(stays.queue());
      change.then(() -> effects.stays(queue, move.copy()));
    } else if (command instanceof Bound bound) {
      bind(change, bound, origin);
    } else if (command instanceof Unbound unbound) {
      require(change.routing().contains(unbound.binding()), command);
      remove(change, change.routing().deleteBinding(unbound.binding()), origin);
    } else if (command instanceof PolicySet set) {
      change.become(change.topology().policies().with(set.policy()));
      change.write(List.of(set));
      change.then(() -> effects.set(set.policy(), origin));
    } else if (command instanceof PolicyCleared cleared) {
      require(change.topology().policies().policy(cleared.kind(), cleared.name()) != null, command);
      change.become(change.topology().policies().without(cleared.kind(), cleared.name()));
      change.write(List.of(cleared));
      change.then(() -> effects.cleared(cleared, origin));
    } else if (command instanceof VhostDeleted) {
      List<Queue> all = change.routing().queues();
      List<Move> moves = List.copyOf(change.topology().moves().values());
      List<KeptQueue> kept = List.copyOf(change.topology().kept().values());
      change.become(change.topology().end());
      change.write(List.of(command));
      change.then(
          () -> {
            moves.forEach(move -> move.copy().lifecycle().discard());
            kept.forEach(each -> each.queue().lifecycle().forget());
            effects.vhostDeleted(all);
          });
    } else if (command instanceof QueueIs expected) {
      Queue queue = change.topology().queue(expected.queue());
      require(queue != null && queue.id() == expected.id(), command);
    } else if (command instanceof QueueMoveIs expected) {
      Move move = change.topology().moves().get(expected.queue());
      require(move != null && move.command().copyId() == expected.copyId(), command);
    } else if (command instanceof ExchangeUnused expected) {
      require(change.routing().bindingsFrom(expected.exchange()).isEmpty(), command);
    } else {
      throw new IllegalArgumentException("not part of a virtual host: " + command);
    }
  }

  private static void require(boolean fits, MetadataCommand command) {
    if (!fits) {
      throw new UndoneException("a change that came first excludes " + command);
    }
  }

  private void declare(TopologyChange change, ExchangeDeclared declared, ChangeOrigin origin) {
    ExchangeDefinition exchange = declared.exchange();
    require(change.routing().exchange(exchange.name()) == null, declared);
    IdleLease lease = idle.leaseOf(exchange, change.topology().policies());
    RoutingTable<Queue> changed =
        VhostPolicies.add(change.routing(), exchange, change.topology().policies());
    change.become(lease == null ? changed : changed.withLease(exchange.name(), lease));
    change.write(commands.declared(exchange));
    change.then(() -> effects.created(exchange, lease, origin));
  }

  private void bind(TopologyChange change, Bound bound, ChangeOrigin origin) {
    Binding binding = bound.binding();
    addEventExchange(change, binding);
    RoutingTable<Queue> before = change.routing();
    require(!before.contains(binding) && hasEnds(before, binding), bound);
    IdleLease lease = idle.leaseOf(before, binding, change.topology().policies());
    RoutingTable<Queue> added = before.withBinding(binding);
    RoutingTable<Queue> changed = lease == null ? added : added.withLease(binding, lease);
    change.become(changed);
    change.write(commands.bound(changed, binding));
    change.then(() -> effects.created(binding, lease, changed, origin));
  }

  /**
   * A binding of the exchange of events may come from another node, or be older than the settings
   * of this one, by which the exchange is not here: then it is here from now on, and gets no
   * events.
   */
  private static void addEventExchange(TopologyChange change, Binding binding) {
    boolean isBound =
        binding.source().equals(ExchangeDefinition.EVENT)
            || (binding.destinationKind() == DestinationKind.EXCHANGE
                && binding.destination().equals(ExchangeDefinition.EVENT));
    if (isBound && change.routing().exchange(ExchangeDefinition.EVENT) == null) {
      change.become(
          VhostPolicies.add(
              change.routing(),
              ExchangeDefinition.internal(ExchangeDefinition.EVENT),
              change.topology().policies()));
    }
  }

  private static boolean hasEnds(RoutingTable<Queue> table, Binding binding) {
    boolean hasDestination =
        switch (binding.destinationKind()) {
          case QUEUE -> table.queue(binding.destination()) != null;
          case EXCHANGE -> table.exchange(binding.destination()) != null;
        };
    return hasDestination && table.exchange(binding.source()) != null;
  }

  private void remove(TopologyChange change, Removal<Queue> removal, ChangeOrigin origin) {
    RoutingTable<Queue> before = change.routing();
    change.become(removal.table());
    change.write(commands.removed(before, removal));
    change.then(
        () -> {
          effects.unused(removal, before, origin);
          effects.removed(removal, origin);
        });
  }

  private void declare(TopologyChange change, QueueDeclared declared, ChangeOrigin origin) {
    String name = declared.queue().name();
    require(change.topology().queue(name) == null, declared);
    Queue queue = queues.create(declared, origin, change.topology());
    change.created(queue);
    change.become(with(change.routing(), queue));
    change.write(commands.declared(queues.placed(declared, queue)));
    change.then(() -> effects.created(queue, origin));
  }

  private static RoutingTable<Queue> with(RoutingTable<Queue> table, Queue queue) {
    return with(table, queue, queue.definition());
  }

  private static RoutingTable<Queue> with(
      RoutingTable<Queue> table, Queue queue, QueueDefinition definition) {
    return table.withQueue(
        queue.name(),
        queue,
        MetadataSize.ofQueue(queue.name(), definition.arguments()),
        definition.arguments().containsKey(PolicyKey.DELIVER_AT_HEADER.argument()));
  }

  /**
   * The queue stays the same for all who hold it. It does not move meanwhile, as its copy has the
   * arguments of before.
   */
  private void redefine(TopologyChange change, QueueRedefined redefined, ChangeOrigin origin) {
    QueueDefinition definition = redefined.queue();
    Queue queue = change.topology().queue(definition.name());
    require(
        queue != null
            && queue.id() == redefined.id()
            && !change.topology().moves().containsKey(queue.name()),
        redefined);
    queue.propose(definition);
    change.otherwise(() -> queue.withdraw(definition));
    change.become(withLeases(with(change.routing(), queue, definition), queue.name()));
    change.write(
        commands.declared(
            queues.placed(
                new QueueDeclared(redefined.vhost(), definition, queue.id(), queue.place()),
                queue)));
    change.then(() -> effects.redefined(queue, definition, origin));
  }

  /** The bindings of a queue that was put in anew keep their leases. */
  private RoutingTable<Queue> withLeases(RoutingTable<Queue> table, String queue) {
    RoutingTable<Queue> changed = table;
    for (Binding binding : table.bindingsTo(DestinationKind.QUEUE, queue)) {
      IdleLease lease = idle.current(binding);
      changed = lease == null ? changed : changed.withLease(binding, lease);
    }
    return changed;
  }

  private void delete(TopologyChange change, QueueDeleted deleted, ChangeOrigin origin) {
    RoutingTable<Queue> before = change.routing();
    Queue queue = before.queue(deleted.queue());
    require(queue != null, deleted);
    Removal<Queue> removal = before.deleteQueue(queue.name());
    Move move = change.topology().moves().get(queue.name());
    if (move != null) {
      change.become(change.topology().withoutMove(queue.name()));
      change.write(List.of(new QueueStays(deleted.vhost(), deleted.queue())));
      change.then(() -> move.copy().lifecycle().discard());
    }
    change.become(removal.table());
    change.write(commands.deleted(before, queue, removal));
    KeptQueue kept = change.topology().kept().get(queue.id());
    change.then(
        kept == null
            ? () -> effects.gone(queue, removal, origin)
            : () -> effects.goneForNow(queue, kept.command(), removal, origin));
  }

  // Deletions that can be undone

  /**
   * A queue that is about to be deleted can be brought back. While the broker starts it is in no
   * table any more.
   */
  private void keep(TopologyChange change, QueueKept kept, ChangeOrigin origin) {
    QueueDeclared declared = kept.queue();
    if (!origin.isNew()) {
      Queue recovered = queues.create(declared, origin, change.topology());
      change.become(change.topology().with(new KeptQueue(kept, recovered)));
      change.then(() -> recovered.lifecycle().keep(kept.deletedAtMillis()));
      return;
    }
    Queue queue = change.topology().queue(declared.queue().name());
    require(queue != null && queue.id() == declared.id(), kept);
    if (change.topology().kept().size() >= MOST_KEPT) {
      KeptQueue oldest = Collections.min(change.topology().kept().values(), OLDEST);
      forget(change, new QueueForgotten(kept.vhost(), oldest.queue().id()));
    }
    // With what it adopts by a change that comes before and is not in force yet.
    QueueDeclared now =
        new QueueDeclared(
            declared.vhost(), queue.proposedDefinition(), declared.id(), declared.place());
    QueueKept complete = complete(kept, queues.placed(now, queue), change.routing());
    change.become(change.topology().with(new KeptQueue(complete, queue)));
    change.write(List.of(complete));
  }

  /** With its bindings, as many of them as an entry of the metadata has room for. */
  private static QueueKept complete(
      QueueKept kept, QueueDeclared placed, RoutingTable<Queue> table) {
    List<Binding> all = table.bindingsTo(DestinationKind.QUEUE, placed.queue().name());
    List<Binding> some = new ArrayList<>();
    long bytes = 0;
    for (Binding binding : all) {
      bytes += MetadataSize.of(binding);
      if (bytes > MOST_BINDING_BYTES) {
        break;
      }
      some.add(binding);
    }
    return new QueueKept(
        placed,
        List.copyOf(some),
        all.size() - some.size(),
        kept.deletedAtMillis(),
        kept.deletedBy());
  }

  private void forget(TopologyChange change, QueueForgotten forgotten) {
    Queue queue = change.topology().kept().get(forgotten.id()).queue();
    change.become(change.topology().withoutKept(forgotten.id()));
    change.write(List.of(forgotten));
    change.then(() -> queue.lifecycle().forget());
  }

  /** The queue that takes the place of the deleted one is another object, with the same number. */
  private void bringBack(TopologyChange change, QueueReturned returned, ChangeOrigin origin) {
    KeptQueue kept = change.topology().kept().get(returned.id());
    require(kept != null, returned);
    change.become(change.topology().withoutKept(returned.id()));
    change.write(List.of(new QueueForgotten(returned.vhost(), returned.id())));
    QueueDeclared before = queues.placed(kept.command().queue(), kept.queue());
    declare(
        change,
        new QueueDeclared(
            returned.vhost(), before.queue().named(returned.name()), before.id(), before.place()),
        origin);
    for (Binding binding : kept.command().bindings()) {
      Binding renamed = binding.to(returned.name());
      if (change.routing().exchange(binding.source()) != null
          && !change.routing().contains(renamed)) {
        bind(change, new Bound(returned.vhost(), renamed), origin);
      }
    }
  }

  // Moving

  private void beginMove(TopologyChange change, QueueMoving moving, ChangeOrigin origin) {
    Topology topology = change.topology();
    Queue queue = topology.queue(moving.queue());
    require(queue != null && !topology.moves().containsKey(moving.queue()), moving);
    Queue copy =
        queues.create(
            new QueueDeclared(moving.vhost(), moved(queue, moving), moving.copyId(), moving.to()),
            origin,
            topology);
    copy.setBefore(queue);
    change.created(copy);
    change.become(topology.with(new Move(moving, copy)));
    change.write(List.of(queues.placed(moving, copy)));
    change.then(() -> effects.moving(queue, copy, origin));
  }

  /** A queue that moves to replicas becomes a quorum queue. */
  private static QueueDefinition moved(Queue queue, QueueMoving moving) {
    return moving.to().isReplicated()
        ? QuorumConversion.of(queue.proposedDefinition(), moving.vhost())
        : queue.proposedDefinition();
  }

  private void move(TopologyChange change, QueueMoved moved) {
    String name = moved.queue();
    Move move = change.topology().moves().get(name);
    require(move != null, moved);
    Queue old = change.topology().queue(name);
    change.become(withLeases(with(change.routing(), move.copy()), name));
    change.become(change.topology().withoutMove(name));
    QueueMoving begun = move.command();
    change.write(
        List.of(
            queues.placed(
                new QueueDeclared(
                    moved.vhost(), move.copy().definition(), begun.copyId(), begun.to()),
                move.copy()),
            new QueueStays(moved.vhost(), name)));
    change.then(() -> effects.moved(old, move.copy()));
  }
}
