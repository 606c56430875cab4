package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Lets what commands say happen to a cluster, and mends it. */
final class FaultInjector {
  /** Longer than any retry, time limit or delay. */
  static final long HEALING_MILLIS = 15_000;

  /** Longer than leases, and than replicas may lag. */
  private static final int MOST_WAITED_MILLIS = 6_000;

  /** Longer than it takes until a replica is opened again for which there was no room. */
  private static final long REOPENING_MILLIS = 31_000;

  private final SimulatedCluster cluster;
  private final Ledger ledger;
  private boolean anyFullDisk;

  FaultInjector(SimulatedCluster cluster, Ledger ledger) {
    this.cluster = cluster;
    this.ledger = ledger;
  }

  /** Nothing has happened that must not happen whatever clients see. */
  void check() {
    cluster.processes().forEach(process -> process.faults().assertNone());
    assertThat(cluster.network().misunderstood()).isEmpty();
    assertThat(cluster.leaders().violations()).as("history of leaders").isEmpty();
  }

  /** Carries it out, unless it is one of clients: then it does nothing. */
  void carryOut(Command.Action action, Random random) {
    SimulatedNetwork network = cluster.network();
    SimulatedNode node = cluster.anyNode(random);
    switch (action) {
      case RUN -> {
        for (int steps = random.nextInt(60); steps >= 0; steps--) {
          cluster.step(random);
        }
      }
      case REST -> cluster.settle(random);
      case WAIT -> cluster.advance(1 + random.nextInt(MOST_WAITED_MILLIS), random);
      case TIME -> cluster.pass(random.nextInt(4) == 0 ? 1_500 : random.nextInt(60), random);
      case KILL -> {
        trouble(node);
        node.kill(random);
      }
      case POWER_LOSS -> {
        trouble(node);
        node.losePower(random);
      }
      case BLACKOUT -> {
        cluster.nodes().forEach(this::trouble);
        cluster.nodes().forEach(each -> each.losePower(random));
        cluster.nodes().stream().filter(each -> each != node).forEach(SimulatedNode::start);
      }
      case START -> node.start();
      case BREAK -> {
        ledger.trouble();
        network.breakOne(random);
      }
      case BLOCK -> network.block(node.number(), cluster.anyNode(random).number());
      case CUT -> cut(node, cluster.anyNode(random));
      case ISOLATE -> cluster.nodes().forEach(other -> cut(node, other));
      case NOTICE -> {
        ledger.trouble();
        network.breakBlocked(random);
      }
      case HEAL -> network.heal();
      case FREEZE -> node.setFrozen(true);
      case THAW -> node.setFrozen(false);
      case FULL_DISK -> {
        if (node.process() != null) {
          anyFullDisk = true;
          node.disk().fill(random.nextInt(500));
        }
      }
      case FAILING_FORCE -> {
        if (node.process() != null) {
          ledger.trouble();
          node.failForces();
        }
      }
      case FAILING_METADATA -> node.metadata().fail();
      case STALL_DISK -> {
        ledger.trouble();
        node.setStalled(true);
      }
      case MEND_DISKS ->
          cluster
              .nodes()
              .forEach(
                  each -> {
                    each.disk().fill(Long.MAX_VALUE);
                    each.setStalled(false);
                  });
      case SET_CLOCK -> node.setClock(random.nextInt(100) - 50);
      case DRIFT -> {
        ledger.trouble();
        node.setDrift(random.nextInt(200) - 100);
      }
      case HAND_OVER -> {
        ledger.trouble();
        anyPartition(random)
            .ifPresent(partition -> node.handOver(partition, random.nextInt(4) - 1));
      }
      case REPLICAS -> {
        ledger.trouble();
        anyPartition(random)
            .ifPresent(
                partition -> node.changeReplicas(partition, cluster.anyNode(random).number()));
      }
      case LOSE_PROPOSAL -> cluster.log().lose(random);
      case HOLD_LOG -> cluster.log().hold(true);
      case UNINFORM -> {
        ledger.uninformed();
        node.setUninformed(true);
      }
      case INFORM -> inform();
      case GIVE_UP -> giveUp(node, random);
      default -> {}
    }
  }

  /** The cluster agrees upon changes again, and all nodes learn of them. */
  private void inform() {
    cluster.log().hold(false);
    cluster.nodes().forEach(node -> node.setUninformed(false));
  }

  private Optional<Integer> anyPartition(Random random) {
    List<Integer> all = List.copyOf(cluster.partitions());
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
  }

  private void trouble(SimulatedNode node) {
    ledger.trouble();
    ledger.homeEnds(node);
  }

  private void cut(SimulatedNode one, SimulatedNode other) {
    cluster.network().block(one.number(), other.number());
    cluster.network().block(other.number(), one.number());
  }

  /** What the leader does when a node was not reachable for some time. */
  private void giveUp(SimulatedNode node, Random random) {
    List<NodeProcess> others =
        cluster.processes().stream()
            .filter(each -> each.hasCaughtUp() && !cluster.reach(each.node(), node))
            .toList();
    if (!others.isEmpty()) {
      ledger.homeEnds(node);
      others.get(random.nextInt(others.size())).deleteTransientQueues(node.number());
    }
  }

  /** All faults are mended, and time passes until everything works again. */
  void mend(Random random) {
    cluster.network().heal();
    inform();
    for (SimulatedNode node : cluster.nodes()) {
      node.setFrozen(false);
      node.setStalled(false);
      node.disk().fill(Long.MAX_VALUE);
      if (node.diskFails()) {
        trouble(node);
        node.kill(random);
      }
      node.start();
    }
    cluster.advance(anyFullDisk ? REOPENING_MILLIS : HEALING_MILLIS, random);
    cluster.log().decide(random);
    cluster.advance(HEALING_MILLIS, random);
    check();
    for (SimulatedNode node : cluster.nodes()) {
      assertThat(node.process().hasCaughtUp()).as("node %d has caught up", node.number()).isTrue();
    }
    assertThat(cluster.network().isIdle()).as("the network is idle").isTrue();
    assertThat(cluster.log().isIdle()).as("no change is proposed").isTrue();
  }
}
