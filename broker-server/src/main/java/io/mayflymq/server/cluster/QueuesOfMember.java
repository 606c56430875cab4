package io.mayflymq.server.cluster;

import io.mayflymq.core.metadata.ChangeOrdering;
import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.MetadataCommand.QueueForgotten;
import io.mayflymq.core.metadata.MetadataCommand.QueueIs;
import io.mayflymq.core.metadata.MetadataCommand.QueueKept;
import io.mayflymq.core.metadata.MetadataJournal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues of a node that is gone. Those that are not durable, and the exclusive ones, are there
 * only as long as the process of their node. All nodes know them, so they have to be deleted when
 * that process is gone; the durable ones, when the node will not come back.
 */
final class QueuesOfMember {
  private static final Logger LOGGER = LoggerFactory.getLogger(QueuesOfMember.class);

  private final MetadataJournal journal;
  private final ChangeOrdering changes;

  QueuesOfMember(MetadataJournal journal, ChangeOrdering changes) {
    this.journal = journal;
    this.changes = changes;
  }

  /**
   * Deletes those that end with a process.
   *
   * @param member the number of the node
   * @return done when they are deleted; fails if no majority agrees
   */
  CompletableFuture<Void> deleteTransient(int member) {
    return delete(queue -> queue.place().member() == member && !queue.queue().durable());
  }

  /**
   * Deletes all.
   *
   * @param members the numbers of the nodes
   */
  CompletableFuture<Void> deleteAll(Set<Integer> members) {
    return members.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.allOf(
            delete(queue -> members.contains(queue.place().member())), forgetDeleted(members));
  }

  /** Those that were deleted cannot be brought back any more. */
  private CompletableFuture<Void> forgetDeleted(Set<Integer> members) {
    return journal
        .contents()
        .thenCompose(
            commands ->
                CompletableFuture.allOf(
                    commands.stream()
                        .filter(QueueKept.class::isInstance)
                        .map(QueueKept.class::cast)
                        .filter(kept -> members.contains(kept.queue().place().member()))
                        .map(kept -> new QueueForgotten(kept.vhost(), kept.queue().id()))
                        .map(forgotten -> unlessUndone(changes.propose(List.of(forgotten), null)))
                        .toArray(CompletableFuture<?>[]::new)));
  }

  private static CompletableFuture<Void> unlessUndone(CompletableFuture<Void> change) {
    return change.exceptionallyCompose(
        failure ->
            failure instanceof UndoneException
                ? CompletableFuture.completedFuture(null) // It is done already.
                : CompletableFuture.failedFuture(failure));
  }

  private CompletableFuture<Void> delete(Predicate<QueueDeclared> which) {
    return journal
        .contents()
        .thenCompose(
            commands ->
                CompletableFuture.allOf(
                    commands.stream()
                        .filter(QueueDeclared.class::isInstance)
                        .map(QueueDeclared.class::cast)
                        .filter(which)
                        .map(queue -> delete(queue.vhost(), queue.queue().name(), queue.id()))
                        .toArray(CompletableFuture<?>[]::new)));
  }

  /**
   * Deletes a queue, unless another one has its name by now.
   *
   * @return done when it is deleted, also if it was already; fails if no majority agrees
   */
  CompletableFuture<Void> delete(String vhost, String name, long id) {
    List<MetadataCommand> commands =
        List.of(new QueueIs(vhost, name, id), new QueueDeleted(vhost, name));
    LOGGER.debug(
        "deleting queue '{}' in vhost '{}', whose node or connection is gone", name, vhost);
    return unlessUndone(changes.propose(commands, null));
  }
}
