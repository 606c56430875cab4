package io.mayflymq.server.cluster.consensus;

import java.util.List;

/**
 * Is told about leaders and members. Called by one thread, in order; it must not wait for {@link
 * ReplicatedLog}.
 */
public interface ConsensusListener {
  /** Called when a leader was elected, or this node has stopped being the leader. */
  default void leaderChanged(LeaderChange change) {}

  /**
   * Called when the members have changed, and once after the start.
   *
   * @param members all of them; this node is missing if it was removed
   */
  default void membersChanged(List<Member> members) {}
}
