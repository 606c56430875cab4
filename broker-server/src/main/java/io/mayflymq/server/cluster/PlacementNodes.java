package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ReplicaPlacement;
import io.mayflymq.core.metadata.ClusterMember;
import java.util.List;

/**
 * The nodes that replicated queues may be on.
 *
 * @param neighbours the members of the cluster
 * @param balance knows how many queues each has
 */
record PlacementNodes(Neighbours neighbours, QueueBalance balance)
    implements ReplicaPlacement.Nodes {
  private static List<Integer> numbers(List<ClusterMember> members) {
    return members.stream().map(ClusterMember::number).toList();
  }

  @Override
  public int self() {
    return neighbours.self();
  }

  @Override
  public List<Integer> all() {
    return numbers(neighbours.members().all());
  }

  @Override
  public List<Integer> candidates() {
    return numbers(neighbours.candidates());
  }

  @Override
  public int leastLoaded() {
    return balance.leastLoaded();
  }

  @Override
  public int version() {
    return neighbours.members().version();
  }
}
