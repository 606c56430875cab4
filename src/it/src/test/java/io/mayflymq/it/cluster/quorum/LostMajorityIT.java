package io.mayflymq.it.cluster.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two of three nodes are destroyed, with their data. */
@OwnBroker
@Order(1)
class LostMajorityIT {
  private static final String SHRINK = "force_shrink_member_to_current_member";
  private static final List<String> QUEUES = List.of("q0", "q1", "q2");

  @TempDir Path directory;

  private static String state(ClusterNodes cluster, String queue) throws Exception {
    return cluster.node(0).http().get("queues/%2F/" + queue).json().path("state").asText();
  }

  /**
   * Which node led the queue does not matter, nor what is asked. But what changes nothing may be
   * answered by the leader as long as no other node can lead.
   */
  private static void requestsEnd(ClusterNodes cluster) throws Exception {
    List<CompletableFuture<String>> answers = new ArrayList<>();
    CompletableFuture<String> mayBeAnswered =
        failure(cluster.channel(0), channel -> channel.queueDeclarePassive("q0"));
    for (String queue : List.of("q1", "q2")) {
      answers.add(failure(cluster.channel(0), channel -> channel.queueDeclarePassive(queue)));
    }
    for (String queue : QUEUES) {
      answers.add(failure(cluster.channel(0), channel -> channel.basicGet(queue, false)));
    }
    answers.add(failure(cluster.channel(0), channel -> channel.queuePurge("other")));
    answers.add(failure(cluster.channel(0), channel -> channel.queueDelete("other")));
    Http.Reply user =
        cluster.node(0).http().put("users/u", "{\"password\":\"secret\",\"tags\":\"\"}");
    assertThat(user.status()).isEqualTo(503);
    assertThat(user.json().path("error").asText()).isEqualTo("no_majority");
    assertThat(user.json().path("reason").asText())
        .contains("no majority of the cluster's nodes has confirmed the change");
    String none = "NOT_FOUND - queue '(q[012]|other)' in vhost '/' has no leader at present";
    for (CompletableFuture<String> answer : answers) {
      assertThat(answer.get(Patience.MILLIS, TimeUnit.MILLISECONDS)).matches(none);
    }
    assertThat(mayBeAnswered.get(Patience.MILLIS, TimeUnit.MILLISECONDS)).matches("done|" + none);
  }

  @FunctionalInterface
  private interface Request {
    void ask(Channel channel) throws IOException;
  }

  private static CompletableFuture<String> failure(Channel channel, Request request) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            request.ask(channel);
            return "done";
          } catch (IOException e) {
            ShutdownSignalException closed = (ShutdownSignalException) e.getCause();
            return ((AMQP.Channel.Close) closed.getReason()).getReplyText();
          }
        },
        task -> new Thread(task, "request").start());
  }

  @Test
  void nodeThatIsLeftServesWhatItHas() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.asProcesses(1, 2).startAll();
      // Each is led by another node.
      for (int node = 0; node < 3; node++) {
        Channel channel = cluster.channel(node);
        channel.confirmSelect();
        channel.queueDeclare("q" + node, true, false, false, Map.of("x-queue-type", "quorum"));
        QuorumNodes.publish(channel, "q" + node, QuorumNodes.bodies(0, 50));
      }
      Channel first = cluster.channel(0);
      first.confirmSelect();
      first.queueDeclare("other", true, false, false, Map.of("x-queue-type", "quorum"));
      QuorumNodes.publish(first, "other", "to be purged");
      ControlCommand control = ControlCommand.of(cluster.node(0));
      assertThat(control.run(SHRINK, "q0", "--force").err().toString())
          .contains("can be reached, a majority: nothing is lost");
      assertThat(control.run("-q", SHRINK, "--all", "--force").out()).hasSizeLessThan(2);
      for (int node : List.of(1, 2)) {
        cluster.kill(node);
      }
      await().atMost(Patience.TIME).until(() -> state(cluster, "q0").equals("minority"));
      requestsEnd(cluster);

      assertThat(control.run("stop_app").exit()).isZero();
      for (int node : List.of(1, 2)) {
        ControlCommand.Outcome forgotten =
            control.run("forget_cluster_node", "--offline", ClusterNodes.name(node));
        assertThat(forgotten.exit()).as("%s", forgotten).isZero();
      }
      assertThat(control.run("start_app").exit()).isZero();
      ControlCommand.Outcome told = control.run(SHRINK, "--all");
      assertThat(told.exit()).isEqualTo(69);
      assertThat(told.err().toString())
          .contains(" queues, and no confirmed message, as this node was in sync: --force");
      assertThat(control.run("--dry-run", SHRINK, "q1").out().toString()).contains("/\tq1\ttrue");
      ControlCommand.Outcome done = control.run(SHRINK, "--all", "--force");

      assertThat(done.exit()).as("%s", done).isZero();
      for (String queue : QUEUES) {
        await().atMost(Patience.TIME).until(() -> state(cluster, queue).equals("running"));
        JsonNode members = cluster.node(0).http().get("queues/%2F/" + queue).json().path("members");
        assertThat(members.toString()).isEqualTo("[\"" + ClusterNodes.name(0) + "\"]");
        Channel channel = cluster.channel(0);
        channel.confirmSelect();
        QuorumNodes.publish(channel, queue, "m50");
        assertThat(QuorumNodes.drain(channel, queue)).isEqualTo(QuorumNodes.bodies(0, 51));
      }
    }
  }
}
