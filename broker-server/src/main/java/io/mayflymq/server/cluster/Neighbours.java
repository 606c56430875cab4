package io.mayflymq.server.cluster;

import io.mayflymq.core.cluster.ClusterMembers;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.vhost.Cluster.Peer;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The nodes of the cluster as this one sees them now. Any thread may call.
 *
 * @param self the number of this node
 * @param members all members
 * @param connected the names of the other nodes that there is a connection to
 */
record Neighbours(int self, ClusterMembers members, Supplier<Set<String>> connected) {
  /** Returns this node. */
  ClusterMember own() {
    return members.ofNumber(self);
  }

  boolean isOwn(ClusterMember member) {
    return member.number() == self;
  }

  /** Returns whether a node can be reached; this one always. */
  boolean isReachable(ClusterMember member) {
    return isOwn(member) || connected.get().contains(member.name());
  }

  /** Returns all nodes, in the order in which they have joined. */
  List<Peer> all() {
    return members.all().stream()
        .map(member -> new Peer(member.name(), isReachable(member), member.isDrained()))
        .toList();
  }

  /** Returns all but this one. */
  Collection<ClusterMember> others() {
    return members.all().stream().filter(member -> !isOwn(member)).toList();
  }

  /** Returns the names of the other nodes that can be reached. */
  Collection<String> reachable() {
    return others().stream().filter(this::isReachable).map(ClusterMember::name).toList();
  }

  /** Returns the nodes that a new queue may be on, at least one. */
  List<ClusterMember> candidates() {
    List<ClusterMember> running = members.all().stream().filter(this::isReachable).toList();
    List<ClusterMember> serving = running.stream().filter(member -> !member.isDrained()).toList();
    return serving.isEmpty() ? running : serving;
  }
}
