package io.mayflymq.core.vhost;

import io.mayflymq.core.event.Actor;
import io.mayflymq.core.event.BrokerEvents;
import io.mayflymq.core.event.TopologyEvents;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.metrics.VhostMetrics;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.Removal;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.settings.QueueType;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/*
 * A virtual host: its exchanges and queues, and the bindings between them.
 *
 * Publishers read the routing table, an immutable snapshot behind one volatile field, and never wait. Whoever changes it holds the
 * lock for as long as it takes to make the next snapshot; a change that concerns something durable is appended to the metadata log under the
 * same lock, so the log has the order of the changes, and the future that the caller gets is done when it is safe there.
 *
 * All methods may be called by any thread. Errors that are the client's come as ChannelException, thrown at once or through the future.
 */
public final class VirtualHost {
  private final String name;
  private final NameErrors errors;
  private final ReplyConsumers replies;
  private final BrokerContext broker;
  private final Shards shards;
  private final MetadataLog metadata;
  private final TopologyLog log;
  private final TopologyEvents events;
  private final VhostMetrics metrics;
  private final DeadLetterRouter deadLetters;
  private final Firehose firehose = new Firehose(this);
  private final VhostPolicies policies;
  private final Object lock = new Object();
  private final IdleLeases idle;
  private volatile RoutingTable<Queue> table = RoutingTable.empty();
  private volatile VhostDefinition definition;
  private boolean deleted;

  VirtualHost(
      VhostDefinition definition, List<ExchangeDefinition> predeclared, BrokerContext broker) {
    this.name = definition.name();
    this.errors = new NameErrors(name);
    this.replies = new ReplyConsumers(errors);
    this.definition = definition;
    this.broker = broker;
    this.policies = new VhostPolicies(this, broker.defaults().get());
    this.events = new TopologyEvents(name, broker.events());
    this.shards = broker.shards();
    this.metadata = broker.metadata();
    this.log = new TopologyLog(name, metadata);
    this.idle = new IdleLeases(this, shards.get(0), broker.clock(), lock);
    this.metrics = new VhostMetrics(shards.count());
    this.deadLetters = new DeadLetterRouter(this, shards);
    for (ExchangeDefinition exchange : predeclared) {
      table = table.withExchange(exchange);
    }
  }

  /** Carries out what was kept before this process. Called before the first client comes. */
  void replay(MetadataCommand command) {
    synchronized (lock) {
      if (command instanceof MetadataCommand.ExchangeDeclared declared) {
        table = withExchange(declared.exchange());
      } else if (command instanceof MetadataCommand.QueueDeclared declared) {
        Queue queue =
            create(declared.id(), declared.queue(), null, shards.ofNumber(declared.shard()));
        table = table.withQueue(queue.name(), queue);
      } else if (command instanceof MetadataCommand.Bound bound) {
        table = withBinding(bound.binding());
      } else if (command instanceof MetadataCommand.PolicySet set) {
        policies.change(policies.recovered(set.policy()));
        table = idle.settleAll(policies.applyTo(table), policies.table());
      } else {
        throw new IllegalArgumentException("not part of a state: " + command);
      }
    }
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** What it was added with, and its limits. */
  public VhostDefinition definition() {
    return definition;
  }

  /** Changes all but its name; limits hold from the next declaration. */
  public void redefine(VhostDefinition changed) {
    definition = changed;
  }

  /** The exchanges, queues and bindings of this moment. */
  public RoutingTable<Queue> routing() {
    return table;
  }

  /** What is counted here. */
  public VhostMetrics metrics() {
    return metrics;
  }

  /** How many connections, channels and queues came and went, in all virtual hosts together. */
  public Churn churn() {
    return broker.churn();
  }

  /** Where it is told what happens, in all virtual hosts together. */
  public BrokerEvents events() {
    return broker.events();
  }

  /** The tracer of its messages. */
  public Firehose firehose() {
    return firehose;
  }

  /** Who waits for replies here. */
  public ReplyConsumers replies() {
    return replies;
  }

  DeadLetterRouter deadLetters() {
    return deadLetters;
  }

  // Exchanges

  /**
   * An exchange that must exist.
   *
   * @throws ChannelException 404
   */
  public ExchangeDefinition exchange(String exchange) {
    ExchangeDefinition definition = table.exchange(exchange);
    if (definition == null) {
      throw errors.noExchange(exchange);
    }
    return definition;
  }

  /**
   * Declares an exchange, or checks that the one that exists is the same.
   *
   * @param connection who asks
   * @throws ChannelException 403 for a reserved name, 406 if it exists and differs or an argument
   *     is not valid
   */
  public CompletableFuture<Void> declareExchange(ExchangeDefinition wanted, Object connection) {
    synchronized (lock) {
      requireAlive();
      ExchangeDefinition current = table.exchange(wanted.name());
      if (current != null) {
        Redeclaration.check(name, wanted, current);
        idle.used(wanted.name());
        return done();
      }
      NameErrors.requireUnreserved("exchange", wanted.name());
      wanted.type().validate(wanted.arguments());
      table = withExchange(wanted);
      events.created(wanted, Actor.of(connection));
      return log.declared(wanted);
    }
  }

  /**
   * Deletes an exchange with its bindings; one that does not exist is no error.
   *
   * @param connection who asks
   * @throws ChannelException 403 for one of the broker's own, 406 if it has bindings and {@code
   *     ifUnused} is set
   */
  public CompletableFuture<Void> deleteExchange(
      String exchange, boolean ifUnused, Object connection) {
    errors.requireDeletable(exchange);
    synchronized (lock) {
      if (table.exchange(exchange) == null) {
        return done();
      }
      if (ifUnused && !table.bindingsFrom(exchange).isEmpty()) {
        throw new ChannelException(
            ReplyCode.PRECONDITION_FAILED,
            "exchange '%s' in vhost '%s' in use".formatted(exchange, name));
      }
      return applyWanted(table.deleteExchange(exchange), connection);
    }
  }

  // Bindings

  /**
   * Binds a queue or exchange to an exchange; doing so twice is no error.
   *
   * @param connection who asks, as an exclusive queue is its own connection's to bind
   * @throws ChannelException 404 if either does not exist, 405 if the queue is another
   *     connection's, 406 if the arguments are not valid
   */
  public CompletableFuture<Void> bind(Binding binding, Object connection) {
    synchronized (lock) {
      requireAlive();
      requireEnds(binding, connection);
      exchange(binding.source()).routingType().validate(binding);
      if (table.contains(binding)) {
        idle.used(binding);
        return done();
      }
      table = withBinding(binding);
      idle.usedEnds(table, binding);
      AtMostOnce.replay(table, binding);
      events.created(binding, Actor.of(connection));
      return log.bound(table, binding);
    }
  }

  /**
   * Removes a binding; one that does not exist is no error, nor are ends that do not.
   *
   * @param connection who asks
   * @throws ChannelException 405 if there is such a binding, and the queue is another connection's
   */
  public CompletableFuture<Void> unbind(Binding binding, Object connection) {
    synchronized (lock) {
      if (binding.destinationKind() == DestinationKind.QUEUE && table.contains(binding)) {
        queue(binding.destination(), connection);
      }
      return applyWanted(table.deleteBinding(binding), connection);
    }
  }

  private void requireEnds(Binding binding, Object connection) {
    exchange(binding.source());
    if (binding.destinationKind() == DestinationKind.QUEUE) {
      queue(binding.destination(), connection);
    } else {
      exchange(binding.destination());
    }
  }

  /** Publishes a table in which something was removed, and logs what of it was durable. */
  private CompletableFuture<Void> apply(Removal<Queue> removal, Actor actor) {
    CompletableFuture<Void> logged = log.removed(table, removal);
    for (ExchangeDefinition exchange : removal.deletedExchanges()) {
      metrics.exchanges().forget(exchange.name());
      idle.forget(exchange.name());
    }
    table = removal.table();
    events.removed(removal, actor);
    removal.deletedBindings().forEach(idle::forget);
    return logged;
  }

  private CompletableFuture<Void> applyWanted(Removal<Queue> removal, Object connection) {
    removal.deletedBindings().forEach(binding -> idle.usedEnds(table, binding));
    return apply(removal, Actor.of(connection));
  }

  private RoutingTable<Queue> withExchange(ExchangeDefinition exchange) {
    return idle.settle(policies.add(table, exchange), exchange, policies.table());
  }

  private RoutingTable<Queue> withBinding(Binding binding) {
    return idle.settle(table.withBinding(binding), binding, policies.table());
  }

  /** Something was not used for too long. Within the lock. */
  void expire(Function<RoutingTable<Queue>, Removal<Queue>> deletion) {
    apply(deletion.apply(table), Actor.BROKER);
  }

  /** A message takes a route: what is on its way notes that. */
  public void follow(Route<Queue> route, Message message) {
    route.remember(message);
    route.used(broker.clock());
  }

  // Queues

  /**
   * A queue that must exist and be usable by this connection.
   *
   * @throws ChannelException 404, or 405 if it is exclusive to another connection
   */
  public Queue queue(String queue, Object connection) {
    Queue found = table.queue(queue);
    if (found == null) {
      throw errors.noQueue(queue);
    }
    if (found.owner() != null && found.owner() != connection) {
      throw errors.locked(queue);
    }
    return found;
  }

  /**
   * Declares a queue, or checks that the one that exists is the same.
   *
   * @throws ChannelException 403 for a reserved name, 405 if it is exclusive to another connection,
   *     406 if an argument is not valid or the queue exists and differs
   */
  public CompletableFuture<QueueStatus> declareQueue(QueueDeclaration asked) {
    QueueDeclaration wanted =
        asked.withDefaultType(
            QueueType.ofWireName(definition.defaultQueueType())
                .orElseGet(broker.defaultQueueType()));
    if (!wanted.serverNamed()) {
      NameErrors.requireUnreserved("queue", wanted.name());
    }
    churn().happened(Churn.Event.QUEUE_DECLARED);
    Queue current = table.queue(wanted.name());
    if (current == null) {
      synchronized (lock) {
        current = table.queue(wanted.name());
        if (current == null) {
          return create(wanted);
        }
      }
    }
    Redeclaration.check(name, wanted, current, broker.defaults().get().extensionsCompared());
    return current.status(wanted.renewsLease());
  }

  /** What a passive declaration tells. Errors as in {@link #queue}. */
  public CompletableFuture<QueueStatus> queueStatus(
      String queue, Object connection, boolean renewsLease) {
    return queue(queue, connection).status(renewsLease);
  }

  private CompletableFuture<QueueStatus> create(QueueDeclaration wanted) {
    requireAlive();
    errors.requireRoom(definition.limits(), table.queueCount(), wanted.name());
    QueueDefinition definition = wanted.definition(name);
    OwnDeadLetterQueue.refuse(definition.arguments(), definition.name(), name);
    Shard shard = wanted.exclusive() ? wanted.home() : shards.next();
    Object owner = wanted.exclusive() ? wanted.connection() : null;
    QueueStatus status = new QueueStatus(wanted.name(), 0, 0);
    CompletableFuture<Void> created =
        create(definition, owner, shard, Actor.of(wanted.connection()));
    return CompletableFuture.allOf(created, addOwnDeadLetterQueue(table.queue(wanted.name())))
        .thenApply(safe -> status);
  }

  private CompletableFuture<Void> create(
      QueueDefinition definition, Object owner, Shard shard, Actor actor) {
    Queue queue = create(broker.queueIds().incrementAndGet(), definition, owner, shard);
    table = table.withQueue(queue.name(), queue);
    queue.start();
    churn().happened(Churn.Event.QUEUE_CREATED);
    events.created(definition, actor);
    return log.declared(queue);
  }

  /** Makes a queue's own dead letter queue if it should have one. Within the lock. */
  private CompletableFuture<Void> addOwnDeadLetterQueue(Queue queue) {
    boolean wanted = policies.settingsOf(queue.definition()).deadLetters().ownQueue();
    return wanted && table.queue(OwnDeadLetterQueue.nameOf(queue.name())) == null
        ? create(
            OwnDeadLetterQueue.of(queue.definition()), queue.owner(), queue.shard(), Actor.BROKER)
        : done();
  }

  private CompletableFuture<Void> addOwnDeadLetterQueues() {
    return CompletableFuture.allOf(
        table.queues().stream()
            .map(this::addOwnDeadLetterQueue)
            .toArray(CompletableFuture<?>[]::new));
  }

  private Queue create(long id, QueueDefinition definition, Object owner, Shard shard) {
    Queue queue = new Queue(id, definition, owner, this, shards, shard, broker.clock().millis());
    metrics.queues().join(queue.counters());
    return queue;
  }

  /**
   * Keeps where the queues live that were on another shard before.
   *
   * @param shardsBefore the shards that the queues were kept on, by the id of the queue
   * @return done when that is safe
   */
  CompletableFuture<Void> keepShards(Map<Long, Integer> shardsBefore) {
    return log.moved(table.queues(), shardsBefore);
  }

  /** The queues that were kept have their messages back, and begin to live. */
  void startRecovered() {
    table.queues().forEach(Queue::start);
    synchronized (lock) {
      addOwnDeadLetterQueues().join();
    }
  }

  /**
   * Deletes a queue; one that does not exist is no error.
   *
   * @param connection who asks
   * @return how many ready messages went with it
   * @throws ChannelException 405 if it is exclusive to another connection; through the future 406
   *     if a condition does not hold
   */
  public CompletableFuture<Long> deleteQueue(
      String queue, Object connection, boolean ifUnused, boolean ifEmpty) {
    if (table.queue(queue) == null) {
      return CompletableFuture.completedFuture(0L);
    }
    Queue found = queue(queue, connection);
    if (OwnDeadLetterQueue.is(found.definition())) {
      throw OwnDeadLetterQueue.staysWithParent(found);
    }
    return found.delete(ifUnused, ifEmpty, Actor.of(connection));
  }

  /** Takes a queue out of the table that has just been deleted. @return done when that is safe */
  CompletableFuture<Void> forget(Queue queue, Actor actor) {
    synchronized (lock) {
      if (table.queue(queue.name()) != queue) {
        return done();
      }
      CompletableFuture<Void> removed = apply(table.deleteQueue(queue.name()), actor);
      metrics.queues().leave(queue.counters());
      churn().happened(Churn.Event.QUEUE_DELETED);
      events.deleted(queue.definition(), actor);
      Queue own = table.queue(OwnDeadLetterQueue.nameOf(queue.name()));
      if (OwnDeadLetterQueue.isOf(own, queue.name())) {
        own.delete(false, false, Actor.BROKER);
      }
      return log.deleted(queue, removed);
    }
  }

  // Policies

  /** Its policies and operator policies. */
  public VhostPolicies policies() {
    return policies;
  }

  /** Changes the policies. @return done when that is safe, and everything lives by them */
  CompletableFuture<Void> changePolicies(PolicyTable changed, MetadataCommand command) {
    synchronized (lock) {
      policies.change(changed);
      table = idle.settleAll(policies.applyTo(table), changed);
      return CompletableFuture.allOf(
          metadata.append(command), addOwnDeadLetterQueues(), VhostPolicies.applyToQueues(table));
    }
  }

  /**
   * Deletes it, for good: it is empty at once, and nothing can be declared any more. To the
   * metadata log that is one command. Messages go after that is safe, or a crash could bring queues
   * back without them.
   *
   * @return done when the queues are deleted
   */
  CompletableFuture<Void> delete() {
    List<Queue> queues;
    CompletableFuture<Void> forgotten;
    synchronized (lock) {
      deleted = true;
      queues = table.queues();
      table = RoutingTable.empty();
      forgotten = metadata.append(new MetadataCommand.VhostDeleted(name));
    }
    return forgotten.thenCompose(
        safe ->
            CompletableFuture.allOf(
                queues.stream().map(Queue::deleteWithVhost).toArray(CompletableFuture<?>[]::new)));
  }

  private void requireAlive() {
    if (deleted) {
      throw new ConnectionException(
          ReplyCode.CONNECTION_FORCED, "vhost '%s' is deleted".formatted(name));
    }
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
