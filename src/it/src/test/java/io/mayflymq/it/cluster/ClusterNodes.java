package io.mayflymq.it.cluster;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The nodes of a cluster, each with a data directory that outlives it. They are in the process of
 * the tests ({@link EmbeddedBroker}), but for those that a test has said to be processes, which it
 * may kill.
 */
public final class ClusterNodes implements AutoCloseable {
  private static final String SECRET = "the secret of the test";

  private final List<Place> places;
  private final Map<String, Object> settings = new LinkedHashMap<>();
  private final Map<String, IntFunction<?>> ofEach = new LinkedHashMap<>();
  private final Map<Integer, Path> jars = new LinkedHashMap<>();
  private final List<Integer> ports = new ArrayList<>();
  private final Set<Integer> processes = new HashSet<>();
  private final AtomicReferenceArray<Broker> nodes;
  private final List<Broker> brokers = new ArrayList<>();
  private final List<Connection> connections = new ArrayList<>();

  /**
   * Where a node runs.
   *
   * @param address on which it listens
   * @param wrapper the command that starts its process in its place; empty for one in the process
   *     of the tests
   * @param data its data directory
   */
  public record Place(String address, List<String> wrapper, Path data) {}

  /** Names so many nodes, all on the loopback address; none is started yet. */
  public ClusterNodes(Path directory, int count) {
    this(
        IntStream.range(0, count)
            .mapToObj(node -> new Place(Target.HOST, List.of(), directory.resolve("node" + node)))
            .toList());
  }

  /** Names a node for each place; none is started yet. */
  public ClusterNodes(List<Place> places) {
    this.places = List.copyOf(places);
    this.nodes = new AtomicReferenceArray<>(places.size());
    places.forEach(place -> ports.add(Broker.freePort()));
    IntStream.range(0, places.size())
        .filter(node -> !places.get(node).wrapper().isEmpty())
        .forEach(processes::add);
  }

  /** Has later starts of these nodes be processes, which can be killed. */
  public ClusterNodes asProcesses(int... those) {
    IntStream.of(those).forEach(processes::add);
    return this;
  }

  /** Has later starts of these nodes be in the process of the tests, as they are by default. */
  public ClusterNodes embedded(int... those) {
    IntStream.of(those).forEach(processes::remove);
    return this;
  }

  /** Adds {@code --set key=value} to all later starts. */
  public ClusterNodes set(String key, Object value) {
    settings.put(key, value);
    return this;
  }

  /** Adds {@code --set key=value} to all later starts, with another value for each node. */
  public ClusterNodes setEach(String key, IntFunction<?> value) {
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
  Broker.Builder<?, ?> builder(int node) {
    return processes.contains(node)
        ? configured(node, processBuilder(node))
        : configured(node, EmbeddedBroker.builder().jar(jar(node)));
  }

  /** Returns how a node is started as a process. */
  private BrokerProcess.Builder processBuilder(int node) {
    BrokerProcess.Builder builder = BrokerProcess.builder().wrappedBy(places.get(node).wrapper());
    return jars.containsKey(node) ? builder.jar(jar(node)) : builder;
  }

  private Path jar(int node) {
    return jars.getOrDefault(node, Broker.jar());
  }

  private <S extends Broker.Builder<S, ?>> S configured(int node, S builder) {
    Place place = places.get(node);
    builder
        .address(place.address())
        .set("node_name", name(node))
        .set("cluster.listener", place.address() + ":" + ports.get(node))
        .set("cluster.secret", SECRET)
        .set("cluster_formation.discovery_retry_limit", 600)
        .set("cluster_formation.discovery_retry_interval", 100)
        .data(data(node));
    settings.forEach(builder::set);
    ofEach.forEach((key, value) -> builder.set(key, value.apply(node)));
    for (int i = 0; i < ports.size(); i++) {
      builder.set(
          "cluster_formation.classic_config.nodes." + (i + 1),
          name(i) + ":" + places.get(i).address() + ":" + ports.get(i));
    }
    return builder;
  }

  /** Runs later starts of a node from another jar. */
  ClusterNodes jar(int node, Path jar) {
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

  private void keep(int node, Broker broker) {
    nodes.set(node, broker);
    brokers.add(broker);
  }

  /** Returns all brokers that were started, in their order. */
  public List<Broker> brokers() {
    return List.copyOf(brokers);
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

  /** Returns the broker that was started last as this node. Any thread. */
  public Broker node(int node) {
    return nodes.get(node);
  }

  /** Returns the process that was started last as this node. Any thread. */
  public BrokerProcess process(int node) {
    return (BrokerProcess) node(node);
  }

  /** Ends a node that is a process by SIGKILL, and waits for its end. */
  public void kill(int node) {
    process(node).kill();
    node(node).awaitExit();
  }

  /** Opens a channel on a node. */
  public Channel channel(int node) throws IOException, TimeoutException {
    return channel(node, "/");
  }

  /** Opens a channel on a node, in a virtual host. */
  Channel channel(int node, String vhost) throws IOException, TimeoutException {
    var factory = node(node).factory();
    factory.setVirtualHost(vhost);
    factory.setAutomaticRecoveryEnabled(false);
    Connection connection = factory.newConnection("client of node " + node);
    connections.add(connection);
    return connection.createChannel();
  }

  @Override
  public void close() {
    for (Connection connection : connections) {
      connection.abort(1_000);
    }
    List<Broker> running =
        IntStream.range(0, places.size())
            .mapToObj(this::node)
            .filter(Objects::nonNull)
            .filter(Broker::isAlive)
            .toList();
    running.forEach(Broker::terminate);
    List<String> wrong = new ArrayList<>();
    for (Broker broker : running) {
      int exit = broker.awaitExit();
      if (exit != 0) {
        wrong.add("a node has ended with %d, see %s".formatted(exit, broker.writeOutput()));
      }
    }
    for (Broker broker : brokers) {
      wrong.addAll(broker.complaintsInContext());
    }
    if (!wrong.isEmpty()) {
      throw new AssertionError(String.join("\n", wrong));
    }
  }
}
