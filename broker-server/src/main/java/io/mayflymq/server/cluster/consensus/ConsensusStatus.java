package io.mayflymq.server.cluster.consensus;

import java.util.List;

/**
 * What a node knows of the consensus at a moment.
 *
 * @param leader the name of the leader; null if this node knows none
 * @param term the current term
 * @param committed the index of the last committed entry that this node knows of; -1 for none
 * @param applied the position up to which this node has applied all entries durably; null for none
 * @param members all members, in the order of their names
 */
public record ConsensusStatus(
    String leader, long term, long committed, LogPosition applied, List<MemberStatus> members) {}
