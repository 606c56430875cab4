package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ChangeApplier;
import io.mayflymq.cluster.metadata.PositionedLog;
import io.mayflymq.cluster.metadata.TakenOverMetadata;
import io.mayflymq.core.metadata.MetadataCommand.Applied;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.server.cluster.consensus.EntryApplier;
import io.mayflymq.server.cluster.consensus.LogPosition;
import io.mayflymq.server.cluster.membership.StateTransfer;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the entries of the replicated log to the metadata of this node. A node that was away for
 * so long that the log does not reach back to what it has takes over the metadata of the leader,
 * and its broker starts anew with them.
 */
final class LogApplier implements EntryApplier {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogApplier.class);

  private final ChangeApplier applier;
  private final PositionedLog log;
  private final NodeCalls calls;
  private final MetadataJournal journal;
  private final Runnable restart;

  /**
   * @param log has the position of what was applied
   * @param calls reach the leader whose metadata are taken over
   * @param journal where these are written
   * @param restart starts the broker anew, in its own time
   */
  LogApplier(
      ChangeApplier applier,
      PositionedLog log,
      NodeCalls calls,
      MetadataJournal journal,
      Runnable restart) {
    this.applier = applier;
    this.log = log;
    this.calls = calls;
    this.journal = journal;
    this.restart = restart;
  }

  @Override
  public LogPosition applied() {
    return position(log.durable());
  }

  /** Returns the place in the replicated log; null for none. */
  static LogPosition position(Applied applied) {
    return applied == null ? null : new LogPosition(applied.term(), applied.index());
  }

  @Override
  public CompletableFuture<Void> apply(LogPosition position, byte[] entry) {
    return applier.apply(position.term(), position.index(), entry);
  }

  /** Never completes if it succeeds: the broker that waits for it ends. */
  @Override
  public CompletableFuture<LogPosition> fetchState(String leader) {
    LOGGER.warn(
        "this node was away for so long that it takes over all metadata of node {}", leader);
    return StateTransfer.fetch(calls, leader)
        .thenCombine(journal.contents(), TakenOverMetadata::keepingPlaces)
        .thenCompose(journal::replace)
        .thenCompose(
            replaced -> {
              restart.run();
              return new CompletableFuture<>();
            });
  }
}
