package io.mayflymq.it.cluster;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links of federation run on one node of a cluster, and on another one when that is gone. */
class FederationNodeIT {
  private static final int MANY = 500;

  @TempDir Path directory;

  private static Http api(ClusterNodes cluster, int node) {
    return Http.as(cluster.node(node).httpPort(), "guest", "guest");
  }

  private static void put(ClusterNodes cluster, String path, String body) throws Exception {
    assertThat(api(cluster, 0).put(path, body).status()).as(path).isEqualTo(201);
  }

  /** Waits until both links run; returns the number of the node that has the one of a kind. */
  private static int awaitLinks(ClusterNodes cluster, int asked, String kind) {
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              int running = 0;
              for (JsonNode link : api(cluster, asked).get("federation-links").json()) {
                running += link.path("status").asText().equals("running") ? 1 : 0;
              }
              return running == 2;
            });
    try {
      for (JsonNode link : api(cluster, asked).get("federation-links").json()) {
        if (link.path("type").asText().equals(kind)) {
          String name = link.path("node").asText();
          return IntStream.range(0, 3)
              .filter(node -> ClusterNodes.name(node).equals(name))
              .findFirst()
              .orElseThrow();
        }
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("no link of a " + kind);
  }

  private static void publish(Channel channel, String exchange, String key, int from, int to)
      throws Exception {
    for (int i = from; i < to; i++) {
      channel.basicPublish(
          exchange, key, MessageProperties.PERSISTENT_BASIC, bytes(Integer.toString(i)));
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  @Test
  void linksMoveToOtherNodesWhenTheirOwnIsKilledAndLoseNothing() throws Exception {
    try (EmbeddedBroker upstream = EmbeddedBroker.builder().start();
        Connection connection = upstream.factory().newConnection();
        ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      Http there = Http.as(upstream.httpPort(), "guest", "guest");
      Channel publishing = connection.createChannel();
      publishing.confirmSelect();
      publishing.exchangeDeclare("events", "fanout", true);
      publishing.queueDeclare("work", true, false, false, null);
      cluster.asProcesses(0, 1, 2).startAll();
      put(
          cluster,
          "parameters/federation-upstream/%2F/up",
          "{\"value\":{\"uri\":\"amqp://guest:guest@127.0.0.1:%d\",\"reconnect-delay\":0.2}}"
              .formatted(upstream.port()));
      put(
          cluster,
          "policies/%2F/federated",
          "{\"pattern\":\"^(events|work)$\",\"definition\":{\"federation-upstream\":\"up\"}}");
      Map<String, Object> quorum = Map.of("x-queue-type", "quorum");
      Channel first = cluster.channel(0);
      first.exchangeDeclare("events", "fanout", true);
      first.queueDeclare("got", true, false, false, quorum);
      first.queueBind("got", "events", "");
      first.queueDeclare("work", true, false, false, quorum);
      int runsOn = awaitLinks(cluster, 1, "exchange");
      for (int node = 0; node < 3; node++) {
        assertThat(awaitLinks(cluster, node, "exchange")).as("asked of %d", node).isEqualTo(runsOn);
      }
      await()
          .atMost(Patience.TIME)
          .until(() -> there.get("exchanges/%2F/events/bindings/source").json().size() == 1);
      publish(publishing, "events", "", 0, MANY);
      await().atMost(Patience.TIME).until(() -> first.messageCount("got") == MANY);

      cluster.kill(runsOn);
      publish(publishing, "events", "", MANY, 2 * MANY);
      publish(publishing, "", "work", 0, MANY);
      int other = (runsOn + 1) % 3;
      assertThat(awaitLinks(cluster, other, "exchange")).isNotEqualTo(runsOn);
      assertThat(awaitLinks(cluster, other, "queue")).isNotEqualTo(runsOn);
      Channel left = cluster.channel(other);
      await().atMost(Patience.TIME).until(() -> left.messageCount("got") >= 2 * MANY);
      Deliveries consumer = Deliveries.from(left, "work", true);
      Set<String> worked = new TreeSet<>();
      while (worked.size() < MANY) {
        worked.add(consumer.next().body());
      }
      assertThat(there.get("queues").json().findValuesAsText("name"))
          .filteredOn(name -> name.startsWith("federation: "))
          .hasSize(1);

      cluster.start(runsOn);
      assertThat(api(cluster, runsOn).delete("parameters/federation-upstream/%2F/up").status())
          .isEqualTo(204);
      await()
          .atMost(Patience.TIME)
          .until(() -> api(cluster, other).get("federation-links").json().isEmpty());
      await()
          .atMost(Patience.TIME)
          .until(
              () ->
                  there.get("queues").json().findValuesAsText("name").stream()
                      .noneMatch(name -> name.startsWith("federation: ")));
    }
  }
}
