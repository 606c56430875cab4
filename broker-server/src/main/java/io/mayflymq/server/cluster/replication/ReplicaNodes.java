package io.mayflymq.server.cluster.replication;

import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.cluster.replication.LeaderElections;
import io.mayflymq.core.metadata.ClusterMember;
import java.util.Collection;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The nodes that keep replicas, by their numbers, as this one sees them now. Any thread may call.
 *
 * @param self the number of this node
 * @param members the members of the cluster
 * @param connected the names of the other nodes that there is a connection to
 */
record ReplicaNodes(
    int self, ClusterMembers members, Supplier<? extends Collection<String>> connected) {
  /** Returns the number of the member of a name; -1 if there is none. */
  int number(String name) {
    return members.named(name).map(ClusterMember::number).orElse(-1);
  }

  /** Returns the name of a node that is a member, or was one. */
  String name(int number) {
    return members.ofNumber(number).name();
  }

  private Set<Integer> numbers(Predicate<ClusterMember> wanted) {
    return members.all().stream()
        .filter(wanted)
        .map(ClusterMember::number)
        .collect(Collectors.toSet());
  }

  private boolean isReachable(ClusterMember member, Collection<String> reached) {
    return member.number() == self || reached.contains(member.name());
  }

  /** Returns the members that this node reaches, itself among them. */
  Set<Integer> reachable() {
    Collection<String> reached = connected.get();
    return numbers(member -> isReachable(member, reached));
  }

  /** Returns those of them that are not in maintenance mode. */
  Set<Integer> candidates() {
    Collection<String> reached = connected.get();
    return numbers(member -> isReachable(member, reached) && !member.isDrained());
  }

  /** Returns what leaders are elected by. */
  LeaderElections.Nodes forElections() {
    return new LeaderElections.Nodes(reachable(), numbers(ClusterMember::isDrained));
  }
}
