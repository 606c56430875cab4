package io.mayflymq.it.cluster;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.BrokerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** The nodes of a cluster, each a process with a data directory that outlives it. */
final class ClusterProcesses implements AutoCloseable {
  private static final String SECRET = "the secret of the test";

  private final Path directory;
  private final List<Integer> ports = new ArrayList<>();
  private final List<BrokerProcess> nodes = new ArrayList<>();
  private final List<Connection> connections = new ArrayList<>();

  /** Names so many nodes; none is started yet. */
  ClusterProcesses(Path directory, int count) {
    this.directory = directory;
    for (int i = 0; i < count; i++) {
      ports.add(BrokerProcess.freePort());
      nodes.add(null);
    }
  }

  static String name(int node) {
    return "node%d@localhost".formatted(node);
  }

  /** Returns the data directory of a node. */
  Path data(int node) {
    return directory.resolve("node" + node);
  }

  /** Returns how a node is started. */
  BrokerProcess.Builder builder(int node) {
    BrokerProcess.Builder builder =
        BrokerProcess.builder()
            .set("node_name", name(node))
            .set("cluster.listener", "127.0.0.1:" + ports.get(node))
            .set("cluster.secret", SECRET)
            .set("cluster_formation.discovery_retry_limit", 600)
            .set("cluster_formation.discovery_retry_interval", 100)
            .data(data(node));
    for (int i = 0; i < ports.size(); i++) {
      builder.set(
          "cluster_formation.classic_config.nodes." + (i + 1),
          name(i) + ":127.0.0.1:" + ports.get(i));
    }
    return builder;
  }

  /** Starts all nodes at once, and waits until they are ready. */
  void startAll() {
    for (int node = 0; node < nodes.size(); node++) {
      nodes.set(node, builder(node).launch());
    }
    nodes.forEach(BrokerProcess::awaitReady);
  }

  /** Starts a node on the data that it has. */
  void start(int node) {
    nodes.set(node, builder(node).start());
  }

  /** Starts a node that has lost its data. */
  void startEmpty(int node) {
    nodes.set(node, builder(node).data(directory.resolve("new" + node)).start());
  }

  BrokerProcess node(int node) {
    return nodes.get(node);
  }

  /** Opens a channel on a node. */
  Channel channel(int node) throws IOException, TimeoutException {
    var factory = nodes.get(node).factory();
    factory.setAutomaticRecoveryEnabled(false);
    Connection connection = factory.newConnection();
    connections.add(connection);
    return connection.createChannel();
  }

  @Override
  public void close() {
    for (Connection connection : connections) {
      connection.abort(1_000);
    }
    for (BrokerProcess node : nodes) {
      if (node != null) {
        node.close();
      }
    }
  }
}
