package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each node shows operators the whole cluster, and does what they ask wherever it is. */
class ClusterOperationsIT {
  private static final int NODES = 3;

  @TempDir Path directory;

  private static Http api(ClusterProcesses cluster, int node) {
    return Http.as(cluster.node(node).httpPort(), "guest", "guest");
  }

  private static List<String> texts(JsonNode list, String... path) {
    List<String> texts = new ArrayList<>();
    list.forEach(
        item -> {
          JsonNode value = item;
          for (String step : path) {
            value = value.path(step);
          }
          texts.add(value.asText());
        });
    return texts;
  }

  private static void publish(Channel channel, String queue, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      channel.basicPublish(
          "", queue, MessageProperties.BASIC, "m".getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void awaitQueues(ClusterProcesses cluster, int count) {
    for (int node = 0; node < NODES; node++) {
      Http api = api(cluster, node);
      await().atMost(Patience.TIME).until(() -> api.get("queues").json().size() == count);
    }
  }

  @Test
  void everyNodeListsWhatAllHaveAndClosesConnectionsOfOthers() throws Exception {
    try (ClusterProcesses cluster = new ClusterProcesses(directory, NODES)) {
      cluster.startAll();
      Channel first = cluster.channel(0);
      Channel second = cluster.channel(1);
      first.queueDeclare("q0", true, false, false, null);
      second.queueDeclare("q1", true, false, false, null);
      awaitQueues(cluster, 2);
      publish(first, "q1", 3);
      publish(second, "q0", 2);
      second.basicConsume("q1", false, "here", new DefaultConsumer(second));
      first.basicConsume("q1", false, "there", new DefaultConsumer(first));

      for (int node = 0; node < NODES; node++) {
        Http api = api(cluster, node);
        await()
            .atMost(Patience.TIME)
            .until(() -> texts(api.get("queues").json(), "messages").equals(List.of("2", "3")));
        JsonNode queues = api.get("queues").json();
        assertThat(texts(queues, "node"))
            .containsExactly(ClusterProcesses.name(0), ClusterProcesses.name(1));
        assertThat(texts(queues, "consumers")).containsExactly("0", "2");
        JsonNode sorted =
            api.get("queues?page=1&page_size=1&sort=messages&sort_reverse=true").json();
        assertThat(texts(sorted.path("items"), "name")).containsExactly("q1");
        assertThat(sorted.path("total_count").asInt()).isEqualTo(2);
        assertThat(texts(api.get("queues?columns=node").json(), "node")).hasSize(2);
        JsonNode q1 = api.get("queues/%2F/q1").json();
        assertThat(q1.path("messages").asInt()).isEqualTo(3);
        assertThat(texts(q1.path("consumer_details"), "channel_details", "node"))
            .containsExactlyInAnyOrder(ClusterProcesses.name(0), ClusterProcesses.name(1));
        assertThat(texts(api.get("consumers/%2F").json(), "consumer_tag"))
            .containsExactlyInAnyOrder("here", "there");
        for (String list : List.of("connections", "channels", "vhosts/%2F/channels")) {
          assertThat(texts(api.get(list).json(), "node"))
              .as(list)
              .containsExactlyInAnyOrder(ClusterProcesses.name(0), ClusterProcesses.name(1));
        }
        assertThat(api.get("connections?page=1&page_size=1").json().path("total_count").asInt())
            .isEqualTo(2);
      }
      assertThat(api(cluster, 2).get("queues/%2F/q1/deadlines").json().path("messages").asInt())
          .isEqualTo(0);
      Http.Reply redrive =
          api(cluster, 2).post("queues/%2F/q0/redrive/dry-run", "{\"to\": \"q1\"}");
      assertThat(redrive.status()).as(redrive.raw().body()).isEqualTo(200);
      ControlCommand control = ControlCommand.of(cluster.node(2));
      assertThat(control.run("-q", "list_queues", "name", "messages").out())
          .contains("q0\t2", "q1\t3");
      assertThat(control.run("-q", "list_queues", "--local", "name").out())
          .doesNotContain("q0", "q1");
      assertThat(control.run("-q", "list_connections", "user").out())
          .filteredOn("guest"::equals)
          .hasSize(2);

      String name =
          texts(api(cluster, 0).get("connections").json(), "name").stream()
              .filter(each -> each.endsWith(":" + cluster.node(0).port()))
              .findFirst()
              .orElseThrow();
      assertThat(api(cluster, 2).get("connections/" + encode(name)).status()).isEqualTo(200);
      assertThat(api(cluster, 2).get("connections/none").status()).isEqualTo(404);
      assertThat(api(cluster, 2).delete("connections/" + encode(name)).status()).isEqualTo(204);
      await().atMost(Patience.TIME).until(() -> !first.isOpen());
      assertThat(first.getCloseReason()).hasMessageContaining("Closed via management plugin");
      assertThat(control.run("close_all_connections", "--global", "the end").exit()).isZero();
      await().atMost(Patience.TIME).until(() -> !second.isOpen());

      cluster.node(0).kill();
      Http api = api(cluster, 2);
      await()
          .atMost(Patience.TIME)
          .until(() -> texts(api.get("queues").json(), "state").equals(List.of("down", "running")));
      assertThat(api.get("queues/%2F/q0").json().path("state").asText()).isEqualTo("down");
      assertThat(texts(api.get("queues?page=1&sort=messages").json().path("items"), "name"))
          .containsExactly("q0", "q1");
      assertThat(control.run("-q", "list_queues", "--offline", "name").out())
          .contains("q0")
          .doesNotContain("q1");
    }
  }

  private static String encode(String name) {
    return name.replace(" ", "%20").replace(">", "%3E");
  }
}
