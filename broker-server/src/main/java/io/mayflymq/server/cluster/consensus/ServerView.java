package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;

/** Ratis's server of this node in our terms. Any thread may call; no method blocks. */
record ServerView(RaftServer server, RaftGroupId group, Member self) {
  /** Returns what Ratis keeps for the cluster. */
  RaftServer.Division division() {
    try {
      return server.getDivision(group);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the present members, in the order of their names. */
  List<Member> members() {
    return members(division().getRaftConf().getCurrentPeers());
  }

  private static List<Member> members(Collection<RaftPeer> peers) {
    return peers.stream()
        .map(peer -> new Member(UUID.fromString(peer.getId().toString()), peer.getAddress()))
        .sorted(Comparator.comparing(Member::name))
        .toList();
  }

  /** Returns the member of a name. */
  Optional<Member> member(String name) {
    return members().stream().filter(member -> member.name().equals(name)).findFirst();
  }

  /** Returns the name of the leader; null if this node knows none. */
  String leader() {
    RaftServer.Division division = division();
    if (division.getInfo().isLeader()) {
      return self.name();
    }
    RaftPeerId leader = division.getInfo().getLeaderId();
    return leader == null || leader.equals(server.getId()) ? null : name(leader);
  }

  /** Returns the name of a present or previous member; null if there is none. */
  String name(RaftPeerId id) {
    RaftPeer peer = division().getRaftConf().getPeer(id);
    return peer == null ? null : peer.getAddress();
  }

  /**
   * Returns whether this node leads, and a majority has accepted what it has sent within a time. A
   * change of members needs a majority of the previous ones, too.
   */
  boolean leads(Peers peers, long withinMillis) {
    RaftServer.Division division = division();
    RaftConfiguration members = division.getRaftConf();
    return division.getInfo().isLeader()
        && division.getInfo().isLeaderReady()
        && isMajority(members.getCurrentPeers(), peers, withinMillis)
        && isMajority(members.getPreviousPeers(), peers, withinMillis);
  }

  private boolean isMajority(Collection<RaftPeer> members, Peers peers, long withinMillis) {
    long following =
        members.stream()
            .map(RaftPeer::getId)
            .filter(id -> id.equals(server.getId()) || peers.followedWithin(id, withinMillis))
            .count();
    return members.isEmpty() || following > members.size() / 2;
  }

  /** Returns the identity that a member has for Ratis. */
  static RaftPeerId id(Member member) {
    return RaftPeerId.valueOf(member.id().toString());
  }

  /** Returns what a member is for Ratis; its address is the name of its node. */
  static RaftPeer peer(Member member) {
    return RaftPeer.newBuilder().setId(id(member)).setAddress(member.name()).build();
  }
}
