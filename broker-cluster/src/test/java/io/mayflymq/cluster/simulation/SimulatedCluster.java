package io.mayflymq.cluster.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/*
 * A cluster in one process: nodes, each with disks and a clock, a network, and a replicated log. A random number decides at each step which of them
 * does something, so that a seed repeats everything that happens.
 */
/** Nodes of a cluster with all that is between them. */
final class SimulatedCluster {
  private static final long VISIBLE_MILLIS = 1_000;

  /** Far more steps than anything takes that ends. */
  private static final int MOST_STEPS = 1_000_000;

  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final SimulatedNetwork network;
  private final SimulatedLog log = new SimulatedLog(this);
  private final Trace trace = new Trace();
  private final LeaderHistory leaders = new LeaderHistory(this);
  private final Random random;
  private long elapsedMillis;
  private boolean elected;

  /**
   * Creates a cluster, whose nodes have started.
   *
   * @param shards how many event loops each node has
   */
  SimulatedCluster(List<Integer> shards, long memoryBytes, Random random) {
    this.random = random;
    this.network = new SimulatedNetwork(shards.size(), random);
    for (int number = 0; number < shards.size(); number++) {
      SimulatedNode node = new SimulatedNode(this, number, shards.get(number), memoryBytes);
      node.initialise(shards.size());
      nodes.add(node);
    }
    nodes.forEach(SimulatedNode::start);
  }

  List<SimulatedNode> nodes() {
    return nodes;
  }

  SimulatedNode anyNode(Random chosenBy) {
    return nodes.get(chosenBy.nextInt(nodes.size()));
  }

  /** Returns the node of this name. */
  SimulatedNode node(String name) {
    return nodes.stream()
        .filter(node -> SimulatedNode.name(node.number()).equals(name))
        .findFirst()
        .orElseThrow();
  }

  SimulatedNetwork network() {
    return network;
  }

  SimulatedLog log() {
    return log;
  }

  Trace trace() {
    return trace;
  }

  LeaderHistory leaders() {
    return leaders;
  }

  /** Returns the numbers of the replicated partitions that any node knows. */
  Set<Integer> partitions() {
    Set<Integer> numbers = new TreeSet<>();
    processes().forEach(process -> numbers.addAll(process.control().partitions()));
    return numbers;
  }

  /** Returns how much time has passed, in ms: the same for all nodes. */
  long elapsedMillis() {
    return elapsedMillis;
  }

  List<NodeProcess> processes() {
    return nodes.stream().map(SimulatedNode::process).filter(each -> each != null).toList();
  }

  // Who reaches whom

  /** Returns whether two nodes run and reach each other. */
  boolean reach(SimulatedNode one, SimulatedNode other) {
    return one.process() != null
        && other.process() != null
        && network.isOpen(one.number(), other.number());
  }

  boolean reachesMajority(SimulatedNode node) {
    long reached = nodes.stream().filter(other -> reach(node, other)).count();
    return reached > nodes.size() / 2;
  }

  boolean hasMajority() {
    return nodes.stream().anyMatch(this::reachesMajority);
  }

  /** A partition has another leader than in the beginning. */
  void elected() {
    elected = true;
  }

  /** Returns whether that has happened. */
  boolean hasElected() {
    return elected;
  }

  /** Returns the node that leads the decisions of the cluster; null if none does. */
  SimulatedNode elector() {
    return nodes.stream()
        .filter(node -> reachesMajority(node) && node.process().isHosting())
        .findFirst()
        .orElse(null);
  }

  /** Returns a node that can be reached, at random. */
  SimulatedNode anyReachable(SimulatedNode from) {
    List<SimulatedNode> reachable = nodes.stream().filter(each -> reach(from, each)).toList();
    return reachable.isEmpty() ? from : reachable.get(random.nextInt(reachable.size()));
  }

  /** Returns what is done when the nodes that can be reached have an entry, or late. */
  CompletableFuture<Void> inForceElsewhere(NodeProcess asking, long index) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    CompletableFuture<?>[] others =
        nodes.stream()
            .filter(node -> node != asking.node() && reach(asking.node(), node))
            .map(node -> node.process().reached(index))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(others).thenRun(() -> asking.inBackground(() -> done.complete(null)));
    asking.schedule(() -> done.complete(null), VISIBLE_MILLIS);
    return done;
  }

  // Running

  /** Something happens somewhere. */
  void step(Random which) {
    switch (which.nextInt(8)) {
      case 0, 1 -> network.step(which);
      case 2 -> log.commit(which);
      default -> {
        SimulatedNode node = nodes.get(which.nextInt(nodes.size()));
        if (node.process() != null && !node.isFrozen()) {
          node.process().step(which);
        }
      }
    }
  }

  /** Time passes; what is due then happens later. */
  void pass(long millis, Random which) {
    elapsedMillis += millis;
    nodes.forEach(node -> node.pass(millis));
    log.expire(which);
  }

  /** Everything happens that can, while the clocks stand. */
  void settle(Random which) {
    boolean any = true;
    for (int steps = 0; any; steps++) {
      if (steps > MOST_STEPS) {
        throw new AssertionError("the cluster never rests");
      }
      any = network.step(which);
      any |= log.commit(which);
      for (NodeProcess process : processes()) {
        any |= !process.node().isFrozen() && process.stepAll();
      }
    }
  }

  /** Time passes, and everything happens at its time. */
  void advance(long millis, Random which) {
    long end = elapsedMillis + millis;
    settle(which);
    while (elapsedMillis < end) {
      long next =
          processes().stream().mapToLong(NodeProcess::untilNextTask).min().orElse(Long.MAX_VALUE);
      pass(Math.min(Math.max(next, 1), end - elapsedMillis), which);
      settle(which);
    }
  }

  /** A process has ended. */
  void ended(NodeProcess process, Random which) {
    network.ended(process, which);
    log.ended(process, which);
  }
}
