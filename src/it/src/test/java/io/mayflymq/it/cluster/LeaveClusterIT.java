package io.mayflymq.it.cluster;

import static io.mayflymq.it.cluster.ClusterNodes.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a node ceases to be a member: at its own request, or because it is lost for ever. */
class LeaveClusterIT {
  @TempDir Path directory;

  private static ControlCommand control(ClusterNodes cluster, int node) {
    return ControlCommand.of(cluster.node(node));
  }

  private static void done(Outcome outcome) {
    assertThat(outcome.exit()).as(outcome.text()).isZero();
  }

  private static void refused(Outcome outcome, String reason) {
    assertThat(outcome.exit()).as(outcome.text()).isNotZero();
    assertThat(String.join("\n", outcome.err())).contains(reason);
  }

  private static List<String> names(ClusterNodes cluster, int node, String path) throws Exception {
    List<String> names = new ArrayList<>();
    for (JsonNode each : cluster.node(node).http().get(path).json()) {
      names.add(each.path("name").asText());
    }
    return names;
  }

  private static void awaitNames(ClusterNodes cluster, int node, String path, String... expected) {
    await()
        .atMost(Patience.TIME)
        .ignoreExceptions()
        .untilAsserted(
            () -> assertThat(names(cluster, node, path)).containsExactlyInAnyOrder(expected));
  }

  private static void publish(Channel channel, String queue) throws Exception {
    channel.confirmSelect();
    channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, new byte[7]);
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  @Test
  void nodeThatIsResetLeavesItsClusterAndJoinsAgain() throws Exception {
    // Of two nodes none is a majority: the one that leaves has to vote.
    try (ClusterNodes cluster = new ClusterNodes(directory, 2)) {
      cluster.startAll();
      cluster.channel(0).queueDeclare("stays", true, false, false, null);
      cluster.channel(1).queueDeclare("goes", true, false, false, null);
      refused(control(cluster, 1).run("reset"), "stop_app");

      done(control(cluster, 1).run("stop_app"));
      done(control(cluster, 1).run("reset"));
      awaitNames(cluster, 0, "nodes", name(0));
      awaitNames(cluster, 0, "queues", "stays");
      cluster.channel(0).queueDeclare("later", true, false, false, null);

      done(control(cluster, 1).run("start_app"));
      awaitNames(cluster, 1, "nodes", name(0), name(1));
      awaitNames(cluster, 1, "queues", "stays", "later");
      cluster.channel(1).queueDeclare("again", true, false, false, null);
    }
  }

  @Test
  void nodeThatReachesNoMajorityIsResetByForceOnly() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 2)) {
      cluster.asProcesses(0).startAll();
      cluster.kill(0);
      done(control(cluster, 1).run("stop_app"));
      Outcome reset = control(cluster, 1).run("reset");
      refused(reset, "this node cannot leave its cluster: node");
      refused(reset, "force_reset deletes its data without that");

      done(control(cluster, 1).run("force_reset"));
      cluster.embedded(0).start(0);
      // The other one was not told.
      awaitNames(cluster, 0, "nodes", name(0), name(1));
    }
  }

  @Test
  void nodeGoesOnAloneWhenTheOthersAreLostForEver() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.asProcesses(0, 1).startAll();
      cluster.channel(2).queueDeclare("kept", true, false, false, null);
      publish(cluster.channel(0), "kept");
      cluster.channel(1).queueDeclare("lost", true, false, false, null);
      ControlCommand survivor = control(cluster, 2);
      refused(survivor.run("forget_cluster_node", "--offline", name(0)), "node is online");
      done(survivor.run("stop_app"));
      refused(survivor.run("forget_cluster_node", name(0)), "offline node");
      refused(
          survivor.run("forget_cluster_node", "--offline", name(0)),
          "node '%s' can be reached: it is not lost".formatted(name(0)));
      cluster.kill(0);
      refused(
          survivor.run("forget_cluster_node", "--offline", name(0)),
          "this node and %s are 2 of 3, a majority".formatted(name(1)));
      cluster.kill(1);
      refused(
          survivor.run("forget_cluster_node", "--offline", "other@host"),
          "'other@host' is not a member of the cluster");
      refused(survivor.run("forget_cluster_node", "--offline", name(2)), "is this one");

      done(survivor.run("forget_cluster_node", "--offline", name(0)));
      Outcome last = survivor.run("forget_cluster_node", "--offline", name(1));
      done(last);
      assertThat(last.text())
          .contains("Node %s goes on without node %s and alone".formatted(name(2), name(1)))
          .contains("the queues of node %s, 1, are deleted".formatted(name(1)));
      done(survivor.run("start_app"));
      awaitNames(cluster, 2, "nodes", name(2));
      awaitNames(cluster, 2, "queues", "kept");
      GetResponse got = cluster.channel(2).basicGet("kept", true);
      assertThat(got.getBody()).hasSize(7);
      done(survivor.run("await_online_quorum_plus_one"));
      cluster.channel(2).queueDeclare("new", true, false, false, null);

      // One of those that were given up runs all the same.
      cluster.embedded(0, 1).launch(0);
      cluster.node(0).awaitLine("it has gone on without some members of this one");
      cluster.node(0).terminate();
      cluster.startEmpty(1);
      awaitNames(cluster, 1, "nodes", name(1), name(2));
      awaitNames(cluster, 1, "queues", "kept", "new");
      refused(
          survivor.run("-t", "1", "await_online_quorum_plus_one"),
          "without one they would be no majority");
      publish(cluster.channel(1), "kept");
      assertThat(cluster.channel(2).basicGet("kept", true).getBody()).hasSize(7);
    }
  }
}
