package io.mayflymq.core.vhost;

import io.mayflymq.core.event.Actor;
import io.mayflymq.core.event.BrokerEvents;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.CommittedState;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.metrics.VhostMetrics;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.routing.Removal;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.routing.binding.Binding;
import io.mayflymq.core.routing.exchange.ExchangeDefinition;
import io.mayflymq.core.routing.route.Route;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/*
 * A virtual host: its exchanges and queues, and the bindings between them.
 *
 * Publishers read the routing table, an immutable snapshot behind one volatile field, and never wait. A thread that changes it holds the
 * lock for as long as it takes to make the next snapshot and to append the change to the metadata log; the change is in force once
 * the log says that it is safe (CommittedState). So what one client sees another one's crash cannot take away.
 *
 * A request is decided by the proposed state, which has the changes that are being written too. Where it finds there what is not in force yet,
 * or is told to make what is about to go, it waits until that is decided and looks again. An error is told only when nothing that it follows from
 * is being written.
 *
 * All methods may be called by any thread. Errors that are the client's come as ChannelException, thrown at once or through the future.
 */
public final class VirtualHost {
  private final String name;
  private final Preconditions errors;
  private final ReplyConsumers replies;
  private final BrokerContext broker;
  private final VhostMetrics metrics;
  private final DeadLetterRouter deadLetters;
  private final Firehose firehose = new Firehose(this);
  private final VhostPolicies policies;
  private final VhostExchanges exchanges;
  private final VhostQueues queues;
  private final Object lock = new Object();
  private final CommittedState<Topology> state;
  private volatile VhostDefinition definition;

  VirtualHost(
      VhostDefinition definition, List<ExchangeDefinition> predeclared, BrokerContext broker) {
    this.name = definition.name();
    this.errors = new Preconditions(name);
    this.replies = new ReplyConsumers(errors);
    this.definition = definition;
    this.broker = broker;
    IdleLeases idle = new IdleLeases(this, broker.shards().get(0), broker.clock(), lock);
    this.metrics = new VhostMetrics(broker.shards().count());
    this.deadLetters = new DeadLetterRouter(this, broker.shards());
    RoutingTable<Queue> table = RoutingTable.empty();
    for (ExchangeDefinition exchange : predeclared) {
      table = table.withExchange(exchange);
    }
    this.state =
        new CommittedState<>(
            lock,
            broker.metadata(),
            new Topology(table, PolicyTable.of(broker.defaults().get()), false));
    this.policies = new VhostPolicies(this, state, lock, idle);
    this.exchanges = new VhostExchanges(this, state, idle, broker.events());
    this.queues = new VhostQueues(this, state, lock, broker);
  }

  /** Carries out what was kept before this process. Called before the first client comes. */
  void replay(MetadataCommand command) {
    synchronized (lock) {
      if (command instanceof MetadataCommand.ExchangeDeclared declared) {
        exchanges.replay(declared.exchange());
      } else if (command instanceof MetadataCommand.QueueDeclared declared) {
        queues.replay(declared);
      } else if (command instanceof MetadataCommand.Bound bound) {
        exchanges.replay(bound.binding());
      } else if (command instanceof MetadataCommand.PolicySet set) {
        policies.replay(set.policy());
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
    return state.current().routing();
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

  // Requests

  /**
   * Answers a request under the lock. An error that may come from something that is being written
   * is told only if it stays when that is decided.
   */
  <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> request) {
    return CommittedState.retrying(
        () -> {
          synchronized (lock) {
            try {
              return request.get();
            } catch (AmqpException e) {
              if (state.isSettled()) {
                throw e;
              }
            }
          }
          return askLater(request);
        });
  }

  /** Answers a request when what is proposed now is in force or undone. */
  <T> CompletableFuture<T> askLater(Supplier<CompletableFuture<T>> request) {
    return state
        .settled()
        .thenCompose(
            settled ->
                CommittedState.retrying(
                    () -> {
                      synchronized (lock) {
                        return request.get();
                      }
                    }));
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
    return ask(() -> exchanges.declare(wanted, connection));
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
    errors.requireDeletable(exchange);
    return ask(() -> exchanges.delete(exchange, ifUnused, connection));
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
    return ask(() -> exchanges.bind(binding, connection));
  }

  /**
   * Removes a binding; one that does not exist is no error, nor are ends that do not.
   *
   * @param connection who asks
   * @return done when no message takes it any more, and that is safe
   * @throws ChannelException 405 if there is such a binding, and the queue is another connection's
   */
  public CompletableFuture<Void> unbind(Binding binding, Object connection) {
    return ask(() -> exchanges.unbind(binding, connection));
  }

  /** See {@link VhostExchanges#removed}. Within the lock. */
  void removed(Removal<Queue> removal, Actor actor) {
    exchanges.removed(removal, actor);
  }

  /** See {@link VhostExchanges#expire}. Within the lock. */
  void expire(Function<RoutingTable<Queue>, Removal<Queue>> deletion) {
    exchanges.expire(deletion);
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
    return usable(routing(), queue, connection);
  }

  Queue usable(RoutingTable<Queue> table, String queue, Object connection) {
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
   * Declares a queue, or checks that the one that exists is the same. One that is about to go is
   * declared anew when it has.
   *
   * @throws ChannelException 403 for a reserved name, 405 if it is exclusive to another connection,
   *     406 if an argument is not valid or the queue exists and differs
   */
  public CompletableFuture<DeclaredQueue> declareQueue(QueueDeclaration asked) {
    return queues.declare(asked);
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
   * @return how many ready messages went with it
   * @throws ChannelException 405 if it is exclusive to another connection; through the future 406
   *     if a condition does not hold
   */
  public CompletableFuture<Long> deleteQueue(
      String queue, Object connection, boolean ifUnused, boolean ifEmpty) {
    return queues.delete(queue, connection, ifUnused, ifEmpty);
  }

  /** Removes a queue. @return done when it is in no table any more, and that is safe */
  CompletableFuture<Void> remove(Queue queue, Actor actor) {
    return queues.remove(queue, actor);
  }

  /**
   * Keeps where the queues live that were on another shard before.
   *
   * @param shardsBefore the shards that the queues were kept on, by the id of the queue
   * @return done when that is safe
   */
  CompletableFuture<Void> keepShards(Map<Long, Integer> shardsBefore) {
    return queues.keepShards(shardsBefore);
  }

  /** The queues that were kept have their messages back, and begin to live. */
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
    synchronized (lock) {
      Topology before = state.proposed();
      requireAlive(before);
      return state.propose(
          before.end(),
          List.of(new MetadataCommand.VhostDeleted(name)),
          () -> queues.end(before.routing().queues()));
    }
  }

  /**
   * The end of its queues, once it is deleted.
   *
   * @return done when all of them have gone
   */
  public CompletableFuture<Void> queuesEnded() {
    return queues.ended();
  }

  void requireAlive(Topology topology) {
    if (topology.deleted()) {
      throw new ConnectionException(
          ReplyCode.CONNECTION_FORCED, "vhost '%s' is deleted".formatted(name));
    }
  }

  static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
