package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.link.LinkConnector;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** The network between the nodes. Nothing arrives unless {@link #step} lets it. */
final class SimulatedNetwork {
  private final boolean[][] blocked;
  private final List<SimulatedConnection> connections = new ArrayList<>();
  private final List<SimulatedLink> opening = new ArrayList<>();
  private final List<String> misunderstood = new ArrayList<>();
  private final Random random;
  private Fencing fencing = Fencing.ON;

  /**
   * Creates a network.
   *
   * @param nodes how many nodes there are
   * @param random decides on what is lost where nothing else does
   */
  SimulatedNetwork(int nodes, Random random) {
    this.blocked = new boolean[nodes][nodes];
    this.random = random;
  }

  // What connections tell

  void misunderstood(int type, Throwable why) {
    misunderstood.add("frame of type %d: %s".formatted(type, why));
  }

  Fencing fencing() {
    return fencing;
  }

  void setFencing(Fencing now) {
    fencing = now;
  }

  Random random() {
    return random;
  }

  /** Returns the frames that could not be read. */
  List<String> misunderstood() {
    return misunderstood;
  }

  // Links

  /** Returns what opens links for a process. */
  LinkConnector connector(NodeProcess process) {
    return (node, shard, listener) ->
        new SimulatedLink(this, process, process.cluster().node(node), shard, listener, null)
            .open();
  }

  void wantsToOpen(SimulatedLink link) {
    opening.add(link);
  }

  /** Opens a connection, if the nodes reach each other. Returns whether it did. */
  boolean connect(SimulatedLink link, SimulatedConnection.Side near) {
    NodeProcess target = link.target().process();
    int from = link.process().node().number();
    int to = link.target().number();
    if (target == null
        || !(link.service() != null ? target.isHosting() : target.isServing())
        || isBlocked(from, to)
        || isBlocked(to, from)) {
      return false;
    }
    SimulatedConnection made =
        new SimulatedConnection(this, near, link.farSide(target), link.service());
    connections.add(made);
    made.open();
    return true;
  }

  /** Returns the connection that a link has now, or had last; null if it is over. */
  SimulatedConnection connection(NodeProcess from, Shard shard, SimulatedNode to) {
    for (int i = connections.size() - 1; i >= 0; i--) {
      SimulatedConnection each = connections.get(i);
      if (each.service == null
          && each.near.process == from
          && each.near.shard == shard
          && each.far.process.node() == to) {
        return each;
      }
    }
    return null;
  }

  /** Something moves, if anything can. Returns whether it did. */
  boolean step(Random which) {
    List<Runnable> possible = new ArrayList<>();
    for (SimulatedLink link : opening) {
      possible.add(() -> open(link));
    }
    for (SimulatedConnection each : connections) {
      addArrival(possible, each.near, each.far, which);
      addArrival(possible, each.far, each.near, which);
    }
    if (possible.isEmpty()) {
      return false;
    }
    possible.get(which.nextInt(possible.size())).run();
    connections.removeIf(SimulatedConnection::isOver);
    return true;
  }

  private void addArrival(
      List<Runnable> possible,
      SimulatedConnection.Side at,
      SimulatedConnection.Side from,
      Random which) {
    boolean arrives =
        at.isAwaiting()
            && at.process.isRunning()
            && !(at.hasFrames()
                && isBlocked(from.process.node().number(), at.process.node().number()));
    if (arrives) {
      possible.add(() -> at.arrive(which));
    }
  }

  private void open(SimulatedLink link) {
    opening.remove(link);
    link.tryToOpen();
  }

  // Faults

  boolean isBlocked(int from, int to) {
    return blocked[from][to];
  }

  /** Returns whether two nodes reach each other. */
  boolean isOpen(int one, int other) {
    return !blocked[one][other] && !blocked[other][one];
  }

  /** Nothing goes from one node to the other from now on. */
  void block(int from, int to) {
    if (from != to) {
      blocked[from][to] = true;
    }
  }

  /** All nodes reach one another again. */
  void heal() {
    for (boolean[] row : blocked) {
      Arrays.fill(row, false);
    }
  }

  /** A connection breaks. */
  void breakOne(Random which) {
    if (!connections.isEmpty()) {
      SimulatedConnection chosen = connections.get(which.nextInt(connections.size()));
      if (!chosen.isBroken()) {
        chosen.lose(which, "reset by peer");
      }
    }
  }

  /** Connections on which nothing can arrive are lost, as no heartbeat does. */
  void breakBlocked(Random which) {
    for (SimulatedConnection each : connections) {
      int near = each.near.process.node().number();
      int far = each.far.process.node().number();
      if (!each.isBroken() && !isOpen(near, far)) {
        each.lose(which, "nothing was heard of the other node");
      }
    }
  }

  /** A process has ended. */
  void ended(NodeProcess process, Random which) {
    opening.removeIf(link -> link.process() == process);
    for (SimulatedConnection each : connections) {
      if (each.touches(process) && !each.isBroken()) {
        each.lose(which, "the other process has ended");
      }
    }
    connections.removeIf(SimulatedConnection::isOver);
  }

  /** Returns whether nothing is under way. */
  boolean isIdle() {
    return opening.isEmpty()
        && connections.stream()
            .noneMatch(each -> each.near.isAwaiting() || each.far.isAwaiting() || each.isBroken());
  }
}
