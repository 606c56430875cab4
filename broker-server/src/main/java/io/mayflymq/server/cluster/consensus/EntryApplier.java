package io.mayflymq.server.cluster.consensus;

import java.util.concurrent.CompletableFuture;

/** What the entries do, on each node. Its state is durable by itself. */
public interface EntryApplier {
  /**
   * Returns the position of the last entry whose effect is durable here. Called once, at the start.
   *
   * @return null if no entry of the log has been applied to the state
   */
  LogPosition applied();

  /**
   * Applies a committed entry. Called by one thread at a time, in the order of positions, once for
   * each entry; not while {@link #fetchState} is in progress. After a restart it goes on behind
   * {@link #applied()}.
   *
   * @return done when the effect is durable, in the order of the calls; a failure ends the process
   */
  CompletableFuture<Void> apply(LogPosition position, byte[] entry);

  /**
   * Replaces the state by that of the leader, durably, since the leader's log does not reach back
   * to what this node has. Called by a thread of its own; repeated later if it fails.
   *
   * @param leader the name of the leader's node
   * @return the position that the state has: of the last entry applied to it; null if the leader
   *     has applied none
   */
  CompletableFuture<LogPosition> fetchState(String leader);
}
