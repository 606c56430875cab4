package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.metadata.ChangeProposer;
import io.mayflymq.cluster.metadata.PartitionAssignments;
import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.cluster.replication.LeaderElections;
import io.mayflymq.cluster.replication.Leaderless;
import io.mayflymq.cluster.replication.QueueConnector;
import io.mayflymq.cluster.replication.ReplicaCluster;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.metadata.MetadataCommand.AssignmentChanged;
import io.mayflymq.core.runtime.Shard;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** What the daemon does for the replicated partitions of a node: connections, and elections. */
final class SimulatedControl implements ReplicaCluster, QueueConnector {
  private static final long LOOK_MILLIS = 100;

  private final NodeProcess process;
  private final PartitionAssignments partitions;
  private final ChangeProposer proposer;
  private final LeaderElections elections = new LeaderElections();
  private final Set<AssignmentChanged> underWay = new HashSet<>();
  private ReplicaManager hosted;
  private int linkIds;
  private boolean looks;
  private boolean listens;

  SimulatedControl(NodeProcess process, PartitionAssignments partitions, ChangeProposer proposer) {
    this.process = process;
    this.partitions = partitions;
    this.proposer = proposer;
  }

  /** Hosts replicas from now on: once. */
  void host(ReplicaManager replicas) {
    hosted = replicas;
    partitions.listen(this::assigned);
  }

  /** Returns the replicas; null if none are hosted yet. */
  ReplicaManager hosted() {
    return hosted;
  }

  /** Returns the numbers of the partitions that this node knows. */
  Set<Integer> partitions() {
    return partitions.all().keySet();
  }

  /** Proposes that a node keeps a partition no more, or again. */
  void changeReplicas(int partition, int node) {
    Assignment present = partitions.all().get(partition);
    if (present != null) {
      boolean isKept = present.replicas().contains(node);
      propose(partition, isKept ? present.without(node) : present.with(node));
    }
  }

  private void assigned(int partition, Assignment assignment) {
    hosted.assigned(partition, assignment);
    if (assignment.epoch() > Assignment.FIRST_EPOCH) {
      process.cluster().elected();
    }
    if (!listens) {
      listens = true;
      lookForEnded();
    }
  }

  /** A node without a process refuses connections. */
  private void lookForEnded() {
    for (SimulatedNode node : process.cluster().nodes()) {
      if (node.process() == null && isOpen(node)) {
        hosted.ended(node.number());
      }
    }
    process.schedule(this::lookForEnded, LOOK_MILLIS);
  }

  private boolean isOpen(SimulatedNode node) {
    return process.cluster().network().isOpen(process.node().number(), node.number());
  }

  @Override
  public int self() {
    return process.node().number();
  }

  private Connection open(int node, PartitionService service, Shard shard, LinkListener listener) {
    SimulatedLink link =
        new SimulatedLink(
            process.cluster().network(),
            process,
            process.cluster().nodes().get(node),
            shard,
            new PartitionService.Asking(listener),
            service);
    link.open();
    return link::end;
  }

  @Override
  public Connection connect(int node, int partition, Shard shard, LinkListener listener) {
    return open(node, PartitionService.ofReplica(partition), shard, listener);
  }

  @Override
  public Connection connectQueues(int node, int partition, Shard shard, LinkListener listener) {
    String name = SimulatedNode.name(self());
    return open(node, PartitionService.ofQueues(partition, name), shard, listener);
  }

  @Override
  public UUID newLinkId() {
    linkIds++;
    return new UUID(process.node().number(), ((long) process.node().incarnation() << 32) + linkIds);
  }

  @Override
  public void propose(int partition, AssignmentChange change) {
    AssignmentChanged proposal = new AssignmentChanged(partition, change);
    if (underWay.add(proposal)) {
      proposer
          .propose(List.of(proposal), null)
          .whenComplete((inForce, failure) -> underWay.remove(proposal));
    }
  }

  @Override
  public void report(Leaderless report) {
    SimulatedNode elector = process.cluster().elector();
    if (elector != null && (elector == process.node() || isOpen(elector))) {
      NodeProcess at = elector.process();
      at.inBackground(() -> at.control().reported(report));
    }
  }

  private void reported(Leaderless report) {
    elections.reported(report, process.cluster().elapsedMillis());
    look();
  }

  private void look() {
    Set<Integer> reachable =
        process.cluster().nodes().stream()
            .filter(node -> process.cluster().reach(process.node(), node))
            .map(SimulatedNode::number)
            .collect(Collectors.toSet());
    elections
        .due(
            partitions.all(),
            new LeaderElections.Nodes(reachable, Set.of()),
            process.cluster().elapsedMillis())
        .forEach(this::propose);
    if (!elections.isEmpty() && !looks) {
      looks = true;
      process.schedule(
          () -> {
            looks = false;
            look();
          },
          LOOK_MILLIS);
    }
  }
}
