package io.mayflymq.server.cluster.consensus;

import io.mayflymq.core.runtime.Causes;
import java.util.concurrent.RejectedExecutionException;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.protocol.exceptions.TransferLeadershipException;

/** Translates what Ratis answers. */
final class Replies {
  private Replies() {}

  /** Translates an answer without content. */
  static Answer answer(RaftClientReply reply) {
    return reply.isSuccess() ? Answer.done() : answer(reply.getException());
  }

  /** Translates a failure. What has no other meaning is worth another try. */
  static Answer answer(Throwable failure) {
    Throwable cause = Causes.of(failure);
    if (cause instanceof NotLeaderException e) {
      return Answer.notLeader(
          e.getSuggestedLeader() == null ? null : e.getSuggestedLeader().getAddress());
    }
    if (cause instanceof ReconfigurationTimeoutException) {
      return Answer.refused("the new member cannot be reached from the leader");
    }
    if (cause instanceof ReconfigurationInProgressException) {
      return Answer.later("another change of members is in progress");
    }
    if (cause instanceof TransferLeadershipException) {
      return Answer.refused("the member has not taken over: " + Failures.text(cause));
    }
    if (cause instanceof LeaderNotReadyException) {
      return Answer.later("the new leader is not ready yet");
    }
    if (cause instanceof ResourceUnavailableException) {
      return Answer.later("too many changes wait for the leader");
    }
    if (cause instanceof ServerNotReadyException || cause instanceof RejectedExecutionException) {
      return Answer.later("the log of the leader is closed");
    }
    return Answer.later(Failures.text(cause));
  }
}
