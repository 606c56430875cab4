package io.mayflymq.cluster.partition;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.remote.RemoteQueue;
import io.mayflymq.cluster.replication.LocalReplicas;
import io.mayflymq.cluster.replication.QueueConnector;
import io.mayflymq.cluster.replication.ReplicaCluster;
import io.mayflymq.cluster.store.DiskReplicas;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * The replicated partitions as one node sees them: the way to each, and the replicas on this node.
 * Any thread may call, where nothing else is said.
 */
public final class ReplicaManager implements LocalReplicas {
  private final Broker broker;
  private final ReplicaCluster cluster;
  private final QueueConnector connector;
  private final DiskReplicas logs;
  private final IntFunction<String> names;
  private final ClockWarning clockWarning = new ClockWarning();
  private final Map<Integer, PartitionOnNode> partitions = new ConcurrentHashMap<>();

  /**
   * Creates them; nothing is opened yet.
   *
   * @param broker has the queues
   * @param cluster leads to the other replicas
   * @param connector opens connections to the queues of other nodes
   * @param logs opens the logs of replicas
   * @param names returns the name of a node by its number
   */
  public ReplicaManager(
      Broker broker,
      ReplicaCluster cluster,
      QueueConnector connector,
      DiskReplicas logs,
      IntFunction<String> names) {
    this.broker = broker;
    this.cluster = cluster;
    this.connector = connector;
    this.logs = logs;
    this.names = names;
  }

  PartitionOnNode partition(int number) {
    return partitions.computeIfAbsent(
        number,
        first -> new PartitionOnNode(first, broker, cluster, connector, logs, names, clockWarning));
  }

  /** Returns what stands for a replicated queue in the routing table of this node. */
  public Queue queue(QueueIdentity identity, QueueHost vhost) {
    return RemoteQueue.create(identity, vhost, partition(identity.place().partition()).link());
  }

  @Override
  public Shard shard(int partition) {
    int shards = broker.shards().count();
    return broker.shards().get(Math.floorMod(partition, shards));
  }

  @Override
  public LinkListener acceptLeader(int number) {
    PartitionOnNode partition = partitions.get(number);
    return partition == null ? null : partition.acceptLeader();
  }

  @Override
  public LinkListener acceptQueues(int number, String node) {
    PartitionOnNode partition = partitions.get(number);
    return partition == null ? null : partition.acceptQueues(node);
  }

  @Override
  public void assigned(int number, Assignment assignment) {
    PartitionOnNode partition = partition(number);
    partition.shard().execute(() -> partition.assigned(assignment));
  }

  @Override
  public void ended(int node) {
    for (PartitionOnNode partition : partitions.values()) {
      partition.shard().execute(() -> partition.ended(node));
    }
  }

  /**
   * Returns how the replicas are that this node is to keep.
   *
   * @param millis how long the shards may take
   */
  public CompletableFuture<ShardQuery.Seen<ReplicaSnapshot>> kept(long millis) {
    return ShardQuery.collectWithin(
        millis, partitions.values(), PartitionOnNode::shard, PartitionOnNode::kept);
  }

  /**
   * Returns how far the replica of a partition on this node is; null if none is open.
   *
   * @param number that of the partition
   */
  public CompletableFuture<ReplicaState> state(int number) {
    PartitionOnNode partition = partitions.get(number);
    return partition == null
        ? CompletableFuture.completedFuture(null)
        : partition
            .shard()
            .call(
                () -> {
                  ReplicaSnapshot kept = partition.kept();
                  return kept == null || !kept.isOpen() ? null : kept.figures().state();
                });
  }

  /** Returns the name of a node by its number. */
  public String nodeName(int member) {
    return names.apply(member);
  }

  @Override
  public CompletableFuture<Boolean> handOver(int number, int to) {
    PartitionOnNode partition = partitions.get(number);
    return partition == null
        ? CompletableFuture.completedFuture(false)
        : partition.shard().call(() -> partition.handOver(to));
  }

  @Override
  public CompletableFuture<Void> release() {
    return onEach(PartitionOnNode::release);
  }

  /** The node stops: closes the logs of all replicas. */
  public CompletableFuture<Void> close() {
    return onEach(PartitionOnNode::close);
  }

  private CompletableFuture<Void> onEach(Function<PartitionOnNode, CompletableFuture<Void>> work) {
    List<CompletableFuture<Void>> all =
        partitions.values().stream()
            .map(
                partition ->
                    partition.shard().call(() -> work.apply(partition)).thenCompose(done -> done))
            .toList();
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
  }
}
