package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.vhost.Cluster.Peer;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
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

  /** Returns the nodes of a replicated partition. */
  QueueReplicas replicas(Assignment assignment) {
    List<ClusterMember> keeping = assignment.replicas().stream().map(members::ofNumber).toList();
    return new QueueReplicas(
        members.ofNumber(assignment.leader()).name(),
        assignment.epoch(),
        names(keeping, member -> true),
        names(keeping, member -> assignment.inSync().contains(member.number())),
        names(keeping, member -> member.isMember() && isReachable(member)));
  }

  private static List<String> names(List<ClusterMember> nodes, Predicate<ClusterMember> wanted) {
    return nodes.stream().filter(wanted).map(ClusterMember::name).toList();
  }

  /** Returns all but this one. */
  Collection<ClusterMember> others() {
    return members.all().stream().filter(member -> !isOwn(member)).toList();
  }

  /** Returns the names of the other nodes that can be reached. */
  Collection<String> reachable() {
    return others().stream().filter(this::isReachable).map(ClusterMember::name).toList();
  }

  /**
   * See {@link io.mayflymq.core.vhost.Cluster#targetOfMove}.
   *
   * @throws ChannelException 404 or 406
   */
  int targetOfMove(String node) {
    ClusterMember member =
        members
            .named(node)
            .orElseThrow(
                () ->
                    new ChannelException(
                        ReplyCode.NOT_FOUND,
                        "node '%s' is not a member of the cluster".formatted(node)));
    if (members.version() < ChangeVersions.OF_MOVES) {
      throw cannot("a node of an earlier release is a member of the cluster");
    }
    if (!isReachable(member)) {
      throw cannot("node '%s' cannot be reached".formatted(node));
    }
    if (member.isDrained()) {
      throw cannot("node '%s' is in maintenance mode".formatted(node));
    }
    return member.number();
  }

  private static ChannelException cannot(String why) {
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, "queues cannot be moved: " + why);
  }

  /** Returns the nodes that a new queue may be on, at least one. */
  List<ClusterMember> candidates() {
    List<ClusterMember> running = members.all().stream().filter(this::isReachable).toList();
    List<ClusterMember> serving = running.stream().filter(member -> !member.isDrained()).toList();
    return serving.isEmpty() ? running : serving;
  }
}
