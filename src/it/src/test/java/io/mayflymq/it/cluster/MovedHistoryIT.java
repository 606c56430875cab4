package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Charts of queues that another node has now: they show what was, or nothing, and never a zero. */
class MovedHistoryIT {
  private static final String AGES =
      "?lengths_age=60&lengths_incr=5&msg_rates_age=60&msg_rates_incr=5";
  private static final int COUNT = 7;

  @TempDir Path directory;

  @Test
  void chartsInventNoPastAfterAMoveAndAChangeOfLeader() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.startAll();
      Channel channel = cluster.channel(0);
      declare(channel, "moved", Map.of("x-queue-leader-locator", "client-local"));
      declare(
          channel,
          "led",
          Map.of("x-queue-type", "quorum", "x-queue-leader-locator", "client-local"));
      // The node that has them now has a past of them.
      Http first = api(cluster, 0);
      for (String queue : List.of("moved", "led")) {
        await("samples of '%s'".formatted(queue))
            .atMost(Patience.TIME)
            .until(() -> lengths(first, queue).contains(COUNT));
      }

      run(cluster, "move_queue", "moved", ClusterNodes.name(1));
      run(cluster, "transfer_leadership", "led", ClusterNodes.name(1));

      assertShowsOnlyWhatWas(cluster, "moved", 1);
      assertShowsOnlyWhatWas(cluster, "led", 1);
    }
  }

  private static void declare(Channel channel, String queue, Map<String, Object> arguments)
      throws Exception {
    channel.queueDeclare(queue, true, false, false, arguments);
    channel.confirmSelect();
    for (int i = 0; i < COUNT; i++) {
      channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, new byte[10]);
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  private static void run(ClusterNodes cluster, String... command) {
    ControlCommand.Outcome outcome = ControlCommand.of(cluster.node(2)).run(command);
    assertThat(outcome.exit()).as("%s", outcome).isZero();
  }

  private static Http api(ClusterNodes cluster, int node) {
    return Http.as(cluster.node(node).httpPort(), "guest", "guest");
  }

  /** Waits for two samples that the node which has the queue has taken, and looks at all. */
  private static void assertShowsOnlyWhatWas(ClusterNodes cluster, String queue, int owner)
      throws Exception {
    for (int node = 0; node < 3; node++) {
      Http api = api(cluster, node);
      await("samples of '%s' by node %d".formatted(queue, node))
          .atMost(Patience.TIME)
          .until(() -> isOf(api, queue, owner) && lengths(api, queue).size() > 1);
      assertThat(lengths(api, queue)).as("'%s' by node %d", queue, node).containsOnly(COUNT);
      // What was counted elsewhere is not known here: the counter begins at 0, its rate is none.
      JsonNode published =
          api.get("queues/%2F/" + queue + AGES)
              .json()
              .path("message_stats")
              .path("publish_details");
      assertThat(published.path("rate").asDouble()).as("%s", published).isZero();
    }
  }

  private static boolean isOf(Http api, String queue, int owner) throws Exception {
    return api.get("queues/%2F/" + queue)
        .json()
        .path("node")
        .asText()
        .equals(ClusterNodes.name(owner));
  }

  private static List<Integer> lengths(Http api, String queue) throws Exception {
    List<Integer> lengths = new ArrayList<>();
    api.get("queues/%2F/" + queue + AGES)
        .json()
        .path("messages_details")
        .path("samples")
        .forEach(sample -> lengths.add(sample.path("sample").asInt()));
    return lengths;
  }
}
