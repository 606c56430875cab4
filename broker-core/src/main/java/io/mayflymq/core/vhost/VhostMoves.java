package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand.QueueIs;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoveIs;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoved;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.MetadataCommand.QueueStays;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.vhost.Topology.Move;
import io.mayflymq.core.vhost.deadletter.RedriveRegistry;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QuorumConversion;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves queues. Any thread may call.
 *
 * <p>Moves queues of this node to other ones, or to replicas on several nodes. The latter makes a
 * classic queue a quorum queue: what moves is the messages, and the definition changes with the
 * place (TopologyChanges).
 *
 * <p>A move is two changes of metadata. The first one (QueueMoving) says that there is a copy,
 * under an id of its own, and where; the node there makes it then, and keeps it whatever happens to
 * its process. Between the two the queue is where it was, and is copied. The second one
 * (QueueMoved) makes the copy the queue; or it is dropped again (QueueStays). All nodes see one of
 * these two, and the same one, since each names the copy and the first that comes excludes the
 * other.
 *
 * <p>So a node that restarts knows that a queue of its may have moved while it was away, and serves
 * it only when it knows the outcome. A move whose process is gone is not resumed: the old node ends
 * it when it is back.
 */
final class VhostMoves {
  private static final Logger LOGGER = LoggerFactory.getLogger(VhostMoves.class);

  private static final String REPLICATED = "given replicas as a quorum queue";

  private final VhostState state;
  private final Broker broker;
  private final RedriveRegistry redrives;

  /** The names of queues that this process is moving. */
  private final Set<String> moving = ConcurrentHashMap.newKeySet();

  /** Why the last move of a queue has failed, by its name. */
  private final Map<String, Failure> failures = new ConcurrentHashMap<>();

  /**
   * Why a move has failed.
   *
   * @param queue the id of the queue then: it has another one when it was moved since
   */
  private record Failure(long queue, String why) {}

  VhostMoves(VhostState state, Broker broker, RedriveRegistry redrives) {
    this.state = state;
    this.broker = broker;
    this.redrives = redrives;
  }

  /** See {@link VirtualHost#moveQueue}. */
  CompletableFuture<Void> move(String name, String node) {
    Cluster cluster = cluster();
    Queue queue = queue(name);
    if (queue.isReplicated()) {
      throw Preconditions.precondition(
          queue, "is replicated: it is on several nodes, and is not moved");
    }
    int member = cluster.targetOfMove(node);
    if (queue.isLocal() && member == cluster.member()) {
      return VhostState.done();
    }
    requireMovable(queue);
    QueuePlace place = new QueuePlace(member, broker.partitions().next().index());
    return observed(queue, "moved to node " + node, () -> transfer(cluster, queue, place));
  }

  /** See {@link VirtualHost#convertQueue}. */
  CompletableFuture<Void> convert(String name) {
    Cluster cluster = cluster();
    Queue queue = queue(name);
    QuorumConversion.require(queue, state.current().policies());
    if (!queue.isReplicated()) {
      requireMovable(queue);
    }
    CompletableFuture<QueuePlace> place = placeOfReplicas(queue);
    return observed(
        queue,
        REPLICATED,
        () ->
            place.thenCompose(
                known ->
                    withReplicas(cluster, queue, known)
                        .thenCompose(done -> ownWithReplicas(cluster, queue, known))));
  }

  private Cluster cluster() {
    return broker
        .cluster()
        .orElseThrow(
            () ->
                new ChannelException(
                    ReplyCode.PRECONDITION_FAILED, "this broker is not a node of a cluster"));
  }

  private Queue queue(String name) {
    Queue queue = state.routing().queue(name);
    if (queue == null) {
      throw state.errors().noQueue(name);
    }
    return queue;
  }

  /** Returns where the replicas of a queue are to be, or are. */
  private CompletableFuture<QueuePlace> placeOfReplicas(Queue queue) {
    if (queue.isReplicated()) {
      return CompletableFuture.completedFuture(QueuePlace.replicated(queue.replicatedPartition()));
    }
    if (AutoDeadLetterQueue.is(queue.definition())) {
      Queue parent = queue(AutoDeadLetterQueue.parentOf(queue.definition()));
      if (!parent.isReplicated()) {
        throw Preconditions.precondition(
            queue, "is the dead letter queue of '%s': convert that one".formatted(parent.name()));
      }
      return placeOfReplicas(parent);
    }
    return broker
        .placement()
        .of(
            QuorumConversion.of(queue.definition(), state.name()),
            state.current().policies(),
            queue.partition())
        .thenApply(place -> requireReplicated(queue, place));
  }

  private static QueuePlace requireReplicated(Queue queue, QueuePlace place) {
    if (!place.isReplicated()) {
      throw Preconditions.precondition(
          queue,
          "cannot have replicas now: its node is the only one of the cluster, or a node is of a"
              + " release without replicas");
    }
    return place;
  }

  private CompletableFuture<Void> withReplicas(Cluster cluster, Queue queue, QueuePlace place) {
    return queue.isReplicated() ? VhostState.done() : transfer(cluster, queue, place);
  }

  /** The own dead letter queue of a queue follows it, if it is on this node. */
  private CompletableFuture<Void> ownWithReplicas(Cluster cluster, Queue parent, QueuePlace place) {
    Queue own = state.routing().queue(AutoDeadLetterQueue.nameOf(parent.name()));
    return AutoDeadLetterQueue.isOf(own, parent.name()) && own.isLocal()
        ? observed(own, REPLICATED, () -> transfer(cluster, own, place))
        : VhostState.done();
  }

  /**
   * Moves a queue, and notes how that goes.
   *
   * @param outcome what becomes of it, in words
   */
  private CompletableFuture<Void> observed(
      Queue queue, String outcome, Supplier<CompletableFuture<Void>> work) {
    String name = queue.name();
    if (!moving.add(name)) {
      throw Preconditions.precondition(queue, "is being moved");
    }
    failures.remove(name);
    LOGGER.info("{} is being {}", queue, outcome);
    return work.get()
        .whenComplete(
            (moved, failure) -> {
              if (failure == null) {
                LOGGER.info("{} was {}", queue, outcome);
              } else {
                String why = Causes.of(failure).getMessage();
                Queue now = state.routing().queue(name);
                if (now != null) {
                  failures.put(name, new Failure(now.id(), why));
                }
                LOGGER.warn("{} was not {}: {}", queue, outcome, why);
              }
              moving.remove(name);
            });
  }

  private CompletableFuture<Void> transfer(Cluster cluster, Queue queue, QueuePlace place) {
    return cluster
        .propose(
            List.of(
                new QueueIs(state.name(), queue.name(), queue.id()),
                new QueueMoving(state.name(), queue.name(), place, 0)),
            ChangeOrigin.of(queue))
        .thenCompose(begun -> copy(cluster, queue))
        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(told(queue, failure)));
  }

  private static Throwable told(Queue queue, Throwable failure) {
    Throwable cause = Causes.of(failure);
    return cause instanceof UndoneException
        ? Preconditions.precondition(
            queue, "was not moved: it was changed meanwhile, or is being moved")
        : cause;
  }

  /** See {@link VirtualHost#isMoving}. */
  boolean isMoving(String name) {
    return moving.contains(name) || state.current().moves().containsKey(name);
  }

  /** See {@link VirtualHost#moveFailure}. */
  String moveFailure(String name) {
    Failure failure = failures.get(name);
    Queue queue = state.routing().queue(name);
    return failure != null && queue != null && failure.queue == queue.id() ? failure.why : null;
  }

  private void requireMovable(Queue queue) {
    if (!queue.isLocal()) {
      throw Preconditions.precondition(queue, "is on node " + queue.home().node() + " now");
    }
    if (queue.isStream()) {
      throw Preconditions.precondition(queue, "is a stream, and streams cannot be moved");
    }
    if (queue.definition().exclusive()) {
      throw Preconditions.precondition(
          queue, "is exclusive, and stays on the node of its connection");
    }
    redrives.requireNone(queue);
  }

  private CompletableFuture<Void> copy(Cluster cluster, Queue queue) {
    Move move = state.current().moves().get(queue.name());
    if (move == null || state.routing().queue(queue.name()) != queue) {
      throw Preconditions.precondition(queue, "was not moved: it was changed meanwhile");
    }
    QueueMoveIs expected = expected(move);
    return queue
        .lifecycle()
        .moveTo(
            move.copy(),
            () ->
                cluster.propose(
                    List.of(expected, new QueueMoved(state.name(), queue.name())),
                    ChangeOrigin.of(queue)))
        .exceptionallyCompose(
            failure ->
                end(cluster, move)
                    .handle((ended, ignored) -> null)
                    .thenCompose(ended -> CompletableFuture.failedFuture(failure)));
  }

  private QueueMoveIs expected(Move move) {
    return new QueueMoveIs(state.name(), move.command().queue(), move.command().copyId());
  }

  /** Ends a move without effect, unless it is decided already. */
  private CompletableFuture<Void> end(Cluster cluster, Move move) {
    return cluster
        .propose(
            List.of(expected(move), new QueueStays(state.name(), move.command().queue())),
            ChangeOrigin.ELSEWHERE)
        .exceptionallyCompose(
            failure ->
                Causes.of(failure) instanceof UndoneException
                    ? VhostState.done()
                    : CompletableFuture.failedFuture(failure));
  }

  /** See {@link VirtualHost#endStrandedMoves}. */
  void endStranded() {
    Cluster cluster = broker.cluster().orElseThrow();
    for (Move move : state.current().moves().values()) {
      Queue queue = state.routing().queue(move.command().queue());
      if (queue != null && queue.isLocal() && !moving.contains(queue.name())) {
        LOGGER.info("the move of {} has ended halfway: it stays on this node", queue);
        end(cluster, move);
      }
    }
  }
}
