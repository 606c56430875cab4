/**
 * The agreement of a cluster's nodes on one sequence of entries, independent of what these are, on
 * Apache Ratis, none of whose types is loaded before {@link
 * io.mayflymq.server.cluster.consensus.RatisLog#start}.
 *
 * <p>Ratis decides who leads and what is committed, and keeps the log on disk. Its messages travel
 * as requests between nodes ({@code NodeRpc} sends them, {@code NodeRpcServer} receives them), sent
 * by one thread for each follower ({@code FollowerSender}). The state machine ({@code
 * EntryStateMachine}) hands committed entries to the applier in order ({@code AppliedEntries}).
 * Since the applier's state is durable by itself, a snapshot of Ratis is only a position: no files.
 *
 * <p>A proposal ({@code Proposals}) is carried out by the leader ({@code LeaderRequests}), here or
 * on another node, and is repeated with the same number until it has an answer.
 */
package io.mayflymq.server.cluster.consensus;
