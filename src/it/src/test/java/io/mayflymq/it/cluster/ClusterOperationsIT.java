package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP;
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
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each node shows operators the whole cluster, and does what they ask wherever it is. */
class ClusterOperationsIT {
  private static final int NODES = 3;
  private static final int IMPORTED = 300;

  /** Commands that say the same on each node. */
  private static final String[][] LISTS = {
    {"-q", "list_queues", "name", "node", "state", "messages", "consumers"},
    {"-q", "list_connections", "name", "node", "user"},
    {"-q", "list_channels", "name", "node"},
    {"-q", "list_exchanges"},
    {"-q", "list_bindings"},
    {"-q", "list_deaths", "time", "queue", "reason", "fate"},
    {"-q", "list_scheduled", "q0"},
  };

  @TempDir Path directory;

  private static Http api(ClusterNodes cluster, int node) {
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

  private static String clientName(Channel channel) {
    return channel.getConnection().getClientProvidedName();
  }

  private static void awaitQueues(ClusterNodes cluster, int count) {
    for (int node = 0; node < NODES; node++) {
      Http api = api(cluster, node);
      await().atMost(Patience.TIME).until(() -> api.get("queues").json().size() == count);
    }
  }

  @Test
  void policiesForManyVhostsAndWhatQueuesAdoptHoldOnAllNodes() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.asProcesses(0).startAll();
      String policy =
          "{\"vhosts\":\"^tenant-\",\"pattern\":\"\",\"definition\":{\"on-mismatch\":\"adopt\"}}";
      assertThat(api(cluster, 0).put("vhost-policies/adopting", policy).status()).isEqualTo(201);
      assertThat(api(cluster, 1).put("vhosts/tenant-a", "{}").status()).isEqualTo(201);
      Channel home = cluster.channel(2, "tenant-a");
      home.queueDeclare("q", true, false, false, null);
      publish(home, "q", 9);
      Channel elsewhere = cluster.channel(1, "tenant-a");
      elsewhere.queueDeclare("q", true, false, false, Map.of("x-max-length", 3));
      await()
          .atMost(Patience.TIME)
          .until(() -> elsewhere.queueDeclarePassive("q").getMessageCount() == 3);
      assertAdopting(cluster);
      cluster.kill(0);
      elsewhere.queueDeclare("q", true, false, false, Map.of("x-max-length", 2));
      cluster.start(0);
      await()
          .atMost(Patience.TIME)
          .until(
              () ->
                  api(cluster, 0)
                          .get("queues/tenant-a/q")
                          .json()
                          .at("/arguments/x-max-length")
                          .asInt()
                      == 2);
      assertAdopting(cluster);
      assertThat(api(cluster, 2).delete("vhost-policies/adopting").status()).isEqualTo(204);
      for (int node = 0; node < NODES; node++) {
        Http api = api(cluster, node);
        await().atMost(Patience.TIME).until(() -> api.get("vhost-policies").json().isEmpty());
        await().atMost(Patience.TIME).until(() -> api.get("policies/tenant-a").json().isEmpty());
      }
    }
  }

  private static void assertAdopting(ClusterNodes cluster) throws Exception {
    for (int node = 0; node < NODES; node++) {
      JsonNode queue = api(cluster, node).get("queues/tenant-a/q").json();
      assertThat(queue.at("/effective_policy_definition/on-mismatch").asText())
          .as("on node %d", node)
          .isEqualTo("adopt");
      assertThat(queue.at("/arguments/x-max-length").asInt()).isBetween(2, 3);
    }
  }

  @Test
  void everyNodeListsWhatAllHaveAndClosesConnectionsOfOthers() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.asProcesses(0).startAll();
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
            .containsExactly(ClusterNodes.name(0), ClusterNodes.name(1));
        assertThat(texts(queues, "consumers")).containsExactly("0", "2");
        assertThat(texts(api.get("users/guest/queues").json(), "messages"))
            .containsExactly("2", "3");
        declareAt(api);
        JsonNode sorted =
            api.get("queues?page=1&page_size=1&sort=messages&sort_reverse=true").json();
        assertThat(texts(sorted.path("items"), "name")).containsExactly("q1");
        assertThat(sorted.path("total_count").asInt()).isEqualTo(2);
        assertThat(texts(api.get("queues?columns=node").json(), "node")).hasSize(2);
        JsonNode q1 = api.get("queues/%2F/q1").json();
        assertThat(q1.path("messages").asInt()).isEqualTo(3);
        assertThat(texts(q1.path("consumer_details"), "channel_details", "node"))
            .containsExactlyInAnyOrder(ClusterNodes.name(0), ClusterNodes.name(1));
        assertThat(texts(api.get("consumers/%2F").json(), "consumer_tag"))
            .containsExactlyInAnyOrder("here", "there");
        assertThat(texts(api.get("consumers").json(), "channel_details", "user_provided_name"))
            .containsExactlyInAnyOrder(clientName(first), clientName(second));
        assertThat(
                texts(
                    api.get("consumers?page=1&all_names=true&name=" + encode(clientName(first)))
                        .json()
                        .path("items"),
                    "consumer_tag"))
            .containsExactly("there");
        await()
            .atMost(Patience.TIME)
            .until(
                () ->
                    texts(api.get("consumers").json(), "messages_unacknowledged").stream()
                            .mapToInt(Integer::parseInt)
                            .sum()
                        == 3);
        for (String list : List.of("connections", "channels", "vhosts/%2F/channels")) {
          assertThat(texts(api.get(list).json(), "node"))
              .as(list)
              .containsExactlyInAnyOrder(ClusterNodes.name(0), ClusterNodes.name(1));
        }
        assertThat(api.get("connections?page=1&page_size=1").json().path("total_count").asInt())
            .isEqualTo(2);
      }
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

      cluster.kill(0);
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

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void everyNodeServesWhatOnlyTheNodeOfAQueueKnows(String type) throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.asProcesses(1).startAll();
      Channel first = cluster.channel(0);
      Channel second = cluster.channel(1);
      first.queueDeclare(
          "q0",
          true,
          false,
          false,
          Map.of(
              "x-queue-type",
              type,
              "x-dead-letter-exchange",
              "",
              "x-dead-letter-routing-key",
              "dead"));
      second.queueDeclare("dead", true, false, false, Map.of("x-queue-type", type));
      awaitQueues(cluster, 2);
      first.exchangeDeclare(
          "later", "x-delayed-message", true, false, Map.of("x-delayed-type", "fanout"));
      first.queueBind("q0", "later", "");
      first.basicPublish("later", "", delayed("late"), new byte[1]);
      publish(first, "q0", 3);
      for (int i = 0; i < 3; i++) {
        first.basicReject(first.basicGet("q0", false).getEnvelope().getDeliveryTag(), false);
      }

      for (int node = 0; node < NODES; node++) {
        Http api = api(cluster, node);
        await()
            .atMost(Patience.TIME)
            .until(() -> api.get("queues/%2F/dead").json().path("messages").asInt() == 3);
        assertThat(api.get("deaths").json()).hasSize(3);
        assertThat(api.get("deaths/%2F?reason=rejected&limit=2").json()).hasSize(2);
        assertThat(api.get("queues/%2F/q0/deaths").json()).hasSize(3);
        assertThat(api.get("queues/%2F/dead/deadlines").json().path("messages").asInt())
            .isEqualTo(3);
        assertThat(texts(api.get("queues/%2F/q0/scheduled").json().path("items"), "message_id"))
            .containsExactly("late");
        Http.Reply dryRun = api.post("queues/%2F/dead/redrive/dry-run", "{\"to\": \"q0\"}");
        assertThat(dryRun.json().path("moved").asInt()).as(dryRun.raw().body()).isEqualTo(3);
      }
      for (String[] command : LISTS) {
        List<String> there = ControlCommand.of(cluster.node(0)).run(command).out();
        assertThat(there).as(command[1]).hasSizeGreaterThan(1);
        for (int node = 1; node < NODES; node++) {
          assertThat(ControlCommand.of(cluster.node(node)).run(command).out()).isEqualTo(there);
        }
      }

      ControlCommand named = ControlCommand.of(cluster.node(2));
      assertThat(named.run("--node", ClusterNodes.name(2), "list_vhosts").exit()).isZero();
      assertThat(named.run("--node", ClusterNodes.name(1), "list_vhosts").err().toString())
          .contains("the broker here is '%s'".formatted(ClusterNodes.name(2)));

      Http api = api(cluster, 2);
      assertThat(api.delete("queues/%2F/q0/scheduled/late").status()).isEqualTo(204);
      assertThat(api.delete("queues/%2F/q0/scheduled/late").status()).isEqualTo(404);
      assertThat(api.post("queues/%2F/dead/redrive", "{\"to\": 1}").status()).isEqualTo(400);
      assertThat(api.post("queues/%2F/dead/redrive", "").status()).isEqualTo(200);
      await()
          .atMost(Patience.TIME)
          .until(() -> api.get("queues/%2F/q0").json().path("messages").asInt() == 3);
      // It counts them when it knows that they are safe there, which is later.
      Callable<JsonNode> movedTo =
          () -> api(cluster, 0).get("queues/%2F/dead/redrive").json().path("moved_to");
      await().atMost(Patience.TIME).until(() -> movedTo.call().path("q0").asInt() == 3);

      cluster.kill(1);
      if (type.equals("quorum")) {
        await()
            .atMost(Patience.TIME)
            .until(() -> api.get("queues/%2F/dead/deadlines").status() == 200);
        assertThat(api.get("queues/%2F/q0").json().path("messages").asInt()).isEqualTo(3);
        assertThat(texts(api.get("queues/quorum/%2F/dead/status").json(), "Raft State"))
            .containsOnlyOnce("leader", "nodedown");
        return;
      }
      await()
          .atMost(Patience.TIME)
          .until(() -> api.get("queues/%2F/dead").json().path("state").asText().equals("down"));
      Http.Reply refused = api.get("queues/%2F/dead/deadlines");
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.json().path("reason").asText())
          .isEqualTo(
              "node %s of queue 'dead' in vhost '/' cannot be reached, or does not answer"
                  .formatted(ClusterNodes.name(1)));
    }
  }

  private static AMQP.BasicProperties delayed(String id) {
    return new AMQP.BasicProperties.Builder()
        .messageId(id)
        .headers(Map.of("x-delay", 3_600_000))
        .build();
  }

  /** Declared by any node, a queue is at the node that the request names, if that is to lead it. */
  private static void declareAt(Http api) throws Exception {
    String path = "queues/%2F/named";
    String named = ClusterNodes.name(1);
    Http.Reply declared =
        api.put(
            path,
            """
            {"node": "%s", "arguments": {"x-queue-leader-locator": "client-local"}}"""
                .formatted(named));
    assertThat(declared.status()).as(declared.reason()).isEqualTo(201);
    JsonNode queue = api.get(path).json();
    assertThat(queue.path("node").asText()).isEqualTo(named);
    assertThat(queue.path("arguments").path("x-queue-leader-locator").asText())
        .isEqualTo("client-local");
    assertThat(api.delete(path).status()).isEqualTo(204);
    String exchange = "exchanges/%2F/named";
    String body = "{\"type\": \"fanout\", \"node\": \"%s\"}".formatted(named);
    assertThat(api.put(exchange, body).status()).isEqualTo(201);
    assertThat(api.get(exchange).json().path("type").asText()).isEqualTo("fanout");
    assertThat(api.delete(exchange).status()).isEqualTo(204);
  }

  @Test
  void definitionsAreImportedWithAllThatDependsOnEachOther() throws Exception {
    StringBuilder queues = new StringBuilder();
    StringBuilder bindings = new StringBuilder();
    for (int i = 0; i < IMPORTED; i++) {
      String comma = i == 0 ? "" : ",";
      queues.append(
          """
          %s{"name": "q%d", "vhost": "v", "durable": true, "auto_delete": false, "arguments": {}}"""
              .formatted(comma, i));
      bindings.append(
          """
          %s{"source": "x", "vhost": "v", "destination": "q%d", "destination_type": "queue",
          "routing_key": "k", "arguments": {}}"""
              .formatted(comma, i));
    }
    String definitions =
        """
        {"vhosts": [{"name": "v"}],
         "users": [{"name": "u", "password_hash": "", "tags": [], "limits": {"max-channels": 7}}],
         "permissions":
           [{"user": "u", "vhost": "v", "configure": ".*", "write": ".*", "read": ".*"}],
         "exchanges": [{"name": "x", "vhost": "v", "type": "fanout", "durable": true,
           "auto_delete": false, "internal": false, "arguments": {}}],
         "queues": [%s],
         "bindings": [%s]}
        """
            .formatted(queues, bindings);
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.startAll();
      Http.Reply reply = api(cluster, 1).post("definitions?report=true", definitions);
      assertThat(reply.status()).as(reply.raw().body()).isEqualTo(200);
      assertThat(reply.json().path("skipped")).isEmpty();
      assertThat(reply.json().path("imported").asInt()).isEqualTo(4 + 2 * IMPORTED);
      for (int node = 0; node < NODES; node++) {
        Http api = api(cluster, node);
        await()
            .atMost(Patience.TIME)
            .until(() -> api.get("exchanges/v/x/bindings/source").json().size() == IMPORTED);
        assertThat(
                api.get("user-limits/u").json().path(0).path("value").path("max-channels").asInt())
            .isEqualTo(7);
      }
    }
  }

  @Test
  void overviewAddsUpAllNodesAndEachNodeHasItsOwnValues() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      // Each has a process id of its own.
      cluster.asProcesses(0, 1, 2).startAll();
      Channel first = cluster.channel(0);
      Channel second = cluster.channel(1);
      first.queueDeclare("q0", true, false, false, null);
      second.queueDeclare("q1", true, false, false, null);
      awaitQueues(cluster, 2);
      publish(first, "q1", 3);
      publish(second, "q0", 2);
      first.basicPublish("amq.fanout", "", null, new byte[1]);
      second.basicPublish("amq.fanout", "", null, new byte[1]);

      List<String> names = List.of(ClusterNodes.name(0), ClusterNodes.name(1));
      for (int node = 0; node < NODES; node++) {
        Http api = api(cluster, node);
        await()
            .atMost(Patience.TIME)
            .until(
                () -> {
                  JsonNode now = api.get("overview").json();
                  return now.path("queue_totals").path("messages").asInt() == 5
                      && now.path("message_stats").path("publish").asInt() == 7;
                });
        JsonNode overview = api.get("overview").json();
        assertThat(overview.path("node").asText()).isEqualTo(ClusterNodes.name(node));
        JsonNode vhost = api.get("vhosts/%2F").json();
        assertThat(vhost.path("messages").asInt()).isEqualTo(5);
        assertThat(vhost.path("message_stats").path("publish").asInt()).isEqualTo(7);
        assertThat(vhost.path("cluster_state")).hasSize(NODES);
        assertThat(texts(api.get("vhosts?page=1").json().path("items"), "messages"))
            .containsExactly("5");
        JsonNode exchange = api.get("exchanges/%2F/amq.fanout").json();
        assertThat(exchange.path("message_stats").path("publish_in").asInt()).isEqualTo(2);
        JsonNode totals = overview.path("object_totals");
        assertThat(List.of(totals.path("connections").asInt(), totals.path("queues").asInt()))
            .containsExactly(2, 2);
        assertThat(overview.has("totals_without_nodes")).isFalse();
        assertThat(texts(overview.path("listeners"), "node")).containsAll(names);
        JsonNode nodes = api.get("nodes").json();
        assertThat(texts(nodes, "running")).containsOnly("true");
        assertThat(texts(nodes, "os_pid")).doesNotHaveDuplicates().doesNotContain("");
        JsonNode one = api.get("nodes/" + ClusterNodes.name(1)).json();
        assertThat(one.path("sockets_used").asInt()).isEqualTo(1);
        assertThat(one.path("mem_used").asLong()).isPositive();
        assertThat(
                api.get("nodes/" + ClusterNodes.name(1) + "/memory")
                    .json()
                    .path("memory")
                    .has("heap_used"))
            .isTrue();
      }

      cluster.kill(0);
      Http api = api(cluster, 2);
      await()
          .atMost(Patience.TIME)
          .until(
              () -> !api.get("nodes/" + ClusterNodes.name(0)).json().path("running").asBoolean());
      JsonNode overview = api.get("overview").json();
      assertThat(overview.path("queue_totals").path("messages").asInt()).isEqualTo(3);
      assertThat(overview.path("totals_without_nodes").toString())
          .isEqualTo("[\"" + ClusterNodes.name(0) + "\"]");
    }
  }

  @Test
  void alarmOfANodeBlocksPublishersOfAllUntilItEndsOrTheNodeIsGone() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.asProcesses(0).startAll();
      Channel publisher = cluster.channel(1);
      BlockingQueue<String> blocked = new LinkedBlockingQueue<>();
      publisher.getConnection().addBlockedListener(blocked::add, () -> blocked.add("unblocked"));
      publisher.queueDeclare("q", true, false, false, null);
      publish(publisher, "q", 1);
      Http api = api(cluster, 1);
      ControlCommand there = ControlCommand.of(cluster.node(0));
      ControlCommand here = ControlCommand.of(cluster.node(1));

      there.run("set_vm_memory_high_watermark", "0.00001");
      awaitBlocked(publisher, blocked, "low on memory");
      String alarm = "memory resource limit alarm on node " + ClusterNodes.name(0);
      cluster.node(1).awaitLine(alarm + " set: that node says so");
      Http.Reply failed = api.get("health/checks/alarms");
      assertThat(failed.status()).isEqualTo(503);
      assertThat(failed.json().path("alarms").toString()).isEqualTo("[\"" + alarm + "\"]");
      assertThat(api.get("health/checks/local-alarms").status()).isEqualTo(200);
      assertThat(api(cluster, 0).get("health/checks/local-alarms").status()).isEqualTo(503);
      assertThat(here.run("alarms").text())
          .contains("Memory alarm on node " + ClusterNodes.name(0));
      assertThat(here.run("check_local_alarms").exit()).isZero();
      assertThat(here.run("check_alarms").exit()).isNotZero();

      there.run("set_vm_memory_high_watermark", "0.9");
      assertThat(blocked.poll(Patience.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("unblocked");
      await().atMost(Patience.TIME).until(() -> api.get("health/checks/alarms").status() == 200);

      // All three run, so any of them may stop; with one less none may.
      assertThat(api.get("health/checks/node-is-quorum-critical").status()).isEqualTo(200);
      there.run("set_disk_free_limit", "1000000GB");
      awaitBlocked(publisher, blocked, "low on disk");
      cluster.kill(0);
      assertThat(blocked.poll(Patience.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("unblocked");
      await()
          .atMost(Patience.TIME)
          .until(() -> api.get("health/checks/node-is-quorum-critical").status() == 503);
      assertThat(here.run("check_if_node_is_quorum_critical").exit()).isNotZero();
    }
  }

  /** A connection is blocked by the first message that it publishes while there is an alarm. */
  private static void awaitBlocked(Channel publisher, BlockingQueue<String> blocked, String why) {
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              publish(publisher, "q", 1);
              return why.equals(blocked.poll());
            });
  }

  private static String encode(String name) {
    return name.replace(" ", "%20").replace(">", "%3E");
  }
}
