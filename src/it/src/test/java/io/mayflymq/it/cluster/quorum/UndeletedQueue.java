package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.fault.FaultBench.NODES;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.cluster.fault.FaultBench;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A queue with some messages that is deleted again and again, and brought back, whatever happens to
 * its nodes meanwhile. At the end all its messages are there, once and in order.
 */
final class UndeletedQueue {
  private static final String QUEUE = "queues/%2F/undeleted";
  private static final int PAUSE_MILLIS = 150;
  private static final List<String> BODIES =
      IntStream.range(0, 300).mapToObj(number -> "m" + number).toList();

  private final FaultBench bench;
  private Repeated turns;

  /** Declares the queue, and fills it. */
  UndeletedQueue(FaultBench bench) throws Exception {
    this.bench = bench;
    try (Connection connection = bench.node(0).factory().newConnection();
        Channel channel = connection.createChannel()) {
      Map<String, Object> arguments =
          Map.of("x-queue-type", "quorum", "x-recoverable", 24 * 3_600_000);
      channel.queueDeclare("undeleted", true, false, false, arguments);
      channel.confirmSelect();
      for (String body : BODIES) {
        channel.basicPublish("", "undeleted", null, Amqp.bytes(body));
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);
    }
  }

  /** Begins to delete it, by way of any node, and to bring it back by way of another one. */
  void start(long seed) {
    turns =
        new Repeated(
            "undelete",
            seed,
            random -> {
              http(random.nextInt(NODES)).delete(QUEUE);
              Time.pass(random.nextInt(PAUSE_MILLIS));
              undelete(random.nextInt(NODES));
              Time.pass(PAUSE_MILLIS);
            });
  }

  private Http http(int node) {
    return bench.node(node).http();
  }

  private void undelete(int node) throws IOException, InterruptedException {
    http(node).post("deleted-queues/%2F/undeleted/undelete", "{}");
  }

  /** Deletes it no more. */
  void stop() throws InterruptedException {
    turns.stop();
  }

  /** All nodes are well again: it is brought back if it is deleted, with all that it had. */
  void restore() {
    await()
        .atMost(Patience.TIME)
        .ignoreExceptions()
        .until(
            () -> {
              undelete(0);
              return bodies().equals(BODIES);
            });
  }

  private List<String> bodies() throws IOException, InterruptedException {
    List<String> bodies = new ArrayList<>();
    for (JsonNode message : http(0).get(QUEUE + "/messages?count=1000").json().path("items")) {
      bodies.add(message.path("payload").asText());
    }
    return bodies;
  }
}
