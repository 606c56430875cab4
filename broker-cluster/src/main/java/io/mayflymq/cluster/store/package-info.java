/**
 * The replicas of partitions on the disk: the log of a follower, the store of a leader, and the
 * change from one to the other; the streams of a replicated partition.
 */
package io.mayflymq.cluster.store;
