package io.mayflymq.it.cluster;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shovel runs on one node of a cluster, and on another one when that is gone. */
class ShovelNodeIT {
  @TempDir Path directory;

  private static Http api(ClusterNodes cluster, int node) {
    return Http.as(cluster.node(node).httpPort(), "guest", "guest");
  }

  /** Returns the shovels that a node lists. */
  private static JsonNode shovels(ClusterNodes cluster, int node) throws Exception {
    return api(cluster, node).get("shovels").json();
  }

  private static int awaitRunning(ClusterNodes cluster, int asked) {
    await()
        .atMost(Patience.TIME)
        .until(
            () ->
                shovels(cluster, asked).size() == 1
                    && shovels(cluster, asked).get(0).path("state").asText().equals("running"));
    try {
      String name = shovels(cluster, asked).get(0).path("node").asText();
      return IntStream.range(0, 3)
          .filter(node -> ClusterNodes.name(node).equals(name))
          .findFirst()
          .orElseThrow();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void publish(Channel channel, int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      channel.basicPublish(
          "", "from", MessageProperties.PERSISTENT_BASIC, bytes(Integer.toString(i)));
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  @Test
  void shovelMovesToAnotherNodeWhenItsOwnIsKilled() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.asProcesses(0, 1, 2).startAll();
      Channel first = cluster.channel(0);
      Map<String, Object> quorum = Map.of("x-queue-type", "quorum");
      first.queueDeclare("from", true, false, false, quorum);
      first.queueDeclare("to", true, false, false, quorum);
      first.confirmSelect();
      String shovel =
          "{\"value\":{\"src-uri\":\"amqp://\",\"src-queue\":\"from\",\"dest-uri\":\"amqp://\","
              + "\"dest-queue\":\"to\",\"reconnect-delay\":0.2}}";
      assertThat(api(cluster, 1).put("parameters/shovel/%2F/s", shovel).status()).isEqualTo(201);
      int runsOn = awaitRunning(cluster, 1);
      for (int node = 0; node < 3; node++) {
        assertThat(awaitRunning(cluster, node)).as("asked of node %d", node).isEqualTo(runsOn);
      }
      publish(first, 0, 500);
      await().atMost(Patience.TIME).until(() -> first.messageCount("to") == 500);
      int other = (runsOn + 1) % 3;
      assertThat(api(cluster, other).delete("shovels/vhost/%2F/s/restart").status())
          .as("asked of another node")
          .isEqualTo(204);

      cluster.kill(runsOn);
      assertThat(awaitRunning(cluster, other)).isNotEqualTo(runsOn);
      Channel left = cluster.channel(other);
      left.confirmSelect();
      publish(left, 500, 1_000);
      await().atMost(Patience.TIME).until(() -> left.messageCount("to") >= 1_000);
      await().atMost(Patience.TIME).until(() -> left.messageCount("from") == 0);

      cluster.start(runsOn);
      assertThat(api(cluster, runsOn).delete("parameters/shovel/%2F/s").status()).isEqualTo(204);
      await()
          .atMost(Patience.TIME)
          .until(() -> shovels(cluster, other).isEmpty() && shovels(cluster, runsOn).isEmpty());
    }
  }
}
