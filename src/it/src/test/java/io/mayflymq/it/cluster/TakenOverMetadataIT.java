package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node starts whose cluster's log does not reach back to what the node has. */
class TakenOverMetadataIT {
  private static final List<Integer> FIRST = List.of(0, 1, 2);
  private static final List<Integer> LATER = List.of(3, 4);
  private static final int AWAY = 2;

  @TempDir Path directory;

  private static void run(ClusterNodes cluster, int node, String... command) {
    Outcome outcome = ControlCommand.of(cluster.node(node)).run(command);
    assertThat(outcome.exit()).as(outcome.text()).isZero();
  }

  private static int line(List<String> output, String text) {
    return IntStream.range(0, output.size())
        .filter(line -> output.get(line).contains(text))
        .findFirst()
        .orElseThrow(() -> new AssertionError(text + " is not in\n" + String.join("\n", output)));
  }

  /** It does not serve clients in between, whose connections would end at once. */
  @Test
  void nodeThatTakesOverMetadataAtItsStartIsReadyOnceAndWithThem() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 5)) {
      for (int node : FIRST) {
        cluster.launch(node);
      }
      FIRST.forEach(node -> cluster.node(node).awaitReady());
      run(cluster, AWAY, "await_online_nodes", "3");
      assertThat(cluster.node(AWAY).stop()).isZero();
      run(cluster, 0, "add_vhost", "meanwhile");
      // A member that has joined later has no earlier part of the log.
      for (int node : LATER) {
        cluster.start(node);
      }
      run(cluster, 0, "await_online_nodes", "4");
      assertThat(cluster.node(1).stop()).isZero();
      run(cluster, 0, "drain");

      cluster.start(AWAY);

      List<String> output = cluster.node(AWAY).output();
      int taken = line(output, "it takes over all metadata");
      int anew = line(output, "starting the broker anew with the metadata");
      int listening = line(output, "listening for AMQP on");
      assertThat(List.of(taken, anew, listening, line(output, " ready in"))).isSorted();
      assertThat(output).filteredOn(line -> line.contains("listening for AMQP on")).hasSize(1);
      Outcome vhosts = ControlCommand.of(cluster.node(AWAY)).run("-q", "list_vhosts");
      assertThat(vhosts.out()).contains("meanwhile");
      run(cluster, AWAY, "add_vhost", "afterwards");
    }
  }
}
