/**
 * Replicas of partitions on this node: each on the thread of a shard, with its connections to the
 * other replicas, its time and its reports.
 */
package io.mayflymq.core.replication.node;
