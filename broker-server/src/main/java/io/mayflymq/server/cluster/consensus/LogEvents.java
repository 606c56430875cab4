package io.mayflymq.server.cluster.consensus;

import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftPeerId;

/** What happens to the log of this member. Called by threads of Ratis; no method blocks. */
interface LogEvents {
  /**
   * The leader's log does not reach back to what this member has.
   *
   * @param leader the name of the leader's node
   * @return the position of the state that was fetched; null if there was none
   */
  CompletableFuture<LogPosition> stateNeeded(String leader);

  /** Another member leads. */
  void leaderChanged(RaftPeerId leader);

  /** This member leads, and has applied all entries of earlier terms. */
  void ready();

  /** This member does not lead any more. */
  void notLeader();

  /** Other members are in force. */
  void membersChanged();

  /** The log cannot be written. */
  void failed(Throwable cause);

  /** The leader has told this member that it is none any more. */
  void removed();

  /** Ratis has ended its work, on request or by itself. */
  void closed();
}
