package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.Target;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node joins another one's cluster by RabbitMQ's commands. */
class JoinClusterIT {
  @TempDir Path directory;

  private BrokerProcess start(String name, int port) {
    return BrokerProcess.builder()
        .data(directory.resolve(name))
        .set("node_name", name + "@localhost")
        .set("cluster.listener", Target.HOST + ":" + port)
        .set("cluster.secret", "of the test")
        .set("cluster_formation.discovery_retry_limit", 3)
        .set("cluster_formation.discovery_retry_interval", 100)
        .start();
  }

  private static void assertRefused(Outcome outcome, String reason) {
    assertThat(outcome.exit()).as(outcome.text()).isNotZero();
    assertThat(String.join("\n", outcome.err())).contains(reason);
  }

  @Test
  void stoppedAndEmptiedNodeJoinsTheClusterThatItIsToldOf() throws Exception {
    int port = BrokerProcess.freePort();
    String address = "localhost:%d".formatted(port);
    try (BrokerProcess first = start("a", port);
        BrokerProcess second = start("b", BrokerProcess.freePort())) {
      ControlCommand there = ControlCommand.of(first);
      ControlCommand here = ControlCommand.of(second);
      assertThat(there.run("add_vhost", "theirs").exit()).isZero();
      assertThat(here.run("add_vhost", "mine").exit()).isZero();

      assertRefused(here.run("join_cluster", "a@" + address), "stop_app comes first");
      assertThat(here.run("stop_app").exit()).isZero();
      assertRefused(here.run("join_cluster", "a@" + address), "reset, which deletes them");
      assertThat(here.run("reset").exit()).isZero();
      assertRefused(here.run("join_cluster", "nothing"), "node 'nothing': expected a node's name");

      assertThat(here.run("join_cluster", "other@" + address).exit()).isZero();
      assertRefused(here.run("start_app"), "is 'a@localhost': expected 'other@localhost'");
      assertThat(here.run("join_cluster", "a@" + address).exit()).isZero();
      assertThat(here.run("start_app").exit()).isZero();

      assertThat(here.run("await_online_nodes", "2").exit()).isZero();
      assertThat(here.run("-q", "list_vhosts").out()).contains("theirs").doesNotContain("mine");
      assertThat(there.run("cluster_status").text()).contains("a@localhost", "b@localhost");
    }
  }
}
