/**
 * How the log of a partition is kept alike on several nodes: a leader numbers its bursts as
 * batches, followers store them in the same order, and a batch is committed when all replicas in
 * sync have forced it. Pure state machines: they read no clock, send nothing and store nothing
 * themselves.
 */
package io.mayflymq.core.replication;
