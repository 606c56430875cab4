package io.mayflymq.server.cluster.transport;

/** What answers requests of other nodes. The code is what a frame has: it never changes. */
public enum CallService {
  /** Messages of the consensus protocol. */
  CONSENSUS(1),
  /** Proposals that a follower forwards to the leader. */
  PROPOSAL(2),
  /** The state of metadata, for a node that joins or was away for long. */
  STATE(3),
  /** Joining, leaving, and who is there. */
  MEMBERSHIP(4),
  /** What the HTTP API of another node asks. */
  MANAGEMENT(5),
  /** Waits until changes are in force. */
  APPLIED(6),
  /** Resource alarms of the node that calls. */
  ALARMS(7),
  /** How long exchanges and bindings last by the use that a node has seen. */
  LEASES(8),
  /** Reports of replicas that know no leader of their partition. */
  LEADERLESS(9),
  /** Has the node hand over the leading of a partition. */
  HAND_OVER(10),
  /** Direct replies to clients of the node, and whether one waits for them. */
  REPLIES(11);

  private final int code;

  CallService(int code) {
    this.code = code;
  }

  /** Returns what a frame has for it. */
  public int code() {
    return code;
  }
}
