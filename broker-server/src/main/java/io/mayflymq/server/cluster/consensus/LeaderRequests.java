package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/** Carries out what members ask the leader for, if this node leads. Any thread may call. */
final class LeaderRequests {
  private final ServerView view;
  private final MemberChanges changes;
  private final RecentProposals recent;
  private final ConsensusThreads threads;

  LeaderRequests(ServerView view, RecentProposals recent, ConsensusThreads threads) {
    this.view = view;
    this.changes = new MemberChanges(view);
    this.recent = recent;
    this.threads = threads;
  }

  /** Carries out a request of another node. */
  CompletableFuture<byte[]> answer(byte[] bytes) {
    try {
      return carryOut(LogRequest.decode(bytes)).thenApply(Answer::encode);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Carries out a request. Never fails, but for the end of this node. */
  CompletableFuture<Answer> carryOut(LogRequest request) {
    return threads.proposal(() -> started(request).exceptionally(Replies::answer));
  }

  private CompletableFuture<Answer> started(LogRequest request) {
    try {
      return switch (request.kind()) {
        case ENTRY -> append(request);
        case ADD -> changes.add(request.id(), request.member());
        case REMOVE -> changes.remove(request.id(), request.name());
        case LEAD -> changes.lead(request.id(), request.name());
      };
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Answer> append(LogRequest request) throws IOException {
    LogPosition before = recent.position(request.id());
    if (before != null) {
      return CompletableFuture.completedFuture(Answer.done(before));
    }
    if (request.isRepeated() && !recent.reachBackTo(request.since())) {
      return CompletableFuture.completedFuture(Answer.unknown());
    }
    RaftClientRequest write =
        RaftClientRequest.newBuilder()
            .setClientId(ClientId.valueOf(request.id().proposer()))
            .setServerId(view.server().getId())
            .setGroupId(view.group())
            .setCallId(request.id().number())
            .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(request.content())))
            .setType(RaftClientRequest.writeRequestType())
            .build();
    // Asked of the server, it would be handed over to one more thread.
    return ((RaftClientAsynchronousProtocol) view.division())
        .submitClientRequestAsync(write)
        .thenApply(LeaderRequests::committed);
  }

  private static Answer committed(RaftClientReply reply) {
    return reply.isSuccess()
        ? Answer.done(
            new LogPosition(EntryStateMachine.term(reply.getMessage()), reply.getLogIndex()))
        : Replies.answer(reply.getException());
  }
}
