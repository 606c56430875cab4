package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three brokers are one to their clients, and what one of them had is back when it is. */
@Order(1)
class ClusterIT {
  private static final int NODES = 3;
  private static final long CONFIRM_MILLIS = Patience.MILLIS;

  @TempDir Path directory;

  private static byte[] body(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(GetResponse response) {
    return response == null ? null : new String(response.getBody(), StandardCharsets.UTF_8);
  }

  private static boolean exists(ClusterNodes cluster, int node, String queue) {
    try {
      Channel channel = cluster.channel(node);
      try {
        channel.queueDeclarePassive(queue);
        return true;
      } finally {
        channel.getConnection().close();
      }
    } catch (IOException e) {
      return false;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitQueue(ClusterNodes cluster, int node, String queue) {
    await().atMost(Patience.TIME).until(() -> exists(cluster, node, queue));
  }

  /** Delivers to a queue of this JVM, in order. */
  private static BlockingQueue<String> consume(Channel channel, String queue) throws IOException {
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    channel.basicConsume(
        queue,
        false,
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] content)
              throws IOException {
            received.add(new String(content, StandardCharsets.UTF_8));
            channel.basicAck(envelope.getDeliveryTag(), false);
          }

          @Override
          public void handleCancel(String tag) {
            received.add("cancelled");
          }
        });
    return received;
  }

  private static String next(BlockingQueue<String> received) throws InterruptedException {
    return received.poll(Patience.SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void queueOfOneNodeIsServedByAllAndItsMessagesOutliveTheNode() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.asProcesses(0).startAll();
      Channel first = cluster.channel(0);
      first.queueDeclare("q", true, false, false, null);
      first.exchangeDeclare("x", "topic", true);
      first.queueBind("q", "x", "k.#");
      awaitQueue(cluster, 1, "q");
      awaitQueue(cluster, 2, "q");

      Channel second = cluster.channel(1);
      second.confirmSelect();
      BlockingQueue<String> received = consume(cluster.channel(2), "q");
      for (int i = 0; i < 100; i++) {
        second.basicPublish("", "q", true, MessageProperties.PERSISTENT_BASIC, body("m" + i));
      }
      first.queueDeclare("stored", true, false, false, null);
      awaitQueue(cluster, 1, "stored");
      for (int i = 0; i < 10; i++) {
        second.basicPublish("", "stored", true, MessageProperties.PERSISTENT_BASIC, body("s" + i));
      }
      second.waitForConfirmsOrDie(CONFIRM_MILLIS);
      for (int i = 0; i < 100; i++) {
        assertThat(next(received)).isEqualTo("m" + i);
      }

      // The home of the queue ends without a word.
      cluster.kill(0);
      assertThat(next(received)).isEqualTo("cancelled");
      Channel orphan = cluster.channel(1);
      assertThatThrownBy(() -> orphan.basicGet("q", true))
          .hasStackTraceContaining(
              "home node '%s' of durable queue 'q' in vhost '/' is down or inaccessible"
                  .formatted(ClusterNodes.name(0)));

      // The other two agree on changes without it.
      Channel survivor = cluster.channel(2);
      survivor.queueDeclare("later", true, false, false, null);
      survivor.queueBind("later", "x", "later");
      awaitQueue(cluster, 1, "later");

      cluster.embedded(0).start(0);
      awaitQueue(cluster, 0, "later");
      Channel back = cluster.channel(1);
      back.confirmSelect();
      await()
          .atMost(Patience.TIME)
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                Channel asked = cluster.channel(1);
                assertThat(asked.queueDeclarePassive("stored").getMessageCount()).isEqualTo(10);
              });
      // Acknowledgements that had not reached the node when it was killed are not known to it.
      back.queuePurge("q");
      back.basicPublish("x", "k.1", true, MessageProperties.PERSISTENT_BASIC, body("after"));
      back.waitForConfirmsOrDie(CONFIRM_MILLIS);
      assertThat(text(cluster.channel(2).basicGet("q", true))).isEqualTo("after");
    }
  }

  @Test
  void exclusiveQueuesOfANodeGoWithItAndMinorityRefusesChanges() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.asProcesses(0, 2).startAll();
      String exclusive = cluster.channel(0).queueDeclare().getQueue();
      Channel second = cluster.channel(1);
      second.queueDeclare("own", true, false, false, Map.of("x-message-ttl", 100_000));
      await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> cluster.channel(1).queueDeclarePassive(exclusive))
                      .hasStackTraceContaining("RESOURCE_LOCKED"));
      cluster.kill(0);
      await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> cluster.channel(1).queueDeclarePassive(exclusive))
                      .hasStackTraceContaining("NOT_FOUND"));

      cluster.kill(2);
      Channel alone = cluster.channel(1);
      alone.confirmSelect();
      alone.basicPublish("", "own", true, MessageProperties.PERSISTENT_BASIC, body("m"));
      alone.waitForConfirmsOrDie(CONFIRM_MILLIS);
      Channel refused = cluster.channel(1);
      assertThatThrownBy(() -> refused.queueDeclare("new", true, false, false, null))
          .hasStackTraceContaining("INTERNAL_ERROR - ")
          .hasStackTraceContaining(" no majority of the cluster's nodes has confirmed the change");
      assertThat(text(alone.basicGet("own", true))).isEqualTo("m");

      cluster.embedded(2).start(2);
      Channel again = cluster.channel(1);
      await()
          .atMost(Patience.TIME)
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                Channel channel = cluster.channel(1);
                channel.queueDeclare("new", true, false, false, null);
              });
      assertThat(again.isOpen()).isTrue();
    }
  }

  @Test
  void lostNodeIsForgottenAndItsNameJoinsAnewWithoutItsQueues() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.asProcesses(2).startAll();
      cluster.channel(2).queueDeclare("lost", true, false, false, null);
      cluster.channel(0).queueDeclare("kept", true, false, false, null);
      awaitQueue(cluster, 0, "lost");
      ControlCommand control = ControlCommand.of(cluster.node(0));
      assertThat(control.run("await_online_nodes", "3").exit()).isZero();
      assertThat(control.run("forget_cluster_node", ClusterNodes.name(2)).err())
          .anyMatch(line -> line.contains("is running: stop it before it is forgotten"));

      cluster.kill(2);
      await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () ->
                  assertThat(control.run("forget_cluster_node", ClusterNodes.name(2)).exit())
                      .isZero());
      assertThat(control.run("cluster_status").out())
          .doesNotContain(ClusterNodes.name(2))
          .contains(ClusterNodes.name(1));
      await().atMost(Patience.TIME).until(() -> !exists(cluster, 1, "lost"));

      // With its old data it is not let back in; without them it is a new node.
      cluster.embedded(2);
      try (Broker forgotten =
          cluster.builder(2).set("cluster_formation.discovery_retry_limit", 3).launch()) {
        cluster.node(0).awaitLine("was forgotten by this cluster");
        forgotten.terminate();
      }
      cluster.startEmpty(2);
      awaitQueue(cluster, 2, "kept");
      assertThat(exists(cluster, 2, "lost")).isFalse();
    }
  }

  @Test
  void whatAClientWasToldOfIsThereOnEveryNode() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.startAll();
      Channel first = cluster.channel(0);
      Channel second = cluster.channel(1);
      second.confirmSelect();
      for (int i = 0; i < 50; i++) {
        String queue = first.queueDeclare("", false, false, false, null).getQueue();
        second.basicPublish("", queue, null, body("m" + i));
        second.waitForConfirmsOrDie(CONFIRM_MILLIS);
        assertThat(text(first.basicGet(queue, true))).isEqualTo("m" + i);
        first.queueDelete(queue);
        assertThat(exists(cluster, 2, queue)).isFalse();
      }
    }
  }

  @Test
  void policySetOnOneNodeAppliesToQueuesOfAnother() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.startAll();
      Channel home = cluster.channel(0);
      home.queueDeclare("limited", true, false, false, null);
      home.confirmSelect();
      for (int i = 0; i < 3; i++) {
        home.basicPublish("", "limited", null, body("m" + i));
      }
      home.waitForConfirmsOrDie(CONFIRM_MILLIS);
      awaitQueue(cluster, 1, "limited");
      ControlCommand other = ControlCommand.of(cluster.node(1));
      assertThat(other.run("set_policy", "p", "^limited$", "{\"max-length\":1}").exit()).isZero();
      await()
          .atMost(Patience.TIME)
          .until(() -> home.queueDeclarePassive("limited").getMessageCount() == 1);

      // A policy can also ask for another queue, which the node of the first one makes.
      assertThat(
              other.run("set_policy", "p", "^limited$", "{\"dead-letter-queue\":\"auto\"}").exit())
          .isZero();
      awaitQueue(cluster, 2, "limited.$dlq");
    }
  }

  /** An import makes it where its queue is, whatever node imports. */
  @Test
  void deadLetterQueueThatIsImportedIsBesideItsQueue() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.startAll();
      Channel home = cluster.channel(0);
      home.queueDeclare("orders", true, false, false, null);
      awaitQueue(cluster, 1, "orders");
      String own =
          "{\"queues\":[{\"vhost\":\"/\",\"name\":\"orders.$dlq\",\"durable\":true,"
              + "\"auto_delete\":false,\"arguments\":{\"x-dead-letter-queue-of\":\"orders\"}}]}";
      assertThat(cluster.node(1).http().post("definitions", own).status()).isEqualTo(204);
      awaitQueue(cluster, 2, "orders.$dlq");
      for (String queue : List.of("orders", "orders.$dlq")) {
        assertThat(cluster.node(1).http().get("queues/%2F/" + queue).json().path("node").asText())
            .as(queue)
            .isEqualTo(ClusterNodes.name(0));
      }
      ControlCommand control = ControlCommand.of(cluster.node(0));
      control.run("set_policy", "p", "^orders$", "{\"dead-letter-queue\":\"auto\"}");
      home.confirmSelect();
      home.basicPublish("", "orders", null, body("m"));
      home.waitForConfirmsOrDie(CONFIRM_MILLIS);
      home.basicReject(home.basicGet("orders", false).getEnvelope().getDeliveryTag(), false);
      await()
          .atMost(Patience.TIME)
          .until(() -> home.queueDeclarePassive("orders.$dlq").getMessageCount() == 1);
    }
  }

  @Test
  void nodeThatHasLostItsVotesDoesNotStart() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.asProcesses(1).startAll();
      Path votes = cluster.data(1).resolve("cluster");
      await()
          .atMost(Patience.TIME)
          .until(() -> !Files.exists(cluster.data(1).resolve("cluster.joining")));
      cluster.kill(1);
      Files.move(votes, directory.resolve("moved away"));
      try (var voteless = cluster.embedded(1).builder(1).launch()) {
        assertThat(voteless.awaitExit()).isNotZero();
        assertThat(String.join("\n", voteless.output())).contains(votes.toString());
      }
      Files.move(directory.resolve("moved away"), votes);
      cluster.start(1);
      cluster.channel(1).queueDeclare("later", true, false, false, null);
      awaitQueue(cluster, 2, "later");
    }
  }

  @Test
  void nodeWithAnotherSecretOrWithDataOfItsOwnIsNotLetIn() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 2)) {
      cluster.startAll();
      try (var stranger =
          cluster
              .builder(1)
              .set("node_name", "node1@localhost")
              .set("cluster.secret", "another one")
              .set("cluster.listener", "127.0.0.1:0")
              .set("cluster_formation.discovery_retry_limit", 3)
              .data(directory.resolve("stranger"))
              .launch()) {
        assertThat(stranger.awaitExit()).isNotZero();
        assertThat(String.join("\n", stranger.output())).contains("secret");
      }
      cluster.node(0).awaitLine("secret");
      assertThat(List.of(cluster.node(0).isAlive(), cluster.node(1).isAlive())).containsOnly(true);
    }
  }
}
