package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins an election when the leader's process has ended. Any thread may call.
 *
 * <p>What a follower does when the process of the leader has ended: it need not wait until an
 * election timeout has told it so.
 *
 * <p>It begins an election as if the leader had asked it to. That is safe at any time: an election
 * decides by the logs and the votes who leads. It is only not useful while the leader lives, as it
 * costs a change of the leader.
 *
 * <p>If all followers began at the same time, votes would be split, and only the election timeout
 * would help. So they begin one after the other, in the order of their names, as long as there is
 * no new leader.
 */
final class EndedLeader {
  private static final Logger LOGGER = LoggerFactory.getLogger(EndedLeader.class);

  /**
   * How much later each next follower begins: an election takes less, on a busy machine too. Two at
   * once split the votes, which costs an election timeout.
   */
  private static final long NEXT_MILLIS = 400;

  private final ServerView view;
  private final ConsensusThreads threads;

  EndedLeader(ServerView view, ConsensusThreads threads) {
    this.view = view;
    this.threads = threads;
  }

  /**
   * The process of a node has ended.
   *
   * @return whether this member begins an election, now or if no other does in time
   */
  boolean ended(String node) {
    if (!leads(node)) {
      return false;
    }
    List<Member> others = new ArrayList<>(view.members());
    others.removeIf(member -> member.name().equals(node));
    int turn = others.indexOf(view.self());
    if (turn < 0) {
      return false; // It has no vote.
    }
    threads.after(
        "an election in place of a leader that has ended",
        turn * NEXT_MILLIS,
        () -> threads.message(() -> elect(node)));
    return true;
  }

  private boolean leads(String node) {
    var info = view.division().getInfo();
    RaftPeerId leader = info.getLeaderId();
    return info.isFollower() && leader != null && node.equals(view.name(leader));
  }

  private CompletableFuture<Void> elect(String node) {
    if (leads(node)) {
      LOGGER.info("{}, which leads the cluster's metadata, has ended: asking for votes", node);
      try {
        view.server().startLeaderElection(request());
      } catch (IOException e) {
        LOGGER.warn("no votes could be asked for: {}", Failures.text(e));
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  /** What the leader would have sent that wants this member to take over. */
  private StartLeaderElectionRequestProto request() {
    RaftServer.Division division = view.division();
    TermIndex last = division.getRaftLog().getLastEntryTermIndex();
    RaftRpcRequestProto header =
        RaftRpcRequestProto.newBuilder()
            .setRequestorId(division.getInfo().getLeaderId().toByteString())
            .setReplyId(view.server().getId().toByteString())
            .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(view.group().toByteString()))
            .build();
    return StartLeaderElectionRequestProto.newBuilder()
        .setServerRequest(header)
        .setLeaderLastEntry(
            TermIndexProto.newBuilder().setTerm(last.getTerm()).setIndex(last.getIndex()))
        .build();
  }
}
