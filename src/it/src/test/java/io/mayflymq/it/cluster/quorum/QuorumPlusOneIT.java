package io.mayflymq.it.cluster.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.OwnBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Before a node is stopped one waits for other nodes: also for the members of its quorum queues,
 * where the cluster itself could do without the node.
 */
@OwnBroker
class QuorumPlusOneIT {
  private static final int NODES = 5;

  @TempDir Path directory;

  private static ControlCommand.Outcome awaitFor(int seconds, ClusterNodes nodes, int node) {
    return ControlCommand.of(nodes.node(node))
        .run("-t", Integer.toString(seconds), "await_online_quorum_plus_one");
  }

  private static List<Integer> members(ClusterNodes nodes) throws Exception {
    List<Integer> members = new ArrayList<>();
    nodes
        .node(0)
        .http()
        .get("queues/%2F/q")
        .json()
        .get("members")
        .forEach(
            name ->
                members.add(
                    IntStream.range(0, NODES)
                        .filter(node -> ClusterNodes.name(node).equals(name.textValue()))
                        .findFirst()
                        .orElseThrow()));
    return members;
  }

  @Test
  void nodeWaitsUntilItsQueuesCanGoOnWithoutIt() throws Exception {
    try (ClusterNodes nodes = new ClusterNodes(directory, NODES)) {
      nodes.startAll();
      nodes.channel(0).queueDeclare("q", true, false, false, Map.of("x-queue-type", "quorum"));
      // One that is on one node needs it at any time, and waiting does not help.
      nodes
          .channel(0)
          .queueDeclare(
              "alone",
              true,
              false,
              false,
              Map.of("x-queue-type", "quorum", "x-quorum-initial-group-size", 1));
      await("all are in sync").until(() -> awaitFor(1, nodes, 0).exit() == 0);
      List<Integer> members = members(nodes);
      assertThat(members).hasSize(3).contains(0);
      int away = members.stream().filter(node -> node != 0).findFirst().orElseThrow();
      int stranger =
          IntStream.range(0, NODES)
              .filter(node -> !members.contains(node))
              .findFirst()
              .orElseThrow();

      assertThat(nodes.node(away).stop()).isZero();
      await("the node is known to be away").until(() -> awaitFor(1, nodes, 0).exit() != 0);
      assertThat(awaitFor(1, nodes, 0).err().toString())
          .contains(
              "time is up, 1 quorum queues would lose their majority without this node, such as"
                  + " queue 'q' in vhost '/'");
      // Of five nodes four run, and it has no part in the queue.
      assertThat(awaitFor(1, nodes, stranger).exit()).isZero();

      nodes.launch(away);
      ControlCommand.Outcome waited = awaitFor(60, nodes, 0);
      assertThat(waited.exit()).as(waited.err().toString()).isZero();
    }
  }
}
