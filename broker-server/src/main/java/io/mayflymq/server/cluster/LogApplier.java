package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ChangeApplier;
import io.mayflymq.cluster.metadata.PositionedLog;
import io.mayflymq.cluster.metadata.TakenOverMetadata;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Applied;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.server.cluster.consensus.EntryApplier;
import io.mayflymq.server.cluster.consensus.LogPosition;
import io.mayflymq.server.cluster.membership.StateTransfer;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the entries of the replicated log to the metadata of this node. A node that was away for
 * so long that the log does not reach back to what it has takes over the metadata of the leader, or
 * of another node, and its broker starts anew with them.
 */
final class LogApplier implements EntryApplier {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogApplier.class);

  private final ChangeApplier applier;
  private final PositionedLog log;
  private final NodeCalls calls;
  private final Supplier<Set<String>> reachable;
  private final MetadataJournal journal;
  private final BrokerStart start;

  /**
   * @param log has the position of what was applied
   * @param calls reach the node whose metadata are taken over
   * @param reachable names the nodes that this one is connected to
   * @param journal where these are written
   * @param start the start of the broker that has the metadata
   */
  LogApplier(
      ChangeApplier applier,
      PositionedLog log,
      NodeCalls calls,
      Supplier<Set<String>> reachable,
      MetadataJournal journal,
      BrokerStart start) {
    this.applier = applier;
    this.log = log;
    this.calls = calls;
    this.reachable = reachable;
    this.journal = journal;
    this.start = start;
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

  /**
   * Fetches the metadata of the leader, or of another node if the leader has joined meanwhile, so
   * that its address is not known here.
   */
  private CompletableFuture<List<MetadataCommand>> fetched(String leader) {
    CompletableFuture<List<MetadataCommand>> fetched = StateTransfer.fetch(calls, leader);
    for (String other : reachable.get()) {
      if (!other.equals(leader)) {
        fetched = fetched.exceptionallyCompose(failure -> fetchedIfLater(other, failure));
      }
    }
    return fetched;
  }

  /** From what is not later than its own a node would learn nothing. */
  private CompletableFuture<List<MetadataCommand>> fetchedIfLater(String node, Throwable before) {
    return StateTransfer.fetch(calls, node)
        .thenCompose(
            metadata ->
                isLater(PositionedLog.position(metadata))
                    ? CompletableFuture.completedFuture(metadata)
                    : CompletableFuture.failedFuture(before));
  }

  private boolean isLater(Applied position) {
    Applied own = log.durable();
    return position != null && (own == null || position.index() > own.index());
  }

  /** Never completes if it succeeds: the broker that waits for it ends. */
  @Override
  public CompletableFuture<LogPosition> fetchState(String leader) {
    LOGGER.warn(
        "this node was away for so long that it takes over all metadata, if it can those of node {}",
        leader);
    return fetched(leader)
        .thenCombine(journal.contents(), TakenOverMetadata::keepingPlaces)
        .thenCompose(journal::replace)
        .thenCompose(
            replaced -> {
              start.replaced();
              return new CompletableFuture<>();
            });
  }
}
