/**
 * The replicas of partitions on the disk: the log of a follower, the store of a leader, and the
 * change from one to the other.
 */
package io.mayflymq.core.store.replica;
