package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.CommittedState;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The state of a virtual host, which its exchanges, queues and policies share, and how requests
 * change it.
 *
 * <p>Publishers read the routing table, an immutable snapshot behind one volatile field, and never
 * wait. A thread that changes it holds the lock for as long as it takes to make the next snapshot
 * and to append the change to the metadata log; the change is in force once the log says that it is
 * safe (CommittedState). So what one client sees another one's crash cannot take away.
 *
 * <p>A request is decided by the proposed state, which has the changes that are being written too.
 * Where it finds there what is not in force yet, or is told to make what is about to go, it waits
 * until that is decided and looks again. An error is told only when nothing that it follows from is
 * being written.
 */
final class VhostState {
  /** For how many things at a time many are done. */
  static final int AT_ONCE = 50;

  private final Object lock = new Object();
  private final CommittedState<Topology> topology;
  private final Preconditions errors;
  private final Broker broker;
  private volatile VhostDefinition definition;

  VhostState(VhostDefinition definition, Topology first, Broker broker) {
    this.definition = definition;
    this.broker = broker;
    this.errors = new Preconditions(definition.name());
    this.topology = new CommittedState<>(lock, broker.metadata(), first);
  }

  String name() {
    return definition.name();
  }

  VhostDefinition definition() {
    return definition;
  }

  void redefine(VhostDefinition changed) {
    definition = changed;
  }

  /** Returns the errors of this virtual host. */
  Preconditions errors() {
    return errors;
  }

  /** Returns the lock under which the state is changed. */
  Object lock() {
    return lock;
  }

  /** Returns the exchanges, queues and bindings in force. */
  RoutingTable<Queue> routing() {
    return topology.current().routing();
  }

  /** Returns the state in force. */
  Topology current() {
    return topology.current();
  }

  /** Returns the state with the changes that are being written. Within the lock. */
  Topology proposed() {
    return topology.proposed();
  }

  /** See {@link CommittedState#isSettled}. */
  boolean isSettled() {
    return topology.isSettled();
  }

  /** See {@link CommittedState#settled}. */
  CompletableFuture<Void> settled() {
    return topology.settled();
  }

  /** See {@link CommittedState#propose}. */
  CompletableFuture<Void> propose(
      Topology changed, List<MetadataCommand> commands, Runnable whenInForce) {
    return topology.propose(changed, commands, whenInForce);
  }

  /** See {@link CommittedState#restore}. */
  void restore(Topology kept) {
    topology.restore(kept);
  }

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
              if (topology.isSettled()) {
                throw e;
              }
            }
          }
          return askLater(request);
        });
  }

  /** Answers a request when what is proposed now is in force or undone. */
  <T> CompletableFuture<T> askLater(Supplier<CompletableFuture<T>> request) {
    return topology
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

  /**
   * Does work for many things under the lock, some at a time: the next ones when those before are
   * done. The first ones are done at once, the others on the first shard, with other work in
   * between.
   *
   * @return done when all is; fails with the first failure
   */
  <T> CompletableFuture<Void> someAtATime(
      List<T> things, Function<T, CompletableFuture<Void>> work) {
    CompletableFuture<Void> over = new CompletableFuture<>();
    goOn(things, work, null, over);
    return over;
  }

  private <T> void goOn(
      List<T> things,
      Function<T, CompletableFuture<Void>> work,
      Throwable failure,
      CompletableFuture<Void> over) {
    List<T> some = things.subList(0, Math.min(things.size(), AT_ONCE));
    List<T> rest = things.subList(some.size(), things.size());
    doneFor(some, work)
        .whenComplete(
            (done, failed) -> {
              Throwable first = failure == null ? failed : failure;
              if (!rest.isEmpty()) {
                Shard home = home();
                home.runOrExecute(() -> home.executeLater(() -> goOn(rest, work, first, over)));
              } else if (first == null) {
                over.complete(null);
              } else {
                over.completeExceptionally(first);
              }
            });
  }

  /** Returns the shard that does work for the virtual host as a whole: the first one. */
  Shard home() {
    return broker.partitions().get(0).shard();
  }

  private <T> CompletableFuture<Void> doneFor(
      List<T> some, Function<T, CompletableFuture<Void>> work) {
    try {
      return ask(
          () ->
              CompletableFuture.allOf(
                  some.stream().map(work).toArray(CompletableFuture<?>[]::new)));
    } catch (AmqpException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Returns a queue that must exist and be usable by a connection.
   *
   * @throws ChannelException 404, or 405 if it is exclusive to another connection
   */
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
   * Checks that the virtual host is not deleted.
   *
   * @throws ConnectionException 320 if it is
   */
  void requireAlive(Topology asked) {
    if (asked.deleted()) {
      throw new ConnectionException(
          ReplyCode.CONNECTION_FORCED, "vhost '%s' is deleted".formatted(name()));
    }
  }

  /**
   * Checks whether there is room for one more exchange, queue or binding. Within the lock.
   *
   * @param what the request, for the error
   * @param bytes how much memory it takes, about
   * @throws ChannelException 406 if memory is low or a limit is reached
   */
  void requireRoom(Topology asked, String what, long bytes) {
    if (broker.isLowOnMemory()) {
      throw Preconditions.lowOnMemory(what);
    }
    ObjectLimits ofBroker = broker.limits();
    long present = asked.routing().metadataBytes();
    errors.requireRoomFor(
        what, definition.limits(), ofBroker.vhostBytes(), Math.addExact(present, bytes));
    if (ofBroker.bytes() < Long.MAX_VALUE) {
      long others = broker.metadataBytes() - routing().metadataBytes();
      Preconditions.requireRoomInBroker(what, ofBroker.bytes(), others + present + bytes);
    }
  }

  /**
   * Checks whether the broker may have one more exchange. Within the lock. The exchanges of other
   * virtual hosts that are not in force yet do not count.
   *
   * @throws ChannelException 406 if not
   */
  void requireRoomForExchange(Topology asked, String exchange) {
    int most = broker.limits().exchanges();
    if (most < ObjectLimits.UNLIMITED) {
      int proposed = asked.routing().exchangeCount() - routing().exchangeCount();
      errors.requireRoomForExchangeInBroker(most, broker.exchangeCount() + proposed, exchange);
    }
  }

  /**
   * Returns whether declarations that are made at once are far from the limits of memory, so that
   * none needs to wait for another.
   */
  boolean hasAmpleRoom() {
    Integer own = definition.limits().get(Limit.MAX_METADATA_BYTES);
    long most = own == null || own < 0 ? broker.limits().vhostBytes() : own;
    return routing().metadataBytes() < most / 2 && !broker.isLowOnMemory();
  }

  static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
