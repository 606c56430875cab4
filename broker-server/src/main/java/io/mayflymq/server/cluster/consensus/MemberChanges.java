package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SetConfigurationRequest.Arguments;
import org.apache.ratis.protocol.SetConfigurationRequest.Mode;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;

/**
 * Changes members and leader, if this node leads. A change is made to the members that this node
 * has seen: if others have come into force meanwhile, it is to be repeated. Any thread may call.
 */
final class MemberChanges {
  /** The end of the text by which a member that is none is refused. */
  static final String NO_MEMBER = " is not a member of the cluster";

  private static final long TRANSFER_MILLIS = 5_000;

  private final ServerView view;

  MemberChanges(ServerView view) {
    this.view = view;
  }

  CompletableFuture<Answer> add(ProposalId id, Member added) throws IOException {
    if (!leads()) {
      return notLeader();
    }
    Optional<Member> before = view.member(added.name());
    if (before.isPresent()) {
      return done(
          before.get().equals(added)
              ? Answer.done()
              : Answer.refused(
                  "%s is a member with the data directory %s, not %s: remove it first"
                      .formatted(added, before.get().id(), added.id())));
    }
    Collection<RaftPeer> current = view.division().getRaftConf().getCurrentPeers();
    List<RaftPeer> changed = new ArrayList<>(current);
    changed.add(ServerView.peer(added));
    return change(id, current, changed);
  }

  CompletableFuture<Answer> remove(ProposalId id, String name) throws IOException {
    if (!leads()) {
      return notLeader();
    }
    Optional<Member> removed = view.member(name);
    if (removed.isEmpty()) {
      return done(Answer.refused(noMember(name)));
    }
    Collection<RaftPeer> current = view.division().getRaftConf().getCurrentPeers();
    if (current.size() == 1) {
      return done(Answer.refused(name + " is the only member: it cannot be removed"));
    }
    RaftPeerId removedId = ServerView.id(removed.get());
    List<RaftPeer> changed =
        current.stream().filter(peer -> !peer.getId().equals(removedId)).toList();
    if (removedId.equals(view.server().getId())) {
      // A leader that removes itself would end before it can say so.
      return handOver(id, changed.get((int) (id.number() % changed.size())).getId())
          .thenApply(MemberChanges::repeated);
    }
    return change(id, current, changed);
  }

  CompletableFuture<Answer> lead(ProposalId id, String name) throws IOException {
    if (!leads()) {
      return notLeader();
    }
    Optional<Member> next = view.member(name);
    if (next.isEmpty()) {
      return done(Answer.refused(noMember(name)));
    }
    return handOver(id, ServerView.id(next.get()));
  }

  private CompletableFuture<Answer> change(
      ProposalId id, Collection<RaftPeer> current, Collection<RaftPeer> changed)
      throws IOException {
    Arguments arguments =
        Arguments.newBuilder()
            .setMode(Mode.COMPARE_AND_SET)
            .setServersInCurrentConf(List.copyOf(current))
            .setServersInNewConf(List.copyOf(changed))
            .build();
    RaftServer server = view.server();
    SetConfigurationRequest request =
        new SetConfigurationRequest(
            client(id), server.getId(), view.group(), id.number(), arguments);
    return server.setConfigurationAsync(request).thenApply(Replies::answer);
  }

  private CompletableFuture<Answer> handOver(ProposalId id, RaftPeerId next) throws IOException {
    RaftServer server = view.server();
    TransferLeadershipRequest request =
        new TransferLeadershipRequest(
            client(id), server.getId(), view.group(), id.number(), next, TRANSFER_MILLIS);
    return server.transferLeadershipAsync(request).thenApply(Replies::answer);
  }

  /** What another leader is to do is asked again. */
  private static Answer repeated(Answer handedOver) {
    return handedOver.status() == Answer.Status.DONE ? Answer.notLeader(null) : handedOver;
  }

  private static ClientId client(ProposalId id) {
    return ClientId.valueOf(id.proposer());
  }

  private static String noMember(String name) {
    return name + NO_MEMBER;
  }

  private boolean leads() {
    return view.division().getInfo().isLeader();
  }

  private CompletableFuture<Answer> notLeader() {
    return done(Answer.notLeader(view.leader()));
  }

  private static CompletableFuture<Answer> done(Answer answer) {
    return CompletableFuture.completedFuture(answer);
  }
}
