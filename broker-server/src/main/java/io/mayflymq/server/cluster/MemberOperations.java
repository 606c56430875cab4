package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.core.metadata.ChangeOrdering;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.ClusterMember.State;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.server.cluster.consensus.ConsensusStatus;
import io.mayflymq.server.cluster.consensus.ReplicatedLog;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What operators do with the members of the cluster. Any thread may call. */
final class MemberOperations {
  private final Neighbours neighbours;
  private final ClusterMembers members;
  private final ChangeOrdering changes;
  private final Supplier<ReplicatedLog> log;

  /**
   * @param log returns the replicated log
   */
  MemberOperations(
      Neighbours neighbours,
      ClusterMembers members,
      ChangeOrdering changes,
      Supplier<ReplicatedLog> log) {
    this.neighbours = neighbours;
    this.members = members;
    this.changes = changes;
    this.log = log;
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#setDrained}. */
  CompletableFuture<Void> setDrained(boolean drained) {
    State state = drained ? State.DRAINED : State.SERVING;
    return changes.propose(List.of(new MemberSet(neighbours.own().in(state))), null);
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#handOver}. */
  CompletableFuture<Void> handOver() {
    ConsensusStatus status = log.get().status();
    if (!neighbours.own().name().equals(status.leader())) {
      return CompletableFuture.completedFuture(null);
    }
    Set<String> voting =
        status.members().stream().map(voter -> voter.member().name()).collect(Collectors.toSet());
    return neighbours.candidates().stream()
        .filter(member -> !neighbours.isOwn(member) && voting.contains(member.name()))
        .findFirst()
        .map(member -> log.get().transferLeadership(member.name()))
        .orElseGet(() -> refused("no other node can lead the cluster"));
  }

  /**
   * Ends the membership of a node.
   *
   * @return the node; fails as {@link io.mayflymq.core.vhost.Cluster#forget}
   */
  CompletableFuture<ClusterMember> forget(String node) {
    Optional<ClusterMember> found = members.named(node);
    if (found.isEmpty()) {
      return refused("node '%s' is not a member of the cluster".formatted(node));
    }
    ClusterMember member = found.get();
    if (neighbours.isReachable(member)) {
      return refused("node '%s' is running: stop it before it is forgotten".formatted(node));
    }
    return end(member).thenApply(forgotten -> member);
  }

  /**
   * Ends the membership of a node that does not serve clients.
   *
   * @return fails as {@link io.mayflymq.core.vhost.Cluster#propose}
   */
  CompletableFuture<Void> end(ClusterMember member) {
    // Its vote first: with it the others may be no majority.
    return withoutVote(member.name())
        .exceptionallyCompose(MemberOperations::notRemoved)
        .thenCompose(
            removed -> changes.propose(List.of(new MemberSet(member.in(State.FORGOTTEN))), null));
  }

  private CompletableFuture<Void> withoutVote(String node) {
    boolean votes =
        log.get().status().members().stream().anyMatch(voter -> voter.member().name().equals(node));
    return votes ? log.get().removeMember(node) : CompletableFuture.completedFuture(null);
  }

  private static CompletableFuture<Void> notRemoved(Throwable failure) {
    return CompletableFuture.failedFuture(
        new ConnectionException(ReplyCode.INTERNAL_ERROR, Causes.of(failure).getMessage()));
  }

  private static <T> CompletableFuture<T> refused(String why) {
    return CompletableFuture.failedFuture(new ChannelException(ReplyCode.PRECONDITION_FAILED, why));
  }
}
