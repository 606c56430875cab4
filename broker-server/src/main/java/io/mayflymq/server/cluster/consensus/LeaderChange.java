package io.mayflymq.server.cluster.consensus;

/**
 * A change of leader.
 *
 * @param leader the name of the new leader; null if this node was the leader and knows of no other
 * @param term the term in which it leads
 * @param here whether this node is the new leader: it has applied all entries of earlier terms
 */
public record LeaderChange(String leader, long term, boolean here) {}
