package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.link.LinkConnector;
import io.mayflymq.cluster.metadata.ChangeProposer;
import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.cluster.metadata.PartitionAssignments;
import io.mayflymq.cluster.metadata.ReplicaPlacement;
import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.cluster.remote.RemoteNode;
import io.mayflymq.cluster.remote.RemoteQueue;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.core.vhost.DirectReply;
import io.mayflymq.core.vhost.ReplicaOperations;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The cluster, as the broker of one process sees it. */
final class NodeCluster implements Cluster {
  private static final int REPLICAS = 3;

  private final NodeProcess process;
  private final Partitions partitions;
  private final LinkConnector connector;
  private final Replicas replicas;
  private final ReplicaPlacement placement;
  private final ChangeProposer proposer;
  private final Map<Integer, RemoteNode> homes = new TreeMap<>();

  /** The replicated partitions, and what this node has of them. */
  record Replicas(PartitionAssignments partitions, ReplicaManager hosted) {}

  private record Places(NodeProcess process) implements ReplicaPlacement.Nodes {
    @Override
    public int self() {
      return process.node().number();
    }

    @Override
    public List<Integer> all() {
      return process.cluster().nodes().stream().map(SimulatedNode::number).toList();
    }

    @Override
    public List<Integer> candidates() {
      return process.cluster().nodes().stream()
          .filter(node -> node == process.node() || process.cluster().reach(process.node(), node))
          .map(SimulatedNode::number)
          .toList();
    }

    @Override
    public int leastLoaded() {
      return process.cluster().anyReachable(process.node()).number();
    }

    @Override
    public int version() {
      return ChangeVersions.highest();
    }
  }

  NodeCluster(
      NodeProcess process,
      Partitions partitions,
      LinkConnector connector,
      Replicas replicas,
      ChangeProposer proposer) {
    this.process = process;
    this.partitions = partitions;
    this.connector = connector;
    this.replicas = replicas;
    this.placement =
        new ReplicaPlacement(
            new Places(process), process.node().shards(), REPLICAS, replicas.partitions, this);
    this.proposer = proposer;
  }

  @Override
  public List<Peer> nodes() {
    return process.cluster().nodes().stream()
        .map(
            node ->
                new Peer(
                    SimulatedNode.name(node.number()),
                    process.cluster().reach(process.node(), node),
                    false))
        .toList();
  }

  @Override
  public void reply(int member, String vhost, List<DirectReply> replies) {
    throw new UnsupportedOperationException("replies to " + member);
  }

  @Override
  public CompletableFuture<Boolean> awaitsReplies(int member, String vhost, String name) {
    throw new UnsupportedOperationException("replies to " + name);
  }

  @Override
  public boolean knowsDeletedQueues() {
    return true;
  }

  @Override
  public int member() {
    return process.node().number();
  }

  @Override
  public int leastLoadedMember() {
    return process.cluster().anyReachable(process.node()).number();
  }

  @Override
  public Optional<CompletableFuture<QueuePlace>> placeOfReplicas(
      OptionalInt size, boolean leadsHere) {
    return placement.place(size, leadsHere);
  }

  @Override
  public QueueReplicas replicasOf(int partition) {
    throw new UnsupportedOperationException("replicas of " + partition);
  }

  @Override
  public CompletableFuture<ReplicaState> replicaHere(int partition) {
    throw new UnsupportedOperationException("replica of " + partition);
  }

  @Override
  public int targetOfMove(String node) {
    throw new UnsupportedOperationException("move to " + node);
  }

  @Override
  public void inBackground(Runnable work) {
    process.inBackground(work);
  }

  @Override
  public Queue remote(QueueIdentity identity, QueuePlace place, QueueHost vhost) {
    if (place.isReplicated()) {
      return replicas.hosted.queue(identity, vhost);
    }
    RemoteNode home =
        homes.computeIfAbsent(
            place.member(),
            member -> new RemoteNode(SimulatedNode.name(member), partitions, connector));
    return RemoteQueue.create(identity, place, vhost, home);
  }

  @Override
  public CompletableFuture<long[]> leasesElsewhere(List<MetadataCommand> deletions) {
    return CompletableFuture.completedFuture(
        deletions.stream().mapToLong(this::leaseElsewhere).toArray());
  }

  private long leaseElsewhere(MetadataCommand deletion) {
    return process.cluster().nodes().stream()
        .filter(node -> node != process.node() && process.cluster().reach(process.node(), node))
        .mapToLong(node -> node.process().broker().leaseMillis(deletion))
        .max()
        .orElse(0);
  }

  @Override
  public CompletableFuture<Void> propose(List<? extends MetadataCommand> commands, Object origin) {
    if (!process.hasCaughtUp()) {
      return CompletableFuture.failedFuture(
          new ConnectionException(ReplyCode.INTERNAL_ERROR, "this node has not caught up"));
    }
    return proposer.propose(commands, origin);
  }

  @Override
  public CompletableFuture<Void> forget(String node) {
    return CompletableFuture.failedFuture(new UnsupportedOperationException("forget " + node));
  }

  @Override
  public CompletableFuture<Void> setDrained(boolean drained) {
    return CompletableFuture.failedFuture(new UnsupportedOperationException("drain"));
  }

  @Override
  public CompletableFuture<Void> handOver() {
    return CompletableFuture.failedFuture(new UnsupportedOperationException("hand over"));
  }

  @Override
  public ReplicaOperations replicaOperations() {
    throw new UnsupportedOperationException();
  }
}
