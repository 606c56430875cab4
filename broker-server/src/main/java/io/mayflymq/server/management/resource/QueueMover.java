package io.mayflymq.server.management.resource;

import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.cluster.AllNodes;
import io.mayflymq.server.management.cluster.NodeAnswer;
import io.mayflymq.server.management.cluster.NodeQuestion;
import io.mayflymq.server.management.resource.RebalancePlan.Step;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Moves queues of any node, and has other nodes lead replicated partitions. Waits until that has
 * happened. Any thread may call.
 */
final class QueueMover {
  /** A queue stays where it is; the message tells why. */
  static final class NotMovedException extends Exception {
    private static final long serialVersionUID = 1L;

    NotMovedException(String why) {
      super(why, null, false, false);
    }
  }

  private static final long ANSWER_MILLIS = 15_000;
  private static final long LOOK_AGAIN_MILLIS = 100;

  /** A node that is restarted while a queue of it moves knows afterwards where the queue is. */
  private static final long SILENT_MILLIS = 60_000;

  private final Broker broker;
  private final AllNodes nodes;

  QueueMover(Broker broker, AllNodes nodes) {
    this.broker = broker;
    this.nodes = nodes;
  }

  /** Takes a step. Returns when the queue is at its new node, or that node leads. */
  void move(Step step) throws NotMovedException, InterruptedException {
    if (step.placed().partition().isPresent()) {
      int partition = step.placed().partition().getAsInt();
      await(broker.cluster().orElseThrow().replicaOperations().transfer(partition, step.node()));
    } else if (step.placed().node().equals(NodeName.value())) {
      moveFromHere(step);
    } else {
      moveFrom(step);
    }
  }

  private static void await(CompletableFuture<?> done)
      throws NotMovedException, InterruptedException {
    try {
      done.get();
    } catch (ExecutionException e) {
      throw new NotMovedException(Causes.of(e).getMessage());
    }
  }

  private static Placed.Queue queue(Step step) {
    return step.placed().queues().get(0);
  }

  private void moveFromHere(Step step) throws NotMovedException, InterruptedException {
    VirtualHost vhost = broker.virtualHost(queue(step).vhost());
    if (vhost == null) {
      throw new NotMovedException("its virtual host is deleted");
    }
    try {
      await(vhost.moveQueue(queue(step).name(), step.node()));
    } catch (AmqpException e) {
      throw new NotMovedException(e.getMessage());
    }
  }

  private void moveFrom(Step step) throws NotMovedException, InterruptedException {
    String home = step.placed().node();
    NodeAnswer answer = answer(home, question("POST", step, Json.object("node", step.node())));
    if (answer == null) {
      throw new NotMovedException("node %s cannot be reached, or does not answer".formatted(home));
    }
    long heard = System.nanoTime();
    while (true) {
      if (answer != null) {
        heard = System.nanoTime();
        if (isThere(answer, step)) {
          return;
        }
      } else if (System.nanoTime() - heard > TimeUnit.MILLISECONDS.toNanos(SILENT_MILLIS)) {
        throw new NotMovedException("node %s was lost while it was moved".formatted(home));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
      answer = answer(home, question("GET", step, null));
    }
  }

  private static NodeQuestion question(String method, Step step, Map<String, Object> body) {
    return new NodeQuestion(
        method,
        List.of("queues", queue(step).vhost(), queue(step).name(), "move"),
        Map.of(),
        Map.of(),
        Map.of(),
        body,
        // The user who has begun is an administrator, who may move queues of all virtual hosts.
        Principal.CONTROL);
  }

  /** Returns null if there is none. */
  private NodeAnswer answer(String node, NodeQuestion question) throws InterruptedException {
    try {
      return nodes.answer(node, question, ANSWER_MILLIS).get();
    } catch (ExecutionException e) {
      return null;
    }
  }

  /** Returns whether a queue has moved; false while it is being moved. */
  private static boolean isThere(NodeAnswer answer, Step step) throws NotMovedException {
    Map<String, Object> state = answer.object();
    if (step.node().equals(state.get("node"))) {
      return true;
    }
    if (Boolean.TRUE.equals(state.get("moving"))) {
      return false;
    }
    if (!answer.isDone()) {
      throw new NotMovedException(answer.reason());
    }
    Object failure = state.get("failure");
    throw new NotMovedException(
        failure == null ? "it is on node " + state.get("node") : failure.toString());
  }
}
