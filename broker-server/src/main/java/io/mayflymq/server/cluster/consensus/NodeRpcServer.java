package io.mayflymq.server.cluster.consensus;

import io.mayflymq.server.cluster.consensus.RpcMessage.Kind;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.util.ProtoUtils;

/** Answers messages of the protocol. Any thread may call. */
final class NodeRpcServer {
  private static final byte[] NOTHING = {};

  private final RaftServer server;
  private final Peers peers;
  private final RecentProposals recent;
  private final ConsensusThreads threads;
  private final SerialAnswers appends;

  NodeRpcServer(RaftServer server, Peers peers, RecentProposals recent, ConsensusThreads threads) {
    this.server = server;
    this.peers = peers;
    this.recent = recent;
    this.threads = threads;
    this.appends = new SerialAnswers(threads::message);
  }

  /** Answers a message. Does not block. */
  CompletableFuture<byte[]> answer(byte[] request) {
    try {
      Kind kind = RpcMessage.kind(request);
      return switch (kind) {
        case PING -> CompletableFuture.completedFuture(NOTHING);
        case APPEND, INSTALL -> appends.answer(() -> answer(kind, request));
        case VOTE, START_ELECTION, RECENT -> threads.message(() -> answer(kind, request));
      };
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<byte[]> answer(Kind kind, byte[] request) {
    try {
      return switch (kind) {
        case VOTE -> vote(RpcMessage.content(request, RequestVoteRequestProto.parser()));
        case APPEND -> append(RpcMessage.content(request, AppendEntriesRequestProto.parser()));
        case INSTALL -> install(RpcMessage.content(request, InstallSnapshotRequestProto.parser()));
        case START_ELECTION ->
            done(
                server.startLeaderElection(
                    RpcMessage.content(request, StartLeaderElectionRequestProto.parser())));
        case RECENT -> CompletableFuture.completedFuture(recent.encode());
        case PING -> CompletableFuture.completedFuture(NOTHING);
      };
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<byte[]> vote(RequestVoteRequestProto request) throws IOException {
    heard(request.getServerRequest());
    return done(server.requestVote(request));
  }

  private CompletableFuture<byte[]> append(AppendEntriesRequestProto request) throws IOException {
    RaftRpcRequestProto header = request.getServerRequest();
    heard(header);
    RaftServer.Division division =
        server.getDivision(ProtoUtils.toRaftGroupId(header.getRaftGroupId()));
    // Asked of the server, it would be handed over to one more thread.
    return ((RaftServerAsynchronousProtocol) division)
        .appendEntriesAsync(request)
        .thenApply(MessageLite::toByteArray);
  }

  private CompletableFuture<byte[]> install(InstallSnapshotRequestProto request)
      throws IOException {
    heard(request.getServerRequest());
    return done(server.installSnapshot(request));
  }

  private void heard(RaftRpcRequestProto header) {
    peers.heard(RaftPeerId.valueOf(header.getRequestorId()));
  }

  private static CompletableFuture<byte[]> done(MessageLite answer) {
    return CompletableFuture.completedFuture(answer.toByteArray());
  }
}
