package io.mayflymq.server.cluster.consensus;

import io.mayflymq.server.cluster.consensus.RpcMessage.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServerRpc;

/** Sends Ratis's messages by requests between nodes. It has no connections of its own. */
final class NodeRpc implements RaftServerRpc {
  private final RpcType type;
  private final Peers peers;

  NodeRpc(RpcType type, Peers peers) {
    this.type = type;
    this.peers = peers;
  }

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    return RequestVoteReplyProto.parseFrom(
        exchange(request.getServerRequest(), RpcMessage.encode(Kind.VOTE, request)));
  }

  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    return AppendEntriesReplyProto.parseFrom(
        exchange(request.getServerRequest(), RpcMessage.encode(Kind.APPEND, request)));
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    return InstallSnapshotReplyProto.parseFrom(
        exchange(request.getServerRequest(), RpcMessage.encode(Kind.INSTALL, request)));
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    return StartLeaderElectionReplyProto.parseFrom(
        exchange(request.getServerRequest(), RpcMessage.encode(Kind.START_ELECTION, request)));
  }

  private byte[] exchange(RaftRpcRequestProto header, byte[] request) throws IOException {
    return peers.exchange(RaftPeerId.valueOf(header.getReplyId()), request);
  }

  @Override
  public void addRaftPeers(Collection<RaftPeer> added) {
    added.forEach(peers::add);
  }

  @Override
  public void notifyNotLeader(RaftGroupId group) {
    peers.followNot();
  }

  /** The transport has connected again where that was necessary. */
  @Override
  public void handleException(RaftPeerId peer, Exception e, boolean reconnect) {}

  @Override
  public RpcType getRpcType() {
    return type;
  }

  /** There is none: nodes are called by name. */
  @Override
  public InetSocketAddress getInetSocketAddress() {
    return null;
  }

  @Override
  public void start() {}

  @Override
  public void close() {}
}
