package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node joins another one's cluster by RabbitMQ's commands. */
class JoinClusterIT {
  @TempDir Path directory;

  private Broker start(String name, int port) {
    return EmbeddedBroker.builder()
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
    int port = Broker.freePort();
    String address = "localhost:%d".formatted(port);
    try (Broker first = start("a", port);
        Broker second = start("b", Broker.freePort())) {
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

  @Test
  void quorumQueueThatWasDeclaredAloneGetsReplicasWhenAnotherNodeHasJoined() throws Exception {
    int port = Broker.freePort();
    try (Broker first = start("a", port);
        Broker second = start("b", Broker.freePort());
        Connection connection = first.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.confirmSelect();
      for (int i = 0; i < 100; i++) {
        channel.basicPublish("", "q", RestartedBroker.PERSISTENT, Amqp.bytes("m" + i));
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);
      ControlCommand there = ControlCommand.of(first);
      String[] convert = {"convert_queue", "q", "--to", "quorum"};
      assertRefused(there.run(convert), "cannot have replicas now: its node is the only one");
      ControlCommand here = ControlCommand.of(second);
      for (String[] step :
          List.of(
              new String[] {"stop_app"},
              new String[] {"reset"},
              new String[] {"join_cluster", "a@localhost:" + port},
              new String[] {"start_app"},
              new String[] {"await_online_nodes", "2"})) {
        Outcome outcome = here.run(step);
        assertThat(outcome.exit()).as(outcome.text()).isZero();
      }
      assertThat(first.http().get("queues/%2F/q").json().path("members")).hasSize(1);

      Outcome converted = here.run(convert);

      assertThat(converted.exit()).as(converted.text()).isZero();
      assertThat(first.http().get("queues/%2F/q").json().path("members")).hasSize(2);
      for (int i = 0; i < 100; i++) {
        assertThat(Amqp.text(channel.basicGet("q", true).getBody())).isEqualTo("m" + i);
      }
    }
  }
}
