package io.mayflymq.it.cluster.fault;

import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.cluster.ClusterNodes.Place;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.NodeNetwork;
import io.mayflymq.it.harness.SmallDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** A cluster whose nodes have a network and a disk of their own, for faults of either. */
public final class FaultBench implements AutoCloseable {
  /** How many nodes there are. */
  public static final int NODES = 3;

  private static final int DISK_MEGABYTES = 192;

  /** Small, so that segments are created, deleted and compacted often. */
  private static final int SEGMENT_BYTES = 2 << 20;

  private final Deque<Runnable> held = new ArrayDeque<>();
  private final NodeNetwork network;
  private final List<SmallDisk> disks = new ArrayList<>();
  private final List<ShiftedClock> clocks = new ArrayList<>();
  private final List<Duration> usualClocks;
  private final ClusterNodes cluster;

  private FaultBench(NodeNetwork network, List<Duration> usualClocks) {
    this.network = network;
    this.usualClocks = List.copyOf(usualClocks);
    held.push(network::close);
    List<Place> places = new ArrayList<>();
    try {
      for (int node = 0; node < NODES; node++) {
        SmallDisk disk = SmallDisk.mount(Files.createTempDirectory("mayfly-node"), DISK_MEGABYTES);
        held.push(() -> unmount(disk));
        disks.add(disk);
        Path data = disk.directory().resolve("data");
        ShiftedClock clock = clock();
        clock.set(usualClocks.get(node));
        clocks.add(clock);
        List<String> wrapper = new ArrayList<>(network.wrapper(node));
        wrapper.addAll(clock.wrapper());
        places.add(new Place(network.address(node), wrapper, data));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    // Otherwise publishers are blocked before a disk is really full.
    cluster =
        new ClusterNodes(places)
            .set("shards", 2)
            .set("durability.segment_size", SEGMENT_BYTES)
            .set("disk_free_limit.absolute", 0);
  }

  /** Not on the node's disk, which may be full. */
  private ShiftedClock clock() throws IOException {
    Path directory = Files.createTempDirectory("mayfly-clock");
    held.push(() -> delete(directory));
    return ShiftedClock.create(directory);
  }

  private static void delete(Path directory) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.delete(file);
      }
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void unmount(SmallDisk disk) {
    disk.close();
    try {
      Files.delete(disk.directory());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts the nodes; the test is skipped with the reason where that is not permitted. */
  static FaultBench start() {
    return start(Collections.nCopies(NODES, Duration.ZERO));
  }

  /**
   * Starts the nodes; the test is skipped with the reason where that is not permitted.
   *
   * @param clocks by how much the clock of each node is ahead, where that is possible
   */
  public static FaultBench start(List<Duration> clocks) {
    FaultBench bench = null;
    boolean started = false;
    NodeNetwork network = NodeNetwork.create(NODES);
    try {
      bench = new FaultBench(network, clocks);
      bench.launchAll();
      bench.awaitAll();
      started = true;
      return bench;
    } finally {
      if (!started) {
        if (bench == null) {
          network.close();
        } else {
          bench.close();
        }
      }
    }
  }

  NodeNetwork network() {
    return network;
  }

  SmallDisk disk(int node) {
    return disks.get(node);
  }

  ShiftedClock clock(int node) {
    return clocks.get(node);
  }

  /** Returns by how much the clock of a node is ahead while no fault sets it. */
  Duration usualClock(int node) {
    return usualClocks.get(node);
  }

  /** Returns the process that was started last as this node. Any thread. */
  public BrokerProcess node(int node) {
    return cluster.process(node);
  }

  /** Returns all brokers that have been started, in their order. */
  List<Broker> brokers() {
    return cluster.brokers();
  }

  /** Ends a node by SIGKILL. */
  void kill(int node) {
    cluster.kill(node);
  }

  /** Starts a node on the data that it has. */
  void restart(int node) {
    cluster.start(node);
  }

  /** Starts all nodes that do not run, at once, and waits until they are ready. */
  void restartAll() {
    launchAll();
    awaitAll();
  }

  private void launchAll() {
    for (int node = 0; node < NODES; node++) {
      if (node(node) == null || !node(node).isAlive()) {
        cluster.launch(node);
      }
    }
  }

  private void awaitAll() {
    for (int node = 0; node < NODES; node++) {
      node(node).awaitReady();
    }
  }

  /** Writes what the brokers have printed into files, and returns these. */
  public List<Path> writeOutputs() {
    return brokers().stream().map(Broker::writeOutput).toList();
  }

  @Override
  public void close() {
    for (int node = 0; node < NODES; node++) {
      if (node(node) != null) {
        // Not in order, as a node may be stopped or without the others.
        kill(node);
      }
    }
    while (!held.isEmpty()) {
      held.pop().run();
    }
  }
}
