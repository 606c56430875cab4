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

  /** The cluster that this node is a member of: lets nodes in, gives them votes, lets them go. */
  private record Cluster(
      ClusterMembers members, ChangeOrdering changes, ReplicatedLog log, Ending ending) {
    CompletableFuture<Void> join(MemberRequest asked) {
      int version = members.version();
      if (asked.version() < version) {
        throw new IllegalStateException(
            "node '%s' knows changes up to version %d, and the cluster makes changes of version %d: expected a newer release"
                .formatted(asked.name(), asked.version(), version));
      }
      return CommittedState.retrying(
          () -> {
            Optional<ClusterMember> known = members.ofDirectory(asked.directory());
            int number = known.map(ClusterMember::number).orElseGet(members::nextNumber);
            ClusterMember member = asked.member(number);
            return known.isPresent() && known.get().equals(member)
                ? CompletableFuture.completedFuture(null)
                : changes.propose(List.of(new MetadataCommand.MemberSet(member)), asked);
          });
    }

    CompletableFuture<Void> vote(MemberRequest asked) {
      return log.addMember(new Member(asked.directory(), asked.name()));
    }

    CompletableFuture<Void> leave(MemberRequest asked) {
      return members
          .ofDirectory(asked.directory())
          .filter(ClusterMember::isMember)
          .map(ending::of)
          .orElseGet(() -> CompletableFuture.completedFuture(null));
    }
  }

  /** Ends the membership of a node. */
  @FunctionalInterface
  public interface Ending {
    /** Ends it; done when a majority has agreed. */
    CompletableFuture<Void> of(ClusterMember member);
  }

  private final String node;

  /** Null until this node takes part. */
  private volatile Cluster cluster;

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
    cluster = new Cluster(members, changes, log, ending);
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
    CompletableFuture<Void> done =
        switch (asked.kind()) {
          case BEGIN -> agree(asked);
          case JOIN -> cluster().join(asked);
          case VOTE -> cluster().vote(asked);
          case LEAVE -> cluster().leave(asked);
        };
    return done.thenApply(nothing -> DONE);
  }

  private Cluster cluster() {
    Cluster present = cluster;
    if (present == null) {
      throw new IllegalStateException("node '%s' is starting".formatted(node));
    }
    return present;
  }

  private synchronized CompletableFuture<Void> agree(MemberRequest asked) {
    if (cluster != null) {
      throw new IllegalStateException("node '%s' is a member of a cluster".formatted(node));
    }
    if (agreed != null && !agreed.directory().equals(asked.directory())) {
      throw new IllegalStateException(
          "node '%s' has agreed that the cluster begins with node '%s'"
              .formatted(node, agreed.name()));
    }
    agreed = asked;
    return CompletableFuture.completedFuture(null);
  }
}
