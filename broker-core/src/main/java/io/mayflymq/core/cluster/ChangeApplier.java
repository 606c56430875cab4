package io.mayflymq.core.cluster;

import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Applied;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Carries out the entries of the replicated log on this node.
 *
 * Each change is carried out as on a broker that is alone: it is based on the proposed state, and is in force when it is written, so that entries share
 * forces. All nodes see the same changes in the same order, from the same state, and so decide alike which do not fit, and give queues the same numbers.
 *
 * A virtual host has to be there before anything in it can change, so a change that begins or ends one waits for all before it, and is waited for.
 */
/** Applies entries. Called by one thread at a time. */
public final class ChangeApplier {
  private static final Logger LOGGER = LoggerFactory.getLogger(ChangeApplier.class);

  private final ChangeTarget target;
  private final ChangeProposer proposer;
  private final PositionedLog log;
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
  private long queueIds;

  /**
   * Creates an applier.
   *
   * @param target what changes are made to
   * @param proposer is told what became of its changes
   * @param log where the target writes
   */
  public ChangeApplier(ChangeTarget target, ChangeProposer proposer, PositionedLog log) {
    this.target = target;
    this.proposer = proposer;
    this.log = log;
    Applied kept = log.durable();
    this.queueIds = kept == null ? target.broker().lastQueueId() : kept.queueIds();
  }

  /**
   * Applies an entry.
   *
   * @param term the term of the leader that added it
   * @param index its place in the log
   * @return done when its effect is durable, and that of all before it
   * @throws io.mayflymq.core.metadata.MetadataException if the entry cannot be read
   */
  public CompletableFuture<Void> apply(long term, long index, byte[] entry) {
    ChangeEntry changes = ChangeEntry.decode(entry);
    int left = changes.units().size();
    for (ChangeEntry.Unit unit : changes.units()) {
      List<MetadataCommand> commands = numbered(unit.commands());
      if (--left == 0) {
        log.nextCompletes(new Applied(term, index, queueIds));
      }
      apply(commands, proposer.take(changes.process(), unit.serial()));
    }
    return last;
  }

  private void apply(List<MetadataCommand> commands, PendingChange pending) {
    boolean isBarrier = ChangeTarget.changesVhosts(commands);
    if (isBarrier) {
      last.join();
    }
    CompletableFuture<Void> done =
        target.apply(commands, pending == null ? null : pending.origin());
    CompletableFuture<Void> decided = done.handle((inForce, failure) -> null);
    last = CompletableFuture.allOf(last, decided);
    if (isBarrier) {
      last.join();
    }
    done.whenComplete((inForce, failure) -> decided(commands, pending, failure));
  }

  private static void decided(
      List<MetadataCommand> commands, PendingChange pending, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause != null && !(cause instanceof UndoneException)) {
      LOGGER.error("a change that all nodes make failed here: {}", commands, cause);
    }
    if (pending == null) {
      return;
    }
    if (cause == null) {
      pending.done().complete(null);
    } else {
      pending.done().completeExceptionally(cause);
    }
  }

  /** Gives queues their numbers, whether they will be declared or not. */
  private List<MetadataCommand> numbered(List<MetadataCommand> commands) {
    List<MetadataCommand> numbered = new ArrayList<>(commands.size());
    for (MetadataCommand command : commands) {
      numbered.add(
          command instanceof QueueDeclared declared
              ? new QueueDeclared(declared.vhost(), declared.queue(), ++queueIds, declared.place())
              : command);
    }
    return numbered;
  }
}
