/**
 * How the log of a partition is kept alike on several nodes: a leader numbers its bursts as bursts,
 * followers store them in the same order, and a burst is committed when all replicas in sync have
 * forced it. What decides is pure: it reads no clock, sends nothing and stores nothing itself. A
 * {@link io.mayflymq.cluster.replication.ReplicaMachine} is one node's part in a partition; {@link
 * io.mayflymq.cluster.replication.LeaderElections} decides who leads; {@link
 * io.mayflymq.cluster.replication.ReplicaDriver} runs a replica on the thread of a shard, with its
 * connections to the others, its time and its reports.
 */
package io.mayflymq.cluster.replication;
