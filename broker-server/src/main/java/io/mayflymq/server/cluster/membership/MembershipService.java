package io.mayflymq.server.cluster.membership;

import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.core.metadata.ChangeOrdering;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.CommittedState;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.server.cluster.consensus.Member;
import io.mayflymq.server.cluster.consensus.ReplicatedLog;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Answers what other nodes ask about membership. Any thread may call. */
public final class MembershipService {
  private static final byte[] DONE = {};

  /** What a member answers with; a node without a cluster has none of it. */
  private record Parts(
      ClusterMembers members, ChangeOrdering changes, ReplicatedLog log, Ending ending) {}

  /** Ends the membership of a node. */
  @FunctionalInterface
  public interface Ending {
    /** Ends it; done when a majority has agreed. */
    CompletableFuture<Void> of(ClusterMember member);
  }

  private final String node;
  private volatile Parts parts;

  /** The node to which this one has agreed. */
  private MemberRequest agreed;

  /**
   * @param node the name of this node
   */
  public MembershipService(String node) {
    this.node = node;
  }

  /**
   * This node takes part in the cluster from now on.
   *
   * @param ending what a member that leaves asks for
   */
  public void takePart(
      ClusterMembers members, ChangeOrdering changes, ReplicatedLog log, Ending ending) {
    parts = new Parts(members, changes, log, ending);
  }

  /**
   * Answers a request.
   *
   * @param asking the name of the node that asks
   */
  public CompletableFuture<byte[]> answer(String asking, byte[] request) {
    MemberRequest asked = MemberRequest.decode(request);
    if (!asked.name().equals(asking)) {
      throw new IllegalArgumentException(
          "node '%s' asks for node '%s'".formatted(asking, asked.name()));
    }
    Parts present = parts;
    return switch (asked.kind()) {
      case BEGIN -> agree(asked, present);
      case JOIN -> join(asked, required(present)).thenApply(joined -> DONE);
      case VOTE ->
          required(present)
              .log
              .addMember(new Member(asked.directory(), asked.name()))
              .thenApply(added -> DONE);
      case LEAVE -> leave(asked, required(present)).thenApply(left -> DONE);
    };
  }

  private Parts required(Parts present) {
    if (present == null) {
      throw new IllegalStateException("node '%s' is starting".formatted(node));
    }
    return present;
  }

  private synchronized CompletableFuture<byte[]> agree(MemberRequest asked, Parts present) {
    if (present != null) {
      throw new IllegalStateException("node '%s' is a member of a cluster".formatted(node));
    }
    if (agreed != null && !agreed.directory().equals(asked.directory())) {
      throw new IllegalStateException(
          "node '%s' has agreed that the cluster begins with node '%s'"
              .formatted(node, agreed.name()));
    }
    agreed = asked;
    return CompletableFuture.completedFuture(DONE);
  }

  private static CompletableFuture<Void> leave(MemberRequest asked, Parts cluster) {
    return cluster
        .members
        .ofDirectory(asked.directory())
        .filter(ClusterMember::isMember)
        .map(cluster.ending::of)
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  private static CompletableFuture<Void> join(MemberRequest asked, Parts cluster) {
    int version = cluster.members.version();
    if (asked.version() < version) {
      throw new IllegalStateException(
          "node '%s' knows changes up to version %d, and the cluster makes changes of version %d: expected a newer release"
              .formatted(asked.name(), asked.version(), version));
    }
    return CommittedState.retrying(
        () -> {
          Optional<ClusterMember> known = cluster.members.ofDirectory(asked.directory());
          int number = known.map(ClusterMember::number).orElseGet(cluster.members::nextNumber);
          ClusterMember member = asked.member(number);
          return known.isPresent() && known.get().equals(member)
              ? CompletableFuture.completedFuture(null)
              : cluster.changes.propose(List.of(new MetadataCommand.MemberSet(member)), asked);
        });
  }
}
