package io.mayflymq.core.vhost;

import io.mayflymq.core.event.Actor;
import io.mayflymq.core.event.TopologyEvents;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.metrics.VhostMetrics;
import io.mayflymq.core.routing.Removal;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.settings.QueueType;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueSweep;
import io.mayflymq.core.vhost.queue.local.LocalEnvironment;
import io.mayflymq.core.vhost.queue.local.LocalQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/*
 * The queues of a virtual host: how they are declared and deleted.
 *
 * A queue that is declared is in the proposed state at once and in force once that is safe; no message is routed to it before. A queue that is to be
 * deleted stays in service until that is safe, and only then loses its consumers and messages: if the write fails it has not changed.
 * Its shard decides whether it may go (it knows consumers and messages), so a deletion begins there (Queue) and comes here for the table.
 */
final class VhostQueues {
  /** Called when a queue is in no table any more, nor are bindings and exchanges with it. */
  @FunctionalInterface
  interface RemovalListener {
    /** Within the lock of the virtual host. */
    void removed(Queue queue, Removal<Queue> removal, Actor actor);
  }

  private final VhostState state;
  private final BrokerContext broker;
  private final LocalEnvironment environment;
  private final VhostMetrics metrics;
  private final RemovalListener listener;
  private final TopologyCommands commands;
  private final TopologyEvents events;

  /** What is left of the queues after the virtual host has gone. */
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  VhostQueues(
      VhostState state,
      BrokerContext broker,
      LocalEnvironment environment,
      VhostMetrics metrics,
      RemovalListener listener) {
    this.state = state;
    this.broker = broker;
    this.environment = environment;
    this.metrics = metrics;
    this.listener = listener;
    this.commands = new TopologyCommands(state.name());
    this.events = new TopologyEvents(state.name(), broker.events());
  }

  // Declaring

  CompletableFuture<DeclaredQueue> declare(QueueDeclaration asked) {
    QueueDeclaration wanted =
        asked.withDefaultType(
            QueueType.ofWireName(state.definition().defaultQueueType())
                .orElseGet(broker.defaultQueueType()));
    if (!wanted.serverNamed()) {
      Preconditions.requireUnreserved("queue", wanted.name());
    }
    broker.churn().happened(Churn.Event.QUEUE_DECLARED);
    return declareAnyway(wanted);
  }

  /** A queue that goes before it has answered is declared anew. */
  private CompletableFuture<DeclaredQueue> declareAnyway(QueueDeclaration wanted) {
    Queue present = state.current().queue(wanted.name());
    CompletableFuture<DeclaredQueue> declared =
        present == null ? state.ask(() -> declareNow(wanted)) : redeclare(wanted, present);
    return declared.thenCompose(
        status ->
            status == null ? declareAnyway(wanted) : CompletableFuture.completedFuture(status));
  }

  private CompletableFuture<DeclaredQueue> redeclare(QueueDeclaration wanted, Queue present) {
    Redeclaration.check(
        state.name(), wanted, present, broker.defaults().get().extensionsCompared());
    return present.lifecycle().status(wanted.renewsLease());
  }

  private CompletableFuture<DeclaredQueue> declareNow(QueueDeclaration wanted) {
    Queue present = state.proposed().queue(wanted.name());
    if (present == null) {
      return create(wanted);
    }
    return present == state.current().queue(wanted.name())
        ? redeclare(wanted, present)
        : state.askLater(() -> declareNow(wanted));
  }

  private CompletableFuture<DeclaredQueue> create(QueueDeclaration wanted) {
    Topology topology = state.proposed();
    state.requireAlive(topology);
    state
        .errors()
        .requireRoom(state.definition().limits(), topology.routing().queueCount(), wanted.name());
    requireRoomInBroker(topology, wanted.name());
    QueueDefinition definition = wanted.definition(state.name());
    AutoDeadLetterQueue.refuse(definition.arguments(), definition.name(), state.name());
    Partition partition =
        wanted.exclusive() ? broker.partitions().on(wanted.home()) : broker.partitions().next();
    Object owner = wanted.exclusive() ? wanted.connection() : null;
    Queue queue = create(newIdentity(definition, owner), partition, topology);
    List<Queue> created = new ArrayList<>(2);
    created.add(queue);
    if (lacksOwnDeadLetterQueue(topology, queue)) {
      created.add(autoDeadLetterQueue(topology, queue));
    }
    DeclaredQueue status = new DeclaredQueue(wanted.name(), 0, 0);
    return propose(created, Actor.of(wanted.connection())).thenApply(inForce -> status);
  }

  /** The queues of other virtual hosts that are not in force yet do not count. */
  private void requireRoomInBroker(Topology topology, String queue) {
    int most = broker.limits().get().queues();
    if (most < ObjectLimits.UNLIMITED) {
      int proposed = topology.routing().queueCount() - state.current().routing().queueCount();
      Preconditions.requireRoomInBroker(most, broker.queues().getAsInt() + proposed, queue);
    }
  }

  private CompletableFuture<Void> propose(List<Queue> created, Actor actor) {
    Topology topology = state.proposed();
    RoutingTable<Queue> table = topology.routing();
    for (Queue queue : created) {
      table = table.withQueue(queue.name(), queue);
    }
    CompletableFuture<Void> inForce =
        state.propose(
            topology.with(table),
            commands.declared(created),
            () -> created.forEach(queue -> begin(queue, actor)));
    return inForce.whenComplete(
        (done, failure) -> {
          if (failure != null) {
            created.forEach(queue -> queue.lifecycle().discard());
          }
        });
  }

  private void begin(Queue queue, Actor actor) {
    joinMetrics(queue);
    queue.lifecycle().start();
    broker.churn().happened(Churn.Event.QUEUE_CREATED);
    events.created(
        queue.definition(), AutoDeadLetterQueue.is(queue.definition()) ? Actor.BROKER : actor);
  }

  private QueueIdentity newIdentity(QueueDefinition definition, Object owner) {
    return new QueueIdentity(broker.queueIds().incrementAndGet(), definition, owner);
  }

  private Queue create(QueueIdentity identity, Partition partition, Topology topology) {
    return LocalQueue.create(
        identity,
        partition,
        topology.settingsOf(identity.definition()),
        environment,
        broker.clock().millis());
  }

  // Own dead letter queues

  private static boolean lacksOwnDeadLetterQueue(Topology topology, Queue queue) {
    return topology.settingsOf(queue.definition()).deadLetters().ownQueue()
        && topology.queue(AutoDeadLetterQueue.nameOf(queue.name())) == null;
  }

  private Queue autoDeadLetterQueue(Topology topology, Queue parent) {
    return create(
        newIdentity(AutoDeadLetterQueue.of(parent.definition()), parent.owner()),
        parent.partition(),
        topology);
  }

  /** Makes those that are wanted and not there. @return done when they are */
  CompletableFuture<Void> addOwnDeadLetterQueues() {
    Topology topology = state.current();
    java.util.Queue<Queue> lacking = new ConcurrentLinkedQueue<>();
    return QueueSweep.of(
            topology.routing().queues(),
            queue -> {
              if (lacksOwnDeadLetterQueue(topology, queue)) {
                lacking.add(queue);
              }
            })
        .thenCompose(visited -> addOwnDeadLetterQueues(lacking));
  }

  private CompletableFuture<Void> addOwnDeadLetterQueues(Collection<Queue> lacking) {
    return CompletableFuture.allOf(
        lacking.stream()
            .map(queue -> state.ask(() -> addOwnDeadLetterQueue(queue)))
            .toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> addOwnDeadLetterQueue(Queue parent) {
    Topology topology = state.proposed();
    return topology.queue(parent.name()) == parent && lacksOwnDeadLetterQueue(topology, parent)
        ? propose(List.of(autoDeadLetterQueue(topology, parent)), Actor.BROKER)
        : VhostState.done();
  }

  // Asking

  CompletableFuture<DeclaredQueue> status(String name, Object connection, boolean renewsLease) {
    CompletableFuture<Queue> found =
        state.current().queue(name) == null
            ? state.ask(
                () ->
                    CompletableFuture.completedFuture(
                        state.usable(state.routing(), name, connection)))
            : CompletableFuture.completedFuture(state.usable(state.routing(), name, connection));
    return found
        .thenCompose(queue -> queue.lifecycle().status(renewsLease))
        .thenCompose(
            status ->
                status == null
                    ? status(name, connection, renewsLease)
                    : CompletableFuture.completedFuture(status));
  }

  // Deleting

  CompletableFuture<Long> delete(
      String name, Object connection, boolean ifUnused, boolean ifEmpty) {
    if (state.current().queue(name) == null) {
      synchronized (state.lock()) {
        if (state.proposed().queue(name) == null) {
          return CompletableFuture.completedFuture(0L);
        }
      }
      return state.settled().thenCompose(settled -> delete(name, connection, ifUnused, ifEmpty));
    }
    Queue found = state.usable(state.routing(), name, connection);
    if (AutoDeadLetterQueue.is(found.definition())) {
      throw AutoDeadLetterQueue.staysWithParent(found);
    }
    return found.lifecycle().delete(ifUnused, ifEmpty, Actor.of(connection));
  }

  /** See {@link VirtualHost#remove}. */
  CompletableFuture<Void> remove(Queue queue, Actor actor) {
    return state.ask(() -> removeNow(queue, actor));
  }

  private CompletableFuture<Void> removeNow(Queue queue, Actor actor) {
    Topology topology = state.proposed();
    if (topology.queue(queue.name()) != queue) {
      return state.current().queue(queue.name()) == queue
          ? state.askLater(() -> removeNow(queue, actor))
          : VhostState.done();
    }
    RoutingTable<Queue> table = topology.routing();
    Removal<Queue> removal = table.deleteQueue(queue.name());
    List<MetadataCommand> written = commands.deleted(table, queue, removal);
    Queue own = table.queue(AutoDeadLetterQueue.nameOf(queue.name()));
    if (!AutoDeadLetterQueue.isOf(own, queue.name())) {
      return state.propose(
          topology.with(removal.table()), written, () -> gone(queue, removal, actor));
    }
    Removal<Queue> ownRemoval = removal.table().deleteQueue(own.name());
    written.addAll(commands.deleted(removal.table(), own, ownRemoval));
    return state.propose(
        topology.with(ownRemoval.table()),
        written,
        () -> {
          gone(queue, removal, actor);
          gone(own, ownRemoval, Actor.BROKER);
          own.lifecycle().endWithParent();
        });
  }

  private void gone(Queue queue, Removal<Queue> removal, Actor actor) {
    listener.removed(queue, removal, actor);
    forget(queue);
    events.deleted(queue.definition(), actor);
  }

  private void joinMetrics(Queue queue) {
    metrics
        .queues()
        .join(queue.counters(), VhostMetrics.kindOf(queue.definition().settings().type()));
  }

  private void forget(Queue queue) {
    metrics.queues().leave(queue.counters());
    broker.churn().happened(Churn.Event.QUEUE_DELETED);
  }

  /** The virtual host has gone, and they go with it. Within the lock. */
  void end(List<Queue> queues) {
    queues.forEach(this::forget);
    CompletableFuture.allOf(
            queues.stream()
                .map(queue -> queue.lifecycle().deleteWithVhost())
                .toArray(CompletableFuture<?>[]::new))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                ended.complete(null);
              } else {
                ended.completeExceptionally(failure);
              }
            });
  }

  /** Done when all have gone, after {@link #end}. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  // Recovering

  void replay(MetadataCommand.QueueDeclared declared) {
    Topology topology = state.current();
    Queue queue =
        create(
            new QueueIdentity(declared.id(), declared.queue(), null),
            broker.partitions().ofNumber(declared.shard()),
            topology);
    joinMetrics(queue);
    state.restore(topology.with(topology.routing().withQueue(queue.name(), queue)));
  }

  /** See {@link VirtualHost#keepPartitions}. */
  CompletableFuture<Void> keepPartitions(Map<Long, Integer> partitionsBefore) {
    CompletableFuture<Void> last = VhostState.done();
    for (Queue queue : state.current().routing().queues()) {
      if (partitionsBefore.get(queue.id()) != queue.partition().index()) {
        last = broker.metadata().append(List.of(commands.declared(queue)));
      }
    }
    return last;
  }

  /** See {@link VirtualHost#startRecovered}. */
  void startRecovered() {
    Topology topology = state.current();
    List<Queue> queues = topology.routing().queues();
    queues.forEach(queue -> queue.lifecycle().start());
    addOwnDeadLetterQueues(
            queues.stream().filter(queue -> lacksOwnDeadLetterQueue(topology, queue)).toList())
        .join();
  }
}
