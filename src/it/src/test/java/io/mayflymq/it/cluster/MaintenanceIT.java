package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is drained serves no clients, and the others go on with its queues. */
class MaintenanceIT {
  private static final String IN_SERVICE = "health/checks/is-in-service";
  private static final String READY = "health/checks/ready-to-serve-clients";

  @TempDir Path directory;

  private static Http api(Broker node) {
    return Http.as(node.httpPort(), "guest", "guest");
  }

  @Test
  void drainedNodeClosesItsClientsAndServesItsQueuesToOtherNodes() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.asProcesses(0).startAll();
      Channel there = cluster.channel(0);
      Channel here = cluster.channel(1);
      there.queueDeclare("q", true, false, false, null);
      Broker node = cluster.node(0);
      ControlCommand control = ControlCommand.of(node);

      assertThat(control.run("drain").exit()).isZero();
      await().atMost(Patience.TIME).until(() -> !there.isOpen());
      assertThat(there.getCloseReason())
          .hasMessageContaining("320")
          .hasMessageContaining("Node was put into maintenance mode");
      assertThatThrownBy(() -> cluster.channel(0)).isInstanceOf(IOException.class);
      assertThat(control.run("cluster_status").text())
          .contains("Node: %s, status: marked for maintenance".formatted(ClusterNodes.name(0)))
          .contains("Node: %s, status: not under maintenance".formatted(ClusterNodes.name(1)))
          .contains("purpose: inter-node communication");
      JsonNode status =
          new ObjectMapper().readTree(control.run("--formatter", "json", "cluster_status").text());
      assertThat(status.path("maintenance_status").path(ClusterNodes.name(0)).asText())
          .isEqualTo("marked for maintenance");
      assertThat(status.path("versions").size()).isEqualTo(3);
      assertThat(status.path("cpu_cores").path(ClusterNodes.name(2)).asInt()).isPositive();
      assertThat(api(node).get(IN_SERVICE).status()).isEqualTo(503);
      assertThat(api(node).get(READY).status()).isEqualTo(503);
      assertThat(api(cluster.node(1)).get(READY).status()).isEqualTo(200);
      assertThat(
              api(cluster.node(1))
                  .get("nodes/" + ClusterNodes.name(0))
                  .json()
                  .path("being_drained")
                  .asBoolean())
          .isTrue();

      here.confirmSelect();
      here.basicPublish("", "q", MessageProperties.PERSISTENT_BASIC, new byte[3]);
      here.waitForConfirmsOrDie(Patience.MILLIS);
      GetResponse got = here.basicGet("q", true);
      assertThat(got.getBody()).hasSize(3);
      for (int i = 0; i < 4; i++) {
        String name = "balanced" + i;
        here.queueDeclare(name, true, false, false, Map.of("x-queue-leader-locator", "balanced"));
        assertThat(api(cluster.node(1)).get("queues/%2F/" + name).json().path("node").asText())
            .isNotEqualTo(ClusterNodes.name(0));
      }
      // The others decide without it.
      cluster.kill(0);
      here.queueDeclare("later", true, false, false, null);
      cluster.embedded(0).start(0);
      assertThat(api(cluster.node(0)).get(READY).status()).isEqualTo(200);
      cluster.channel(0).queueDeclarePassive("q");
    }
  }

  @Test
  void brokerThatIsAloneIsDrainedAndRevived() throws Exception {
    try (Broker broker = EmbeddedBroker.builder().data(directory).start()) {
      Channel channel = broker.factory().newConnection().createChannel();
      ControlCommand control = ControlCommand.of(broker);

      assertThat(control.run("suspend_listeners").exit()).isZero();
      assertThatThrownBy(() -> broker.factory().newConnection()).isInstanceOf(IOException.class);
      channel.queueDeclare("q", true, false, false, null);
      assertThat(control.run("resume_listeners").exit()).isZero();
      broker.factory().newConnection().close();

      assertThat(control.run("drain").exit()).isZero();
      await().atMost(Patience.TIME).until(() -> !channel.isOpen());
      assertThat(control.run("drain").exit()).isZero();
      assertThat(control.run("status").text()).contains("Is under maintenance?: true");
      assertThat(control.run("revive").exit()).isZero();
      broker.factory().newConnection().close();
      assertThat(control.run("status").text()).contains("Is under maintenance?: false");
      assertThat(api(broker).get(IN_SERVICE).status()).isEqualTo(200);
    }
  }
}
