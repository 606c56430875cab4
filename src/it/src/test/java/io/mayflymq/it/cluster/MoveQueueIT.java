package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queues are moved between the nodes of a cluster while clients of all nodes use them. */
class MoveQueueIT {
  private static final String QUEUE = "q";

  @TempDir Path directory;

  private static void move(ClusterNodes cluster, int by, int to) throws Exception {
    ControlCommand.Outcome outcome =
        ControlCommand.of(cluster.node(by)).run("move_queue", QUEUE, ClusterNodes.name(to));
    assertThat(outcome.exit()).as("%s", outcome).isZero();
  }

  private static String homeOf(ClusterNodes cluster, int asked, String queue) throws Exception {
    return Http.as(cluster.node(asked).httpPort(), "guest", "guest")
        .get("queues/%2F/" + queue + "/move")
        .json()
        .path("node")
        .asText();
  }

  @Test
  void queueMovesBackAndForthUnderLoadOfAllNodes() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.startAll();
      cluster.channel(0).queueDeclare(QUEUE, true, false, false, null);
      QueueUsers users = QueueUsers.begin(cluster::channel, 3, QUEUE);

      for (int to : new int[] {1, 2, 0, 2, 1, 0}) {
        move(cluster, (to + 1) % 3, to);
        for (int node = 0; node < 3; node++) {
          assertThat(homeOf(cluster, node, QUEUE)).isEqualTo(ClusterNodes.name(to));
        }
        users.awaitMore();
      }

      users.end();
      await()
          .atMost(Patience.TIME)
          .until(() -> cluster.channel(1).queueDeclarePassive(QUEUE).getMessageCount() == 0);
    }
  }

  @Test
  void queueIsThereOnceWhenANodeIsKilledWhileItMoves() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.asProcesses(0, 1).startAll();
      Channel channel = cluster.channel(2);
      channel.queueDeclare("other", true, false, false, null);
      cluster.channel(0).queueDeclare(QUEUE, true, false, false, null);
      channel.confirmSelect();
      int count = 3_000;
      for (int i = 0; i < count; i++) {
        channel.basicPublish("", QUEUE, MessageProperties.PERSISTENT_BASIC, body(i));
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);

      for (int killed : new int[] {1, 0}) {
        // Another thread moves; whether it has ended when the node dies is left to chance.
        Thread mover =
            new Thread(
                () ->
                    ControlCommand.of(cluster.node(2))
                        .run("move_queue", QUEUE, ClusterNodes.name(1)));
        mover.start();
        Http api = Http.as(cluster.node(2).httpPort(), "guest", "guest");
        await()
            .atMost(Patience.TIME)
            .until(
                () ->
                    api.get("queues/%2F/q/move").json().path("moving").asBoolean()
                        || !mover.isAlive());
        cluster.kill(killed);
        cluster.embedded(killed).start(killed);
        mover.join();
        await()
            .atMost(Patience.TIME)
            .until(() -> !api.get("queues/%2F/q/move").json().path("moving").asBoolean(true));
        Channel fresh = cluster.channel(2);
        await()
            .atMost(Patience.TIME)
            .ignoreExceptions()
            .until(() -> cluster.channel(2).queueDeclarePassive(QUEUE).getMessageCount() == count);
        assertThat(fresh.isOpen()).isTrue();
      }

      Channel reading = cluster.channel(2);
      for (int i = 0; i < count; i++) {
        GetResponse got = reading.basicGet(QUEUE, true);
        assertThat(got).as("message %d", i).isNotNull();
        assertThat(got.getBody()).isEqualTo(body(i));
      }
      assertThat(reading.basicGet(QUEUE, true)).isNull();
    }
  }

  private static byte[] body(int number) {
    return "message %d".formatted(number).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void tenantsHaveTheirTurnsWhereTheirQueueHasMoved() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 2)) {
      cluster.startAll();
      Channel channel = cluster.channel(0);
      channel.queueDeclare(QUEUE, true, false, false, Map.of("x-fair-by", "tenant"));
      channel.confirmSelect();
      Map<String, Integer> expected = Map.of("a", 300, "b", 4, "c", 4);
      for (String tenant : List.of("a", "b", "c")) {
        for (int i = 0; i < expected.get(tenant); i++) {
          channel.basicPublish(
              "",
              QUEUE,
              MessageProperties.PERSISTENT_BASIC
                  .builder()
                  .headers(Map.of("tenant", tenant))
                  .build(),
              body(i));
        }
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);
      Map<String, Integer> taken = new HashMap<>();
      for (int turn = 0; turn < 3; turn++) {
        take(channel, taken);
      }
      assertThat(taken).isEqualTo(Map.of("a", 1, "b", 1, "c", 1));

      move(cluster, 0, 1);

      Channel there = cluster.channel(1);
      for (int turn = 0; turn < 9; turn++) {
        take(there, taken);
      }
      assertThat(taken).isEqualTo(Map.of("a", 4, "b", 4, "c", 4));
      for (int left = 4; left < 300; left++) {
        take(there, taken);
      }
      assertThat(taken).isEqualTo(expected);
      assertThat(there.basicGet(QUEUE, true)).isNull();
    }
  }

  /** Takes a message, which has to be the next one of its tenant. */
  private static void take(Channel channel, Map<String, Integer> taken) throws Exception {
    GetResponse got = channel.basicGet(QUEUE, true);
    String tenant = got.getProps().getHeaders().get("tenant").toString();
    int next = taken.merge(tenant, 1, Integer::sum) - 1;
    assertThat(got.getBody()).as("of tenant %s", tenant).isEqualTo(body(next));
    assertThat(got.getEnvelope().isRedeliver()).isFalse();
  }

  private static Set<String> homes(ClusterNodes cluster, String prefix, int count)
      throws Exception {
    Set<String> homes = new HashSet<>();
    for (int i = 0; i < count; i++) {
      homes.add(homeOf(cluster, 2, prefix + i));
    }
    return homes;
  }

  @Test
  void rebalanceByTheApiGoesOnInTheBackground() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.startAll();
      Channel channel = cluster.channel(0);
      Map<String, Object> here = Map.of("x-queue-leader-locator", "client-local");
      for (int i = 0; i < 9; i++) {
        channel.queueDeclare("each" + i, true, false, false, here);
        channel.basicPublish("", "each" + i, MessageProperties.PERSISTENT_BASIC, body(i));
      }
      assertThat(homes(cluster, "each", 9)).containsExactly(ClusterNodes.name(0));
      // Not the node that the queues are on.
      Http api = Http.as(cluster.node(1).httpPort(), "guest", "guest");
      assertThat(api.get("rebalance/queues").json().path("running").asBoolean(true)).isFalse();
      assertThat(api.post("rebalance/queues", "{\"type\":\"mirrors\"}").reason())
          .isEqualTo("type 'mirrors': expected one of all, classic, quorum, stream");
      assertThat(api.post("rebalance/queues", "{\"queue_pattern\":\"(\"}").reason())
          .contains("queue_pattern '(' should be a regular expression");

      assertThat(api.post("rebalance/queues", null).status()).isEqualTo(204);
      await()
          .atMost(Patience.TIME)
          .until(() -> !api.get("rebalance/queues").json().path("running").asBoolean(true));

      JsonNode progress = api.get("rebalance/queues").json();
      assertThat(progress.path("failed")).as("%s", progress).isEmpty();
      assertThat(progress.path("moved").asInt()).isEqualTo(6);
      for (JsonNode node : progress.path("nodes")) {
        assertThat(node.path("queues").asInt()).as("%s", progress).isEqualTo(3);
      }
      assertThat(homes(cluster, "each", 9)).hasSize(3);
      for (int i = 0; i < 9; i++) {
        assertThat(cluster.channel(2).basicGet("each" + i, true).getBody()).isEqualTo(body(i));
      }
    }
  }

  @Test
  void rebalanceSpreadsQueuesAndRefusalsAreInWords() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.startAll();
      Channel channel = cluster.channel(0);
      for (int i = 0; i < 6; i++) {
        channel.queueDeclare("spread" + i, true, false, false, null);
      }
      channel.queueDeclare("log", true, false, false, Map.of("x-queue-type", "stream"));
      channel.queueDeclare("own", false, true, false, null);
      ControlCommand control = ControlCommand.of(cluster.node(1));

      ControlCommand.Outcome planned =
          control.run("--dry-run", "rebalance", "classic", "--queue-pattern", "spread");
      assertThat(planned.exit()).as("%s", planned).isZero();
      assertThat(homes(cluster, "spread", 6)).hasSize(1);
      ControlCommand.Outcome outcome =
          control.run("rebalance", "classic", "--queue-pattern", "spread");
      assertThat(outcome.exit()).as("%s", outcome).isZero();
      assertThat(homes(cluster, "spread", 6)).hasSize(3);
      assertThat(planned.out()).startsWith("Dry run: nothing was changed");
      assertThat(outcome.out().subList(1, outcome.out().size()))
          .isEqualTo(planned.out().subList(2, planned.out().size()));

      String second = ClusterNodes.name(1);
      assertThat(control.run("move_queue", "log", second).err().toString())
          .contains("is replicated");
      assertThat(control.run("move_queue", "own", second).exit()).isNotZero();
      assertThat(control.run("move_queue", "none", second).err().toString()).contains("none");
      assertThat(control.run("move_queue", "spread0", "x@host").err().toString())
          .contains("node 'x@host' is not a member of the cluster");
      assertThat(control.run("rebalance", "mirrors").err().toString())
          .contains("expected one of all");
    }
  }
}
