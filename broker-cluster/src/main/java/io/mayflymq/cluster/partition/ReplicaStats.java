package io.mayflymq.cluster.partition;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.vhost.ReplicaState;

/**
 * How a replica on this node is at one moment, and what it has done since the node was started.
 *
 * @param partition the number of its partition
 * @param state what it knows
 * @param gone the number of the last burst that its log cannot tell others any more
 * @param segments how many files its log has
 * @param aheadMillis how far the time of the partition is ahead of the clock of this node
 * @param commitNanos how long the last burst took to be committed that this node has led, in ns; 0
 *     if there is none
 * @param commits how long all of these have taken
 */
public record ReplicaStats(
    int partition,
    ReplicaState state,
    long gone,
    int segments,
    long aheadMillis,
    long commitNanos,
    Histogram.Reading commits) {}
