package io.mayflymq.it.cluster.fault;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Moves queues to other nodes, one at a time, and waits for the end of each move. A move may be
 * refused or fail, as other clients move the same queues and nodes cannot be reached; but it ends.
 */
final class LoadMover extends LoadClient {
  private static final int LONGEST_PAUSE_MILLIS = 1_500;
  private static final int ASK_MILLIS = 50;

  private final List<MessageLedger> queues;
  private final AtomicInteger moves;
  private final Random random;

  /**
   * Creates one.
   *
   * @param moves counts the queues that have come to another node
   */
  LoadMover(
      FaultBench bench, int node, List<MessageLedger> queues, AtomicInteger moves, Random random) {
    super("mover", bench, node);
    this.queues = queues;
    this.moves = moves;
    this.random = random;
  }

  /** Returns the path of what the API tells of the moves of a queue. */
  static String path(MessageLedger queue) {
    return "queues/%2F/" + queue.queue() + "/move";
  }

  @Override
  void work(Connection connection) throws IOException, InterruptedException {
    while (!stopping()) {
      Time.pass(random.nextInt(LONGEST_PAUSE_MILLIS));
      MessageLedger queue = queues.get(random.nextInt(queues.size()));
      move(queue, ClusterNodes.name(random.nextInt(FaultBench.NODES)));
    }
  }

  private void move(MessageLedger queue, String target) throws IOException, InterruptedException {
    Http api = process().http();
    JsonNode state = api.post(path(queue), "{\"node\":\"%s\"}".formatted(target)).json();
    boolean begun = state.path("moving").asBoolean();
    long end = System.nanoTime() + Patience.TIME.toNanos();
    while (state.path("moving").asBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "the move of %s to %s does not end: %s".formatted(queue.queue(), target, state));
      }
      Time.pass(ASK_MILLIS);
      state = api.get(path(queue)).json();
    }
    if (begun && target.equals(state.path("node").asText())) {
      moves.incrementAndGet();
    }
  }
}
