package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.MetadataCommand.QueueForgotten;
import io.mayflymq.core.metadata.MetadataCommand.QueueIs;
import io.mayflymq.core.metadata.MetadataCommand.QueueKept;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.MetadataCommand.QueueRedefined;
import io.mayflymq.core.metadata.MetadataCommand.QueueReturned;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.metadata.TopologyEvents;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.policy.Equivalence.Mismatch;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.MetadataSize;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSweep;
import io.mayflymq.protocol.types.ChannelException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues of a virtual host: how they are declared and deleted.
 *
 * <p>A queue that is declared is in the proposed state at once and in force once that is safe; no
 * message is routed to it before. A queue that is to be deleted stays in service until that is
 * safe, and only then loses its consumers and messages: if the write fails it has not changed. Its
 * shard decides whether it may go (it knows consumers and messages), so a deletion begins there
 * (Queue) and comes here for the table.
 */
final class VhostQueues {
  private static final Logger LOGGER = LoggerFactory.getLogger(VhostQueues.class);

  private final VhostState state;
  private final VhostChanges changes;
  private final Broker broker;

  VhostQueues(VhostState state, VhostChanges changes, Broker broker) {
    this.state = state;
    this.changes = changes;
    this.broker = broker;
  }

  // Declaring

  CompletableFuture<DeclaredQueue> declare(QueueDeclaration asked) {
    QueueDeclaration wanted = broker.rulesOf(state.definition()).named(asked);
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
    Redeclaration outcome =
        outcome(wanted, present, present.definition(), state.current().policies());
    if (!outcome.kept().isEmpty()) {
      tellKept(outcome, wanted, present);
    }
    // The declaration is a use of the queue before a lease that it brings can end.
    CompletableFuture<DeclaredQueue> status = present.lifecycle().status(wanted.renewsLease());
    return outcome.changes()
        ? status.thenCompose(
            used -> used == null ? status : state.ask(() -> adopt(wanted, present)))
        : status;
  }

  private Redeclaration outcome(
      QueueDeclaration wanted, Queue present, QueueDefinition definition, PolicyTable policies) {
    return Redeclaration.of(
        state.name(), wanted, present, definition, policies, broker.deprecatedFeatures());
  }

  /** See {@link VirtualHost#takes}. */
  boolean takes(QueueDeclaration wanted, Queue present) {
    try {
      outcome(wanted, present, present.definition(), state.current().policies());
      return true;
    } catch (ChannelException e) {
      return false;
    }
  }

  private void tellKept(Redeclaration outcome, QueueDeclaration wanted, Queue present) {
    Actor actor = Actor.of(wanted.connection());
    broker.churn().happened(Churn.Event.QUEUE_KEPT);
    new TopologyEvents(state.name(), broker.auditedEvents())
        .kept(present.definition(), outcome.kept().stream().map(Mismatch::name).toList(), actor);
    for (Mismatch mismatch : outcome.kept()) {
      if (present.keeps(mismatch.name())) {
        LOGGER.warn(
            "{} stays what it is, by the policy key on-mismatch, though {} has declared it"
                + " otherwise: {}. Further declarations with another '{}' are not logged",
            present,
            actor.inWords(),
            mismatch.error().detail(),
            mismatch.name());
      }
    }
  }

  /**
   * Changes a queue to what is declared, as far as a policy wants that. What is being written, of
   * the queue or of the policies, counts. Within the lock.
   */
  private CompletableFuture<DeclaredQueue> adopt(QueueDeclaration wanted, Queue present) {
    Topology topology = state.proposed();
    if (topology.queue(wanted.name()) != present) {
      return state.askLater(() -> CompletableFuture.completedFuture(null));
    }
    QueueDefinition before = present.proposedDefinition();
    Redeclaration outcome = outcome(wanted, present, before, topology.policies());
    if (!outcome.changes()) {
      return state.askLater(() -> CompletableFuture.completedFuture(null));
    }
    if (topology.moves().containsKey(wanted.name())) {
      throw Preconditions.precondition(
          present, "is being moved, and cannot take other arguments over until it has");
    }
    QueueDefinition definition = outcome.definition();
    long growth = sizeOf(definition) - sizeOf(before);
    if (growth > 0) {
      state.requireRoom(topology, "cannot change queue '" + wanted.name() + "'", growth);
    }
    List<MetadataCommand> commands = new ArrayList<>(3);
    commands.add(new QueueIs(state.name(), wanted.name(), present.id()));
    commands.add(new QueueRedefined(state.name(), definition, present.id()));
    if (lacksOwnDeadLetterQueue(topology, definition)) {
      Queue taken = topology.queue(AutoDeadLetterQueue.nameOf(definition.name()));
      if (taken != null) {
        throw AutoDeadLetterQueue.nameIsTaken(definition.name(), state.name(), taken);
      }
      commands.add(
          declared(
              AutoDeadLetterQueue.of(definition),
              present.isLocal() ? declared(present).place() : present.place()));
    }
    return changes
        .request(commands, ChangeOrigin.of(wanted.connection()))
        .thenCompose(
            inForce -> QueueSweep.of(List.of(present), queue -> queue.onShard().applyPolicies()))
        .thenCompose(applied -> present.lifecycle().status(false));
  }

  private static long sizeOf(QueueDefinition queue) {
    return MetadataSize.ofQueue(queue.name(), queue.arguments());
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
    state.requireRoom(
        topology,
        "cannot declare queue '" + wanted.name() + "'",
        MetadataSize.ofQueue(wanted.name(), wanted.arguments()));
    QueueDefinition definition = broker.rulesOf(state.definition()).definition(wanted);
    Partition partition =
        wanted.exclusive() ? broker.partitions().on(wanted.home()) : broker.partitions().next();
    CompletableFuture<QueuePlace> place =
        broker.placement().of(definition, topology.policies(), partition);
    // As long as a partition is made for it, another one may declare it.
    return place.isDone()
        ? place.thenCompose(known -> create(wanted, definition, known))
        : place.thenCompose(made -> state.ask(() -> declareNow(wanted)));
  }

  private CompletableFuture<DeclaredQueue> create(
      QueueDeclaration wanted, QueueDefinition definition, QueuePlace place) {
    Topology topology = state.proposed();
    QueueDeclared declared = declared(definition, place);
    List<QueueDeclared> commands = new ArrayList<>(2);
    commands.add(declared);
    if (lacksOwnDeadLetterQueue(topology, definition)) {
      Queue present = topology.queue(AutoDeadLetterQueue.nameOf(definition.name()));
      if (present == null) {
        commands.add(autoDeadLetterQueueOf(declared));
      } else if (definition.arguments().containsKey(AutoDeadLetterQueue.ARGUMENT)) {
        throw AutoDeadLetterQueue.nameIsTaken(definition.name(), state.name(), present);
      } else {
        logTaken(List.of(present));
      }
    }
    DeclaredQueue status = new DeclaredQueue(wanted.name(), 0, 0);
    return changes
        .request(commands, ChangeOrigin.of(wanted.connection()))
        .thenApply(inForce -> status);
  }

  /** See {@link VirtualHost#hasRoomForAnyNewQueue}. */
  boolean hasRoomForAnyNew(String name) {
    return state.current().queue(name) == null
        && state.definition().limits().get(Limit.MAX_QUEUES) == null
        && broker.limits().queues() == ObjectLimits.UNLIMITED
        && state.hasAmpleRoom();
  }

  /** The queues of other virtual hosts that are not in force yet do not count. */
  private void requireRoomInBroker(Topology topology, String queue) {
    int most = broker.limits().queues();
    if (most < ObjectLimits.UNLIMITED) {
      int proposed = topology.routing().queueCount() - state.current().routing().queueCount();
      Preconditions.requireRoomInBroker(most, broker.queueCount() + proposed, queue);
    }
  }

  /** In a cluster the queue gets its number when the order of all changes is known. */
  private QueueDeclared declared(QueueDefinition definition, QueuePlace place) {
    long id = broker.cluster().isPresent() ? 0 : broker.nextQueueId();
    return new QueueDeclared(state.name(), definition, id, place);
  }

  // Own dead letter queues

  private static boolean lacksOwnDeadLetterQueue(Topology topology, QueueDefinition queue) {
    return topology.settingsOf(queue).deadLetters().ownQueue()
        && !AutoDeadLetterQueue.isOf(
            topology.queue(AutoDeadLetterQueue.nameOf(queue.name())), queue.name());
  }

  /**
   * Another queue of the name may be anyone's, so it gets no dead letters of this one.
   *
   * @param present such queues, at least one
   */
  private void logTaken(Collection<Queue> present) {
    LOGGER.warn(
        "{} queues of vhost '{}' have no automatic dead letter queue: others have their names, such"
            + " as {}. Dead letters for them are dropped",
        present.size(),
        state.name(),
        present.iterator().next());
  }

  private QueueDeclared autoDeadLetterQueueOf(QueueDeclared parent) {
    return declared(AutoDeadLetterQueue.of(parent.queue()), parent.place());
  }

  /**
   * Makes those that are wanted and not there, for queues of this node and for replicated ones. All
   * nodes do so for these: which of them leads may change meanwhile, and the first change applies.
   *
   * @return done when they are there
   */
  CompletableFuture<Void> addOwnDeadLetterQueues() {
    Topology topology = state.current();
    OwnDeadLetterQueues lacking = new OwnDeadLetterQueues(topology);
    return QueueSweep.of(
            topology.routing().queues(),
            queue -> {
              if (queue.isLocal() || queue.isReplicated()) {
                lacking.look(queue);
              }
            })
        .thenCompose(visited -> lacking.add());
  }

  /** See {@link VirtualHost#declareDeadLetterQueueOf}. */
  CompletableFuture<Void> declareDeadLetterQueueOf(String parent, Object connection) {
    return state.ask(() -> declareDeadLetterQueueNow(parent, connection));
  }

  private CompletableFuture<Void> declareDeadLetterQueueNow(String parent, Object connection) {
    Topology topology = state.proposed();
    state.requireAlive(topology);
    Queue found = topology.queue(parent);
    if (found == null) {
      throw state.errors().noQueue(parent);
    }
    QueueDefinition own = AutoDeadLetterQueue.of(found.definition());
    Queue present = topology.queue(own.name());
    if (AutoDeadLetterQueue.isOf(present, parent)) {
      return present == state.current().queue(own.name())
          ? VhostState.done()
          : state.askLater(() -> declareDeadLetterQueueNow(parent, connection));
    } else if (present != null) {
      throw AutoDeadLetterQueue.nameIsTaken(parent, state.name(), present);
    }
    state
        .errors()
        .requireRoom(state.definition().limits(), topology.routing().queueCount(), own.name());
    requireRoomInBroker(topology, own.name());
    state.requireRoom(topology, "cannot declare queue '" + own.name() + "'", sizeOf(own));
    return changes.request(
        declared(own, found.isLocal() ? declared(found).place() : found.place()),
        ChangeOrigin.of(Objects.requireNonNullElse(found.owner(), connection)));
  }

  /** Finds the queues that lack one, by any thread. */
  private final class OwnDeadLetterQueues {
    private final Topology topology;
    private final java.util.Queue<Queue> lacking = new ConcurrentLinkedQueue<>();

    /** Queues that have the names, and are not meant. */
    private final java.util.Queue<Queue> taken = new ConcurrentLinkedQueue<>();

    OwnDeadLetterQueues(Topology topology) {
      this.topology = topology;
    }

    void look(Queue queue) {
      if (lacksOwnDeadLetterQueue(topology, queue.definition())) {
        Queue present = topology.queue(AutoDeadLetterQueue.nameOf(queue.name()));
        if (present == null) {
          lacking.add(queue);
        } else {
          taken.add(present);
        }
      }
    }

    CompletableFuture<Void> add() {
      if (!taken.isEmpty()) {
        logTaken(taken);
      }
      return state.someAtATime(List.copyOf(lacking), VhostQueues.this::addOwnDeadLetterQueue);
    }
  }

  private CompletableFuture<Void> addOwnDeadLetterQueue(Queue parent) {
    Topology topology = state.proposed();
    return topology.queue(parent.name()) == parent
            && lacksOwnDeadLetterQueue(topology, parent.definition())
            && topology.queue(AutoDeadLetterQueue.nameOf(parent.name())) == null
        ? changes.request(autoDeadLetterQueueOf(declared(parent)), ChangeOrigin.of(parent.owner()))
        : VhostState.done();
  }

  private QueueDeclared declared(Queue queue) {
    return new QueueDeclared(
        state.name(),
        queue.definition(),
        queue.id(),
        queue.isReplicated()
            ? QueuePlace.replicated(queue.replicatedPartition())
            : new QueuePlace(broker.member(), queue.partition().index()));
  }

  // Asking

  /** For a passive declaration, which may be a use of the queue. */
  CompletableFuture<DeclaredQueue> status(String name, Object connection, boolean renewsLease) {
    CompletableFuture<Queue> found =
        state.current().queue(name) == null
            ? state.ask(
                () ->
                    CompletableFuture.completedFuture(
                        state.usable(state.routing(), name, connection)))
            : CompletableFuture.completedFuture(state.usable(state.routing(), name, connection));
    return found
        .thenCompose(queue -> queue.lifecycle().status(renewsLease && isUse(queue)))
        .thenCompose(
            status ->
                status == null
                    ? status(name, connection, renewsLease)
                    : CompletableFuture.completedFuture(status));
  }

  private static boolean isUse(Queue queue) {
    return queue.settings().lease().counts(LeaseUse.PASSIVE_DECLARE);
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
    CompletableFuture<Long> deleted =
        found.lifecycle().delete(ifUnused, ifEmpty, Actor.of(connection));
    return found.isStream() ? deleted.thenApply(ready -> 0L) : deleted;
  }

  /** See {@link VirtualHost#remove}. */
  CompletableFuture<Void> remove(Queue queue, Actor actor) {
    long deletedAtMillis = queue.partition().now();
    return state.ask(() -> removeNow(queue, actor, deletedAtMillis));
  }

  private CompletableFuture<Void> removeNow(Queue queue, Actor actor, long deletedAtMillis) {
    Topology topology = state.proposed();
    if (!isSame(topology.queue(queue.name()), queue)) {
      return isSame(state.current().queue(queue.name()), queue)
          ? state.askLater(() -> removeNow(queue, actor, deletedAtMillis))
          : VhostState.done();
    }
    List<MetadataCommand> commands = new ArrayList<>(4);
    commands.add(new QueueIs(state.name(), queue.name(), queue.id()));
    if (isKept(queue)) {
      commands.add(new QueueKept(declared(queue), List.of(), 0, deletedAtMillis, actor.user()));
    }
    commands.add(new QueueDeleted(state.name(), queue.name()));
    Queue own = topology.queue(AutoDeadLetterQueue.nameOf(queue.name()));
    if (AutoDeadLetterQueue.isOf(own, queue.name())) {
      commands.add(new QueueDeleted(state.name(), own.name()));
    }
    return changes.request(commands, ChangeOrigin.of(actor));
  }

  /** Whether a queue that is deleted can be brought back. */
  private boolean isKept(Queue queue) {
    QueueDefinition definition = queue.definition();
    return definition.durable()
        && !definition.exclusive()
        && !queue.isStream()
        && !AutoDeadLetterQueue.is(definition)
        && queue.settings().recoverable().isOn()
        && broker.cluster().map(Cluster::knowsDeletedQueues).orElse(true);
  }

  /** What is in the table may stand for a queue that this node has. */
  private static boolean isSame(Queue inTable, Queue queue) {
    return inTable != null && inTable.id() == queue.id();
  }

  // Bringing back

  /** See {@link VirtualHost#deletedQueue}. */
  KeptQueue deleted(String name, OptionalLong id) {
    return state.current().kept().values().stream()
        .filter(kept -> kept.name().equals(name))
        .filter(kept -> id.isEmpty() || kept.id() == id.getAsLong())
        .max(Comparator.comparingLong(KeptQueue::deletedAtMillis).thenComparingLong(KeptQueue::id))
        .orElseThrow(() -> state.errors().noDeletedQueue(name, id));
  }

  /** See {@link VirtualHost#undeleteQueue}. */
  CompletableFuture<Undeleted> undelete(KeptQueue kept, String name, Object connection) {
    Preconditions.requireUnreserved("queue", name);
    return state.ask(() -> undeleteNow(kept, name, connection));
  }

  /** See {@link VirtualHost#requireUndeletable}. */
  CompletableFuture<Void> requireUndeletable(KeptQueue kept, String name) {
    Preconditions.requireUnreserved("queue", name);
    return state.ask(
        () -> {
          returned(state.proposed(), kept, name);
          return VhostState.done();
        });
  }

  /** Returns what a deleted queue will be, after all checks. Within the lock. */
  private QueueDefinition returned(Topology topology, KeptQueue kept, String name) {
    state.requireAlive(topology);
    if (!topology.kept().containsKey(kept.id())) {
      throw state.errors().noDeletedQueue(kept.name(), OptionalLong.of(kept.id()));
    }
    if (topology.queue(name) != null) {
      throw state.errors().nameIsTaken(kept.name(), name);
    }
    QueueDefinition definition = kept.queue().definition().named(name);
    state.errors().requireRoom(state.definition().limits(), topology.routing().queueCount(), name);
    requireRoomInBroker(topology, name);
    state.requireRoom(
        topology,
        "cannot bring back queue '" + name + "'",
        MetadataSize.ofQueue(name, definition.arguments()));
    broker.rulesOf(state.definition()).requireEnabled(definition);
    return definition;
  }

  private CompletableFuture<Undeleted> undeleteNow(KeptQueue kept, String name, Object connection) {
    Topology topology = state.proposed();
    QueueDefinition definition = returned(topology, kept, name);
    List<MetadataCommand> commands = new ArrayList<>(2);
    commands.add(new QueueReturned(state.name(), kept.id(), name));
    if (lacksOwnDeadLetterQueue(topology, definition)) {
      Queue present = topology.queue(AutoDeadLetterQueue.nameOf(name));
      if (present == null) {
        QueuePlace place = kept.command().queue().place();
        commands.add(autoDeadLetterQueueOf(new QueueDeclared(state.name(), definition, 0, place)));
      } else {
        logTaken(List.of(present));
      }
    }
    return changes
        .request(commands, ChangeOrigin.of(connection))
        .thenApply(inForce -> undeleted(kept, name));
  }

  private Undeleted undeleted(KeptQueue kept, String name) {
    RoutingTable<Queue> table = state.routing();
    List<Binding> missing =
        kept.command().bindings().stream()
            .filter(binding -> !table.contains(binding.to(name)))
            .toList();
    return new Undeleted(
        name,
        kept.command().bindings().size() - missing.size(),
        missing,
        kept.command().lostBindings());
  }

  /** See {@link VirtualHost#forget}. */
  CompletableFuture<Void> forget(long id) {
    return state.ask(
        () ->
            state.proposed().kept().containsKey(id)
                ? changes.request(
                    new QueueForgotten(state.name(), id), ChangeOrigin.of(Actor.BROKER))
                : VhostState.done());
  }

  // Recovering

  /** See {@link VirtualHost#keepPartitions}. */
  CompletableFuture<Void> keepPartitions(Map<Long, Integer> partitionsBefore) {
    CompletableFuture<Void> last = VhostState.done();
    for (Queue queue : state.current().routing().queues()) {
      Integer before = partitionsBefore.get(queue.id());
      if (before != null && before != queue.partition().index()) {
        last = broker.metadata().append(List.of(declared(queue)));
      }
    }
    for (KeptQueue kept : state.current().kept().values()) {
      Integer before = partitionsBefore.get(kept.id());
      if (before != null && before != kept.queue().partition().index()) {
        QueueKept command = kept.command();
        last =
            broker
                .metadata()
                .append(
                    List.of(
                        new QueueKept(
                            declared(kept.queue()),
                            command.bindings(),
                            command.lostBindings(),
                            command.deletedAtMillis(),
                            command.deletedBy())));
      }
    }
    for (Topology.Move move : state.current().moves().values()) {
      QueueMoving command = move.command();
      int partition = move.copy().partition().index();
      if (move.copy().isLocal() && command.to().partition() != partition) {
        QueuePlace place = new QueuePlace(command.to().member(), partition);
        last =
            broker
                .metadata()
                .append(
                    List.of(
                        new QueueMoving(state.name(), command.queue(), place, command.copyId())));
      }
    }
    return last;
  }

  /** See {@link VirtualHost#restRecovered}. */
  void restRecovered() {
    state.current().routing().queues().forEach(queue -> queue.lifecycle().rest());
  }

  /** See {@link VirtualHost#startRecovered}. */
  void startRecovered() {
    Topology topology = state.current();
    List<Queue> queues = topology.routing().queues();
    queues.forEach(queue -> queue.lifecycle().start());
    topology.kept().values().forEach(kept -> kept.queue().lifecycle().start());
    if (broker.cluster().isPresent()) {
      return; // A cluster agrees on changes only when its nodes have started.
    }
    OwnDeadLetterQueues lacking = new OwnDeadLetterQueues(topology);
    queues.forEach(lacking::look);
    lacking.add().join();
  }
}
