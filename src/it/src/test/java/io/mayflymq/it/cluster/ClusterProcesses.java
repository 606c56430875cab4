package io.mayflymq.it.cluster;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The nodes of a cluster, each a process with a data directory that outlives it. */
public final class ClusterProcesses implements AutoCloseable {
  private static final String SECRET = "the secret of the test";

  private final List<Place> places;
  private final Map<String, Object> settings = new LinkedHashMap<>();
  private final Map<String, IntFunction<?>> ofEach = new LinkedHashMap<>();
  private final Map<Integer, Path> jars = new LinkedHashMap<>();
  private final List<Integer> ports = new ArrayList<>();
  private final AtomicReferenceArray<BrokerProcess> nodes;
  private final List<BrokerProcess> processes = new ArrayList<>();
  private final List<Connection> connections = new ArrayList<>();

  /**
   * Where a node runs.
   *
   * @param address on which it listens
   * @param wrapper the command that starts its process in its place; empty for none
   * @param data its data directory
   */
  public record Place(String address, List<String> wrapper, Path data) {}

  /** Names so many nodes, all on the loopback address; none is started yet. */
  public ClusterProcesses(Path directory, int count) {
    this(
        IntStream.range(0, count)
            .mapToObj(node -> new Place(Target.HOST, List.of(), directory.resolve("node" + node)))
            .toList());
  }

  /** Names a node for each place; none is started yet. */
  public ClusterProcesses(List<Place> places) {
    this.places = List.copyOf(places);
    this.nodes = new AtomicReferenceArray<>(places.size());
    places.forEach(place -> ports.add(Broker.freePort()));
  }

  /** Adds {@code --set key=value} to all later starts. */
  public ClusterProcesses set(String key, Object value) {
    settings.put(key, value);
    return this;
  }

  /** Adds {@code --set key=value} to all later starts, with another value for each node. */
  public ClusterProcesses setEach(String key, IntFunction<?> value) {
    ofEach.put(key, value);
    return this;
  }

  /** Returns the name of a node. */
  public static String name(int node) {
    return "node%d@localhost".formatted(node);
  }

  /** Returns the data directory of a node. */
  public Path data(int node) {
    return places.get(node).data();
  }

  /** Returns how a node is started. */
  BrokerProcess.Builder builder(int node) {
    Place place = places.get(node);
    BrokerProcess.Builder builder =
        BrokerProcess.builder()
            .address(place.address())
            .wrappedBy(place.wrapper())
            .set("node_name", name(node))
            .set("cluster.listener", place.address() + ":" + ports.get(node))
            .set("cluster.secret", SECRET)
            .set("cluster_formation.discovery_retry_limit", 600)
            .set("cluster_formation.discovery_retry_interval", 100)
            .data(data(node));
    settings.forEach(builder::set);
    ofEach.forEach((key, value) -> builder.set(key, value.apply(node)));
    if (jars.containsKey(node)) {
      builder.jar(jars.get(node));
    }
    for (int i = 0; i < ports.size(); i++) {
      builder.set(
          "cluster_formation.classic_config.nodes." + (i + 1),
          name(i) + ":" + places.get(i).address() + ":" + ports.get(i));
    }
    return builder;
  }

  /** Runs later starts of a node from another jar. */
  ClusterProcesses jar(int node, Path jar) {
    jars.put(node, jar);
    return this;
  }

  /** Starts all nodes at once, and waits until they are ready. */
  public void startAll() {
    for (int node = 0; node < places.size(); node++) {
      launch(node);
    }
    for (int node = 0; node < places.size(); node++) {
      node(node).awaitReady();
    }
  }

  /** Starts a node on the data that it has, and does not wait until it is ready. */
  public void launch(int node) {
    keep(node, builder(node).launch());
  }

  private void keep(int node, BrokerProcess process) {
    nodes.set(node, process);
    processes.add(process);
  }

  /** Returns all processes that were started, in their order. */
  public List<BrokerProcess> processes() {
    return List.copyOf(processes);
  }

  /** Starts a node on the data that it has. */
  public void start(int node) {
    launch(node);
    node(node).awaitReady();
  }

  /** Starts a node that has lost its data. */
  void startEmpty(int node) {
    keep(node, builder(node).data(data(node).resolveSibling("new" + node)).start());
  }

  /** Returns the process that was started last as this node. Any thread. */
  public BrokerProcess node(int node) {
    return nodes.get(node);
  }

  /** Opens a channel on a node. */
  public Channel channel(int node) throws IOException, TimeoutException {
    var factory = node(node).factory();
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
    for (int node = 0; node < places.size(); node++) {
      if (node(node) != null) {
        node(node).close();
      }
    }
  }
}
