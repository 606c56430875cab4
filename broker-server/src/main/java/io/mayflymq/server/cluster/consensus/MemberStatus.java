package io.mayflymq.server.cluster.consensus;

/**
 * What a node knows of a member.
 *
 * @param lag how many entries of the leader's log the member does not have yet; -1 if unknown,
 *     since only the leader knows it of others
 */
public record MemberStatus(Member member, Reachability reachability, long lag) {
  /** Whether a member has answered lately. */
  public enum Reachability {
    /** The member is this node, or has sent something within two election timeouts. */
    REACHABLE,
    /** Nothing has arrived from it for that long, although it was expected. */
    UNREACHABLE,
    /** A follower exchanges messages with the leader only. */
    UNKNOWN
  }
}
