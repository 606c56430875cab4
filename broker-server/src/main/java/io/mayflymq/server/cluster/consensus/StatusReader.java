package io.mayflymq.server.cluster.consensus;

import io.mayflymq.server.cluster.consensus.MemberStatus.Reachability;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;

/** Reads what this node knows of the consensus. Any thread may call. */
final class StatusReader {
  private static final long UNKNOWN = -1;

  private final ServerView view;
  private final Peers peers;
  private final AppliedEntries applied;
  private final long heardMillis;

  /**
   * Creates an instance.
   *
   * @param heardMillis how long after its last message a member counts as reachable
   */
  StatusReader(ServerView view, Peers peers, AppliedEntries applied, long heardMillis) {
    this.view = view;
    this.peers = peers;
    this.applied = applied;
    this.heardMillis = heardMillis;
  }

  ConsensusStatus read() {
    RaftServer.Division division = view.division();
    String leader = view.leader();
    Map<RaftPeerId, Long> lags = lags(division);
    List<MemberStatus> members =
        view.members().stream().map(member -> status(member, leader, lags)).toList();
    return new ConsensusStatus(
        leader,
        division.getInfo().getCurrentTerm(),
        division.getRaftLog().getLastCommittedIndex(),
        applied.durable(),
        members);
  }

  private MemberStatus status(Member member, String leader, Map<RaftPeerId, Long> lags) {
    RaftPeerId id = ServerView.id(member);
    return new MemberStatus(
        member, reachability(member, id, leader), lags.getOrDefault(id, UNKNOWN));
  }

  private Reachability reachability(Member member, RaftPeerId id, String leader) {
    if (member.equals(view.self()) || peers.heardWithin(id, heardMillis)) {
      return Reachability.REACHABLE;
    }
    boolean follower = leader != null && !leader.equals(view.self().name());
    return follower && !member.name().equals(leader)
        ? Reachability.UNKNOWN
        : Reachability.UNREACHABLE;
  }

  private Map<RaftPeerId, Long> lags(RaftServer.Division division) {
    Map<RaftPeerId, Long> lags = new HashMap<>();
    if (division.getInfo().isLeader()) {
      long end = division.getRaftLog().getNextIndex() - 1;
      for (CommitInfoProto info : division.getCommitInfos()) {
        lags.put(
            RaftPeerId.valueOf(info.getServer().getId()), Math.max(0, end - info.getCommitIndex()));
      }
    }
    return lags;
  }
}
