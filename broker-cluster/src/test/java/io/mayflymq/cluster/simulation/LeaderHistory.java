package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.partition.ReplicaLook;
import io.mayflymq.cluster.replication.Burst;
import io.mayflymq.cluster.replication.ReplicationCodec;
import io.mayflymq.cluster.replication.ReplicationMessage.Append;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.vhost.ReplicaState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/*
 * The leaders of each partition, as one that sees all nodes at once sees them. The history is linearizable if
 *
 * - each epoch has one leader, which is one process;
 * - there is one burst for each number that any leader calls committed, and later leaders have it: what one leader has confirmed is at the next one;
 * - whenever a client is told anything at most one leader may tell it, and the epochs of those that may never decrease.
 *
 * The first two are read from what leaders send to followers. The third one is looked up in the replicas.
 */
/** Knows who has led each partition of a cluster, and what each leader has committed. */
final class LeaderHistory {
  private final SimulatedCluster cluster;
  private final Map<Integer, Partition> partitions = new HashMap<>();
  private final List<String> violations = new ArrayList<>();

  /** What is known of a partition. */
  private static final class Partition {
    final Map<Long, Leader> leaders = new HashMap<>();
    final Map<Long, Agreed> committed = new HashMap<>();
    long toldIn;
  }

  /**
   * The leader of an epoch.
   *
   * @param open the epochs of the bursts that it has sent and not called committed yet, by number
   */
  private record Leader(NodeProcess process, Map<Long, Long> open) {}

  /**
   * A burst that is committed. Its records may be in another order in the logs of other replicas.
   *
   * @param epoch in which it was made
   * @param since the epoch of the leader that has said so first
   */
  private record Agreed(long epoch, long since) {}

  LeaderHistory(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  /** Returns what must not have happened. */
  List<String> violations() {
    return violations;
  }

  // What leaders send

  /** A leader sends a frame to a follower. */
  void sent(int partition, NodeProcess by, int type, byte[] body) {
    if (ReplicationCodec.readFromLeader(type, new ByteReader(body, body.length))
        instanceof Append append) {
      Partition known = partitions.computeIfAbsent(partition, first -> new Partition());
      Leader leader =
          known.leaders.computeIfAbsent(append.epoch(), first -> new Leader(by, new HashMap<>()));
      require(leader.process == by, "two leaders of one epoch", partition, append.epoch());
      for (Burst burst : append.bursts()) {
        long number = burst.id().number();
        Agreed agreed = known.committed.get(number);
        require(
            agreed == null || agreed.since > append.epoch() || agreed.epoch == burst.id().epoch(),
            "a committed burst was replaced",
            partition,
            number);
        leader.open.put(number, burst.id().epoch());
      }
      commit(partition, known, append);
    }
  }

  private void commit(int partition, Partition known, Append append) {
    Map<Long, Long> open = known.leaders.get(append.epoch()).open;
    for (long number : new TreeSet<>(open.keySet())) {
      if (number <= append.committed()) {
        long epoch = open.remove(number);
        Agreed agreed =
            known.committed.computeIfAbsent(number, first -> new Agreed(epoch, append.epoch()));
        require(agreed.epoch == epoch, "two leaders commit", partition, number);
      }
    }
  }

  // What clients are told

  /** A client is told something. */
  void told() {
    for (int partition : cluster.partitions()) {
      Partition known = partitions.computeIfAbsent(partition, first -> new Partition());
      NodeProcess may = null;
      for (NodeProcess process : cluster.processes()) {
        ReplicaState state = state(process, partition);
        if (state != null && state.mayDeliver()) {
          require(may == null, "two leaders may tell clients", partition, state.epoch());
          require(
              state.epoch() >= known.toldIn,
              "an earlier leader may tell",
              partition,
              state.epoch());
          may = process;
          known.toldIn = Math.max(known.toldIn, state.epoch());
        }
      }
    }
  }

  private static ReplicaState state(NodeProcess process, int partition) {
    return process.isHosting() ? ReplicaLook.state(process.control().hosted(), partition) : null;
  }

  private void require(boolean holds, String what, int partition, long of) {
    if (!holds) {
      violations.add("%s: partition %d, %d".formatted(what, partition, of));
    }
  }
}
