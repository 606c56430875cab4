package io.mayflymq.server.cluster;

import io.mayflymq.core.metadata.ChangeOrdering;
import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.MetadataCommand.QueueIs;
import io.mayflymq.core.metadata.journal.MetadataJournal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues that are there only as long as the process of their node: those that are not durable,
 * and the exclusive ones. All nodes know them, so they have to be deleted when that process is
 * gone.
 */
final class TransientObjects {
  private static final Logger LOGGER = LoggerFactory.getLogger(TransientObjects.class);

  private final MetadataJournal journal;
  private final ChangeOrdering changes;

  TransientObjects(MetadataJournal journal, ChangeOrdering changes) {
    this.journal = journal;
    this.changes = changes;
  }

  /**
   * Deletes those that metadata have of a member now.
   *
   * @param member its number
   * @return done when they are deleted; fails if no majority agrees
   */
  CompletableFuture<Void> deleteOf(int member) {
    return journal
        .contents()
        .thenCompose(
            commands ->
                CompletableFuture.allOf(
                    commands.stream()
                        .filter(QueueDeclared.class::isInstance)
                        .map(QueueDeclared.class::cast)
                        .filter(queue -> queue.place().member() == member)
                        .filter(queue -> !queue.queue().durable())
                        .map(this::delete)
                        .toArray(CompletableFuture<?>[]::new)));
  }

  private CompletableFuture<Void> delete(QueueDeclared queue) {
    String name = queue.queue().name();
    List<MetadataCommand> commands =
        List.of(
            new QueueIs(queue.vhost(), name, queue.id()), new QueueDeleted(queue.vhost(), name));
    LOGGER.debug("deleting queue '{}' in vhost '{}', whose node is gone", name, queue.vhost());
    return changes
        .propose(commands, null)
        .exceptionallyCompose(
            failure ->
                failure instanceof UndoneException
                    ? CompletableFuture.completedFuture(null) // It is deleted already.
                    : CompletableFuture.failedFuture(failure));
  }
}
