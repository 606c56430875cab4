package io.mayflymq.cluster.replication;

import io.mayflymq.core.store.BurstId;

/**
 * What a replica reports, again and again, that knows no leader of its partition: it has not heard
 * of the leader for as long as its lease lasts, or knows that it is gone, or is to lead itself and
 * does not, or is closed for now.
 *
 * @param partition the number of the partition
 * @param replica the number of the node that reports
 * @param epoch the last one that it knows by the assignment
 * @param last the last burst that it has; of no meaning unless it may be elected
 * @param isCandidate whether it may be elected; false if its disk does not force, or it is closed
 */
public record Leaderless(
    int partition, int replica, long epoch, BurstId last, boolean isCandidate) {}
