package io.mayflymq.core.vhost;

import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.message.IncomingStamps;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.SentTime;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.metrics.VhostMetrics;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.PolicySubject;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.tracing.MessageTracer;
import io.mayflymq.core.vhost.deadletter.DeadLetterRouter;
import io.mayflymq.core.vhost.deadletter.DeadlineNotices;
import io.mayflymq.core.vhost.deadletter.RedriveRegistry;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.core.vhost.queue.local.DeletedQueues;
import io.mayflymq.core.vhost.queue.local.LocalEnvironment;
import io.mayflymq.protocol.types.ChannelException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * A virtual host: its exchanges and queues, the bindings between them, and its policies.
 *
 * <p>All methods may be called by any thread. Errors that are the client's come as
 * ChannelException, thrown at once or through the future.
 */
public final class VirtualHost implements QueueHost {
  private final VhostState state;
  private final ReplyConsumers replies;
  private final Broker broker;
  private final LongSupplier steadyTime;
  private final VhostMetrics metrics;
  private final RedriveRegistry redrives;
  private final TopologyEffects effects;
  private final VhostChanges changes;
  private final Firehose firehose = new Firehose(this);
  private final IdleLeases idle;
  private final VhostPolicies policies;
  private final VhostExchanges exchanges;
  private final VhostQueues queues;
  private final VhostMoves moves;
  private final QueueFactory factory;
  private final DeletedQueues deletedHere = new DeletedQueues();

  VirtualHost(VhostDefinition definition, List<ExchangeDefinition> predeclared, Broker broker) {
    this.broker = broker;
    this.steadyTime = broker.partitions().shards()::steadyMillis;
    RoutingTable<Queue> table = RoutingTable.empty();
    for (ExchangeDefinition exchange : predeclared) {
      table = table.withExchange(exchange);
    }
    this.state =
        new VhostState(
            definition,
            new Topology(
                table,
                PolicyTable.of(broker.defaultsOf(definition))
                    .withPoliciesForVhosts(broker.policiesFor(definition.name()))),
            broker);
    this.replies = new ReplyConsumers(name(), state.errors(), broker::cluster);
    this.idle = new IdleLeases(state, broker, this.expiry());
    this.metrics = new VhostMetrics(broker.partitions().shards().count(), broker.measuresWaits());
    this.redrives = new RedriveRegistry(broker.publishers(), broker.partitions());
    this.effects = new TopologyEffects(name(), broker, idle, metrics, redrives);
    LocalEnvironment environment =
        new LocalEnvironment(
            this,
            broker.partitions(),
            new DeadLetterRouter(this, broker.publishers()),
            broker.publishers(),
            new DeadlineNotices(this, broker.publishers()),
            deletedHere);
    this.factory = new QueueFactory(broker, environment);
    this.changes =
        new VhostChanges(
            state,
            new TopologyChanges(
                new TopologyCommands(name(), () -> broker.cluster().isPresent()),
                idle,
                factory,
                effects),
            broker::cluster);
    this.exchanges = new VhostExchanges(state, changes, idle);
    this.queues = new VhostQueues(state, changes, broker);
    this.moves = new VhostMoves(state, broker, redrives);
    this.policies =
        new VhostPolicies(
            state, changes, broker.deprecatedFeatures(), idle, this::addOwnDeadLetterQueues);
  }

  private IdleLeases.Deletion expiry() {
    return new IdleLeases.Deletion() {
      @Override
      public CompletableFuture<Void> expire(String exchange) {
        return exchanges.expire(exchange);
      }

      @Override
      public CompletableFuture<Void> expire(Binding binding) {
        return exchanges.expire(binding);
      }
    };
  }

  /** Carries out what was kept before this process. Called before the first client comes. */
  void replay(MetadataCommand command) {
    if (command instanceof MetadataCommand.PolicySet set) {
      policies.replay(set.policy());
    } else {
      changes.replay(command);
    }
  }

  /** See {@link Broker#leaseMillis}. */
  long leaseMillis(MetadataCommand deletion) {
    return idle.leaseMillis(deletion);
  }

  /** See {@link Broker#apply}. */
  CompletableFuture<Void> apply(List<? extends MetadataCommand> commands, ChangeOrigin origin) {
    CompletableFuture<Void> applied = changes.apply(commands, origin);
    if (commands.stream().anyMatch(VhostPolicies::isChange)) {
      // Also on the node that has requested the change: its request may have failed meanwhile.
      applied.thenRun(() -> broker.cluster().orElseThrow().inBackground(policies::refresh));
    }
    return applied;
  }

  @Override
  public String name() {
    return state.name();
  }

  /** The rules of RabbitMQ that it follows. */
  public Dialect dialect() {
    return state.current().policies().defaults().dialect();
  }

  /** What may be used though RabbitMQ took it away, in all virtual hosts alike. */
  public DeprecatedFeatures deprecatedFeatures() {
    return broker.deprecatedFeatures();
  }

  /** What it was added with, and its limits. */
  public VhostDefinition definition() {
    return state.definition();
  }

  /**
   * Changes all but its name; limits hold from the next declaration. Queues follow another dialect
   * some time later.
   */
  public void redefine(VhostDefinition changed) {
    state.redefine(changed);
    policies.use(broker.defaultsOf(changed));
  }

  @Override
  public RoutingTable<Queue> routing() {
    return state.routing();
  }

  /**
   * Returns whether a queue may have a header with a time to deliver, by its declaration or by a
   * policy. If not, no queue has to be asked for it. Any thread may call.
   */
  public boolean schedulesByHeaders() {
    Topology now = state.current();
    return now.routing().hasTimedQueues() || now.policies().schedules();
  }

  /** What is counted here. */
  public VhostMetrics metrics() {
    return metrics;
  }

  /**
   * How many connections, channels and queues were created and closed, in all virtual hosts
   * together.
   */
  public Churn churn() {
    return broker.churn();
  }

  /** Where it is told what happens, in all virtual hosts together. */
  public BrokerEvents events() {
    return broker.auditedEvents();
  }

  /** The tracer of its messages. */
  public Firehose firehose() {
    return firehose;
  }

  /** Who waits for replies here. */
  public ReplyConsumers replies() {
    return replies;
  }

  /** Returns the redrives of its dead letter queues. */
  public RedriveRegistry redrives() {
    return redrives;
  }

  // Exchanges and bindings

  /**
   * An exchange that must exist.
   *
   * @throws ChannelException 404
   */
  public ExchangeDefinition exchange(String exchange) {
    return exchanges.required(routing(), exchange);
  }

  /**
   * What a passive declaration asks: whether there is such an exchange; fails with 404 if there is
   * not. If it is being declared, that is waited for.
   */
  public CompletableFuture<Void> exchangeStatus(String exchange) {
    return exchanges.status(exchange);
  }

  /**
   * Declares an exchange, or checks that the one that exists is the same.
   *
   * @param connection who asks
   * @return done when it is in force and safe
   * @throws ChannelException 403 for a reserved name, 406 if it exists and differs or an argument
   *     is not valid
   */
  public CompletableFuture<Void> declareExchange(ExchangeDefinition wanted, Object connection) {
    return state.ask(() -> exchanges.declare(wanted, connection));
  }

  /**
   * Deletes an exchange with its bindings; one that does not exist is no error.
   *
   * @param connection who asks
   * @return done when it is gone and that is safe
   * @throws ChannelException 403 for one of the broker's own, 406 if it has bindings and {@code
   *     ifUnused} is set
   */
  public CompletableFuture<Void> deleteExchange(
      String exchange, boolean ifUnused, Object connection) {
    state.errors().requireDeletable(exchange);
    return state.ask(() -> exchanges.delete(exchange, ifUnused, connection));
  }

  /**
   * Binds a queue or exchange to an exchange; doing so twice is no error.
   *
   * @param connection who asks, as an exclusive queue is its own connection's to bind
   * @return done when messages take it, and it is safe
   * @throws ChannelException 404 if either does not exist, 405 if the queue is another
   *     connection's, 406 if the arguments are not valid
   */
  public CompletableFuture<Void> bind(Binding binding, Object connection) {
    return state.ask(() -> exchanges.bind(binding, connection));
  }

  /**
   * Removes a binding; one that does not exist is no error, nor are ends that do not.
   *
   * @param connection who asks
   * @return done when no message takes it any more, and that is safe
   * @throws ChannelException 405 if there is such a binding, and the queue is another connection's
   */
  public CompletableFuture<Void> unbind(Binding binding, Object connection) {
    return state.ask(() -> exchanges.unbind(binding, connection));
  }

  @Override
  public MessageTracer tracer() {
    return broker.tracer();
  }

  /** Returns what is put into messages before they are routed; null for nothing. */
  public IncomingStamps stamps() {
    return broker.stamps();
  }

  /**
   * Returns a message as it is sent to a consumer now: with the time, if consumers are told. Any
   * thread may call.
   */
  public Message asSent(Message message) {
    SentTime time = broker.sentTime();
    return time == null ? message : time.tell(message);
  }

  @Override
  public long nowMillis() {
    return broker.clock().millis();
  }

  @Override
  public boolean isReplyName(String name) {
    return ReplyConsumers.isReplyName(name);
  }

  @Override
  public void reply(Shard from, String name, Message message) {
    replies.send(from, name, message);
  }

  @Override
  public void follow(Route<Queue> route, Message message) {
    route.remember(message, this::nowMillis);
    route.used(steadyTime);
  }

  // Queues

  /**
   * A queue that must exist and be usable by this connection.
   *
   * @throws ChannelException 404, or 405 if it is exclusive to another connection
   */
  public Queue queue(String queue, Object connection) {
    return state.usable(routing(), queue, connection);
  }

  /**
   * Declares a queue, or checks that the one that exists is the same, or changes it as the policy
   * key {@code on-mismatch} says. One that is about to go is declared anew when it has.
   *
   * @throws ChannelException 403 for a reserved name, 405 if it is exclusive to another connection,
   *     406 if an argument is not valid or the queue exists and differs
   */
  public CompletableFuture<DeclaredQueue> declareQueue(QueueDeclaration asked) {
    return queues.declare(asked);
  }

  /**
   * Makes the automatic dead letter queue of a queue, unless it is there, whatever the settings of
   * the queue: one that it had before it lost the setting stays, and so it does in a copy.
   *
   * @param connection who asks
   * @throws ChannelException through the future: 404 if there is no such queue, 406 if another
   *     queue has the name
   */
  public CompletableFuture<Void> declareDeadLetterQueueOf(String queue, Object connection) {
    return queues.declareDeadLetterQueueOf(queue, connection);
  }

  /**
   * Returns whether a declaration of a queue that is there would succeed: they agree, or a policy
   * says what becomes of what differs.
   *
   * @param present the queue of this name
   */
  public boolean takes(QueueDeclaration declaration, Queue present) {
    return queues.takes(declaration, present);
  }

  /**
   * Returns whether a queue of this name is new, as far as is known here, and there may be any
   * number of queues: then it can be declared while other queues are being declared, as neither
   * depends on the other.
   */
  public boolean hasRoomForAnyNewQueue(String name) {
    return queues.hasRoomForAnyNew(name);
  }

  /**
   * What a passive declaration tells. If the queue is being declared or deleted, that is waited
   * for. Errors as in {@link #queue}.
   */
  public CompletableFuture<DeclaredQueue> declareOk(
      String queue, Object connection, boolean renewsLease) {
    return queues.status(queue, connection, renewsLease);
  }

  /**
   * Deletes a queue; one that does not exist is no error. It is there until that is safe, and stays
   * if it cannot be made so.
   *
   * @param connection who asks
   * @return how many ready messages went with it; 0 for a stream, as in RabbitMQ
   * @throws ChannelException 405 if it is exclusive to another connection; through the future 406
   *     if a condition does not hold
   */
  public CompletableFuture<Long> deleteQueue(
      String queue, Object connection, boolean ifUnused, boolean ifEmpty) {
    return queues.delete(queue, connection, ifUnused, ifEmpty);
  }

  /** Returns the deleted queues that can be brought back, in no particular order. */
  public List<KeptQueue> deletedQueues() {
    return List.copyOf(state.current().kept().values());
  }

  /**
   * The queues of one moment.
   *
   * @param present those in the routing table
   * @param deleted those that are deleted and can be brought back
   */
  public record Queues(List<Queue> present, List<KeptQueue> deleted) {}

  /** Returns the queues of this moment: one that is deleted, or comes back, is in either list. */
  public Queues queuesNow() {
    Topology now = state.current();
    return new Queues(now.routing().queues(), List.copyOf(now.kept().values()));
  }

  /** Returns how many of them have their messages on this node. */
  public int deletedQueuesHere() {
    return deletedHere.count();
  }

  /** Returns how many bytes these messages count; see {@code recoverable-bytes}. */
  public long deletedBytesHere() {
    return deletedHere.bytes();
  }

  /**
   * Returns a deleted queue that can be brought back.
   *
   * @param id its number; empty for the one of that name that was deleted last
   * @throws ChannelException 404 if there is none
   */
  public KeptQueue deletedQueue(String name, OptionalLong id) {
    return queues.deleted(name, id);
  }

  /**
   * Brings a deleted queue back: its definition, the bindings whose exchanges are there, and its
   * messages, which follow slice by slice ({@link
   * io.mayflymq.core.vhost.queue.QueueRequests#broughtBack}).
   *
   * @param name the name that it has from now on
   * @param connection who asks
   * @return done when it is there and that is safe
   * @throws ChannelException 403 for a reserved name, 404 if it cannot be brought back any more,
   *     406 if there is a queue of that name or there may be no more queues
   */
  public CompletableFuture<Undeleted> undeleteQueue(
      KeptQueue kept, String name, Object connection) {
    return queues.undelete(kept, name, connection);
  }

  /**
   * Checks whether {@link #undeleteQueue} would bring a deleted queue back, and changes nothing.
   *
   * @param name the name that it would have
   * @return done if it would; otherwise fails as that would
   * @throws ChannelException as for {@link #undeleteQueue}
   */
  public CompletableFuture<Void> requireUndeletable(KeptQueue kept, String name) {
    return queues.requireUndeletable(kept, name);
  }

  /**
   * Moves a queue of this node to another one, while it is in use.
   *
   * @param node the name of the other node; nothing is done if it is this one
   * @return done when the queue is there; fails with 406 if it stays here, with 541 if that is not
   *     known yet
   * @throws ChannelException 404 if there is no such queue or node, 406 if the queue cannot be
   *     moved
   */
  public CompletableFuture<Void> moveQueue(String queue, String node) {
    return moves.move(queue, node);
  }

  /**
   * Makes a queue of this node a quorum queue with replicas, while it is in use: a classic queue,
   * or a quorum queue that is on this node alone. Nothing is done if it has replicas. Its own dead
   * letter queue gets the same replicas, if it is on this node.
   *
   * @return done when it is one; fails with 406 if it stays what it is, with 541 if that is not
   *     known yet
   * @throws ChannelException 404 if there is no such queue, 406 if it cannot become one
   */
  public CompletableFuture<Void> convertQueue(String queue) {
    return moves.convert(queue);
  }

  /** Returns whether a queue is being moved from here, or by any node. */
  public boolean isMoving(String queue) {
    return moves.isMoving(queue);
  }

  /**
   * Returns why the last move of a queue from this node has failed; null if it has not, or the
   * queue was moved since.
   */
  public String moveFailure(String queue) {
    return moves.moveFailure(queue);
  }

  /**
   * Ends the moves of queues of this node that no one makes any more. To be called now and then, in
   * a cluster.
   */
  public void endStrandedMoves() {
    moves.endStranded();
  }

  /**
   * Returns a queue that is or was on this node, or the copy of one that is being moved here; null
   * if there is none of this id.
   */
  public Queue queueHere(String name, long id) {
    Topology topology = state.current();
    Queue queue = topology.queue(name);
    if (queue != null && queue.id() == id) {
      return queue.here().orElse(null);
    }
    Topology.Move move = topology.moves().get(name);
    if (move != null && move.copy().id() == id) {
      return move.copy().isLocal() ? move.copy() : null;
    }
    KeptQueue kept = topology.kept().get(id);
    return kept == null ? effects.departed(id) : kept.queue().here().orElse(null);
  }

  /**
   * Creates what does the work of a replicated queue while this node leads its partition. It is in
   * no table; its counters are added to those of the virtual host until {@link #ledNoMore}.
   *
   * @param replicated the queue in the table
   * @param partition where its messages are
   */
  public Queue led(Queue replicated, Partition partition) {
    Queue led = factory.led(replicated, partition);
    metrics.queues().join(led.counters(), VhostMetrics.kindOf(led.definition().settings().type()));
    return led;
  }

  /**
   * Creates what has the messages of a deleted replicated queue while this node leads its
   * partition, in the same way; its counters are in no sum.
   */
  public Queue ledDeleted(Queue replicated, Partition partition) {
    return factory.led(replicated, partition);
  }

  /** This node leads the partition of a queue no more, or the queue is deleted. */
  public void ledNoMore(Queue led) {
    metrics.queues().leave(led.counters());
  }

  @Override
  public QueueReplicas replicasOf(int partition) {
    return broker.cluster().orElseThrow().replicasOf(partition);
  }

  /** The version of changes that knows deleted queues came with them. */
  @Override
  public boolean countsRenewals() {
    return broker.cluster().map(Cluster::knowsDeletedQueues).orElse(true);
  }

  /** Returns the copies of queues that are being moved, wherever they are moved to. */
  public List<Queue> copies() {
    return state.current().moves().values().stream().map(Topology.Move::copy).toList();
  }

  @Override
  public CompletableFuture<Void> remove(Queue queue, Actor actor) {
    return queues.remove(queue, actor);
  }

  @Override
  public CompletableFuture<Void> forget(Queue queue) {
    return queues.forget(queue.id());
  }

  @Override
  public EffectiveSettings byPolicies(QueueDefinition queue) {
    return policies.table().byPolicies(PolicySubject.queue(queue.settings().type(), queue.name()));
  }

  @Override
  public QueueSettings settingsOf(QueueDefinition queue) {
    return state.current().settingsOf(queue);
  }

  /**
   * Keeps where the queues are that were in another partition before.
   *
   * @param partitionsBefore the partitions that the queues were kept in, by the id of the queue
   * @return done when that is safe
   */
  CompletableFuture<Void> keepPartitions(Map<Long, Integer> partitionsBefore) {
    return queues.keepPartitions(partitionsBefore);
  }

  /** The queues that were kept have their messages back, and rest until they are started. */
  void restRecovered() {
    queues.restRecovered();
  }

  /** The queues that were kept start. */
  void startRecovered() {
    queues.startRecovered();
  }

  // Policies

  /** Its policies and operator policies. */
  public VhostPolicies policies() {
    return policies;
  }

  /** Makes the own dead letter queues that are wanted and not there. @return done when they are */
  CompletableFuture<Void> addOwnDeadLetterQueues() {
    return queues.addOwnDeadLetterQueues();
  }

  /**
   * Deletes it, for good: when that is safe it is empty, and nothing can be declared any more. To
   * the metadata log that is one command. Messages go after that, or a crash could bring queues
   * back without them.
   *
   * @return done when it is deleted; fails if that could not be made safe, and nothing has changed
   */
  public CompletableFuture<Void> delete() {
    synchronized (state.lock()) {
      state.requireAlive(state.proposed());
      return changes.apply(
          List.of(new MetadataCommand.VhostDeleted(name())), ChangeOrigin.of(Actor.BROKER));
    }
  }

  /**
   * The end of its queues, once it is deleted.
   *
   * @return done when all of them have gone
   */
  public CompletableFuture<Void> queuesEnded() {
    return effects.queuesEnded();
  }
}
