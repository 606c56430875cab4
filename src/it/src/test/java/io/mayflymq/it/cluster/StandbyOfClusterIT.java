package io.mayflymq.it.cluster;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The standby of a cluster: each node gives the messages of its own queues. */
@OwnBroker
class StandbyOfClusterIT {
  private static final int MANY = 300;

  @TempDir Path directory;

  private static JsonNode status(BrokerProcess standby) throws Exception {
    return standby.http().get("standby").json();
  }

  private static void awaitMessages(BrokerProcess standby, int count) {
    await()
        .atMost(Patience.TIME)
        .untilAsserted(
            () -> {
              assertThat(status(standby).path("messages").asInt()).isEqualTo(count);
              assertThat(status(standby).path("complete_rounds").asInt()).isPositive();
            });
  }

  @Test
  void queuesOfAllNodesFollowAndComeBack() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.asProcesses(0, 1, 2).startAll();
      for (int node = 0; node < 3; node++) {
        Channel channel = cluster.channel(node);
        channel.confirmSelect();
        channel.queueDeclare("classic-" + node, true, false, false, Map.of());
        channel.queueDeclare(
            "quorum-" + node, true, false, false, Map.of("x-queue-type", "quorum"));
        for (int i = 0; i < MANY; i++) {
          for (String kind : List.of("classic-", "quorum-")) {
            channel.basicPublish(
                "", kind + node, MessageProperties.PERSISTENT_BASIC, bytes(Integer.toString(i)));
          }
        }
        channel.waitForConfirmsOrDie(Patience.MILLIS);
      }
      BrokerProcess.Builder builder =
          BrokerProcess.builder()
              .data(directory.resolve("standby"))
              .set("standby.interval", 50)
              .set("standby.primary.uri", address(cluster, 0));
      for (int node = 1; node < 3; node++) {
        builder.set("standby.primary.uris." + node, address(cluster, node));
      }
      try (BrokerProcess standby = builder.start()) {
        awaitMessages(standby, 6 * MANY);
        cluster.kill(2);
        await()
            .atMost(Patience.TIME)
            .until(() -> status(standby).path("failed_rounds").asInt() > 2);
        // What the others lead now goes on; what was on that node alone stays as it was copied.
        await()
            .ignoreExceptions()
            .atMost(Patience.TIME)
            .until(() -> cluster.channel(0).basicGet("quorum-2", true) != null);
        awaitMessages(standby, 6 * MANY - 1);
        cluster.kill(0);
        cluster.kill(1);
        Outcome outcome = ControlCommand.of(standby).run("promote");
        assertThat(outcome.exit()).as(outcome.toString()).isZero();
        try (Connection connection = standby.factory().newConnection()) {
          Channel channel = connection.createChannel();
          for (int node = 0; node < 3; node++) {
            assertThat(drain(channel, "classic-" + node)).containsExactly(numbers(0));
            assertThat(drain(channel, "quorum-" + node))
                .containsExactly(numbers(node == 2 ? 1 : 0));
          }
        }
      }
    }
  }

  private static String address(ClusterNodes cluster, int node) {
    return "http://guest:guest@127.0.0.1:" + cluster.node(node).httpPort();
  }

  private static String[] numbers(int from) {
    return IntStream.range(from, MANY).mapToObj(Integer::toString).toArray(String[]::new);
  }

  private static List<String> drain(Channel channel, String queue) throws Exception {
    List<String> bodies = new ArrayList<>();
    for (GetResponse next = channel.basicGet(queue, true);
        next != null;
        next = channel.basicGet(queue, true)) {
      bodies.add(new String(next.getBody(), StandardCharsets.UTF_8));
    }
    return bodies;
  }
}
