package io.mayflymq.it.harness;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * A cluster of two nodes for tests that expect one broker: their clients are connected to one node,
 * and their queues are on the other, unless they are exclusive.
 *
 * @param clients the node that clients are connected to
 * @param queues the node that has the queues
 */
record RemoteQueues(Target clients, Target queues) implements AutoCloseable {
  /** The parameter of a run of tests that are to use such a cluster. */
  static final String PARAMETER = "mayfly.it.remote";

  /** More than all tests have at a time: a new queue goes to the node with fewer. */
  private static final int QUEUES_OF_CLIENTS_NODE = 200;

  static RemoteQueues start() {
    int[] ports = {Broker.freePort(), Broker.freePort()};
    // Neither is ready without the other.
    EmbeddedBroker other = node(1, ports).launch();
    EmbeddedBroker own = node(0, ports).launch();
    Target clients = Target.of(own);
    other.awaitReady();
    fill(clients);
    return new RemoteQueues(clients, new Target(other.port(), other, clients.product()));
  }

  private static EmbeddedBroker.Builder node(int number, int[] ports) {
    EmbeddedBroker.Builder builder =
        EmbeddedBroker.builder()
            .trackingAllBuffers()
            .set("node_name", name(number))
            .set("cluster.listener", Target.HOST + ":" + ports[number])
            .set("cluster.secret", "the secret of the test")
            .set("cluster_formation.discovery_retry_limit", 600)
            .set("cluster_formation.discovery_retry_interval", 100)
            .set("queue_leader_locator", "balanced");
    for (int i = 0; i < ports.length; i++) {
      String listed = "cluster_formation.classic_config.nodes." + (i + 1);
      builder.set(listed, name(i) + ":" + Target.HOST + ":" + ports[i]);
    }
    return builder;
  }

  private static String name(int node) {
    return "node%d@localhost".formatted(node);
  }

  private static void fill(Target clients) {
    Map<String, Object> here = Map.of("x-queue-leader-locator", "client-local");
    try (Connection connection = clients.factory().newConnection("fill")) {
      Channel channel = connection.createChannel();
      for (int i = 0; i < QUEUES_OF_CLIENTS_NODE; i++) {
        channel.queueDeclareNoWait("of-the-clients-node-" + i, false, false, false, here);
      }
      channel.queueDeclarePassive("of-the-clients-node-0");
    } catch (IOException | TimeoutException e) {
      throw new IllegalStateException("The nodes do not serve clients", e);
    }
  }

  @Override
  public void close() {
    try {
      clients.close();
    } finally {
      queues.close();
    }
  }
}
