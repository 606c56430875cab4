/*
 * The replicated log on Apache Ratis. No type of Ratis leaves this package, and none is loaded before RatisLog.start.
 *
 * Ratis decides who leads and what is committed, and keeps the log on disk. Its messages travel as requests between nodes (NodeRpc sends them,
 * NodeRpcServer receives them), sent by one thread for each follower (FollowerSender). The state machine (EntryStateMachine) hands committed entries to
 * the applier in order (AppliedEntries). Since the applier's state is durable by itself, a snapshot of Ratis is only a position: no files.
 *
 * A proposal (Proposals) is carried out by the leader (LeaderRequests), here or on another node, and is repeated with the same number until it has an answer.
 */
/** The replicated log on Apache Ratis. */
package io.mayflymq.server.cluster.consensus.ratis;
