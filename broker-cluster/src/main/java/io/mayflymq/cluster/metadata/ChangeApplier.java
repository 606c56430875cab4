package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Applied;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.MetadataCommand.QueueIs;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.runtime.Causes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies entries. Any thread may call; the order of the calls is the order of the changes.
 *
 * <p>Each change is carried out as on a broker that is alone: it is based on the proposed state,
 * and entries share forces ({@link PositionedLog} tells which have to be written before they are in
 * force). All nodes see the same changes in the same order, from the same state, and so decide
 * alike which do not fit, and give queues the same numbers.
 *
 * <p>A virtual host has to be there before anything in it can change, so a change that begins or
 * ends one waits for all before it, and is waited for by all behind it.
 *
 * <p>The node that has requested a change is told when the change is in force on the other nodes
 * too, so that its client finds on every node what it has been told of. A node that is slow to
 * answer is not waited for.
 */
public final class ChangeApplier {
  private static final Logger LOGGER = LoggerFactory.getLogger(ChangeApplier.class);

  /**
   * A change whose turn has come.
   *
   * @param commands what it consists of
   * @param pending what waits for it here, or null
   * @param completes the position that is complete with it, or null
   * @param decided done when it is in force or refused
   * @param visible done when its entry is in force on the other nodes too
   * @param isGivenUp whether this process has proposed it, and has told that it is not known what
   *     becomes of it
   */
  private record Step(
      List<MetadataCommand> commands,
      PendingChange pending,
      Applied completes,
      CompletableFuture<Void> decided,
      CompletableFuture<Void> visible,
      boolean isGivenUp) {
    boolean isBarrier() {
      return ChangeTarget.changesVhosts(commands);
    }
  }

  private final ChangeTarget target;
  private final ChangeProposer proposer;
  private final PositionedLog log;
  private final OtherNodes others;
  private final AppliedPosition position;
  private final Deque<Step> waiting = new ArrayDeque<>();

  /** Done when all that came so far is decided. */
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  /** How many changes are carried out and not decided. */
  private int underWay;

  private boolean behindBarrier;
  private boolean carryingOut;
  private long queueIds;

  /**
   * Creates an applier.
   *
   * @param target what changes are made to
   * @param proposer is told what became of its changes
   * @param log where the target writes
   * @param others the other nodes of the cluster
   */
  public ChangeApplier(
      ChangeTarget target, ChangeProposer proposer, PositionedLog log, OtherNodes others) {
    this.target = target;
    this.proposer = proposer;
    this.log = log;
    this.others = others;
    Applied kept = log.durable();
    this.position = new AppliedPosition(kept == null ? -1 : kept.index());
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
  public synchronized CompletableFuture<Void> apply(long term, long index, byte[] entry) {
    ChangeEntry changes = ChangeEntry.decode(entry);
    List<CompletableFuture<Void>> decided = new ArrayList<>();
    CompletableFuture<Void> visible = new CompletableFuture<>();
    boolean isRequestedHere = false;
    int left = changes.units().size();
    for (ChangeEntry.Unit unit : changes.units()) {
      List<MetadataCommand> commands = numbered(unit.commands());
      left--;
      PendingChange pending = proposer.take(changes.process(), unit.serial());
      isRequestedHere |= pending != null;
      Step step =
          new Step(
              commands,
              pending,
              left == 0 ? new Applied(term, index, queueIds) : null,
              new CompletableFuture<>(),
              visible,
              pending == null && proposer.isOwn(changes.process()));
      waiting.addLast(step);
      decided.add(step.decided);
    }
    decided.add(last);
    last = CompletableFuture.allOf(decided.toArray(CompletableFuture<?>[]::new));
    CompletableFuture<Void> all = last;
    all.thenRun(() -> position.advance(index));
    if (isRequestedHere) {
      others.await(index).whenComplete((seen, failure) -> visible.complete(null));
    }
    carryOutNext();
    return all.thenCompose(inForce -> log.settled());
  }

  private synchronized void carryOutNext() {
    if (carryingOut) {
      return; // A change was decided at once; the loop below goes on.
    }
    carryingOut = true;
    try {
      while (!waiting.isEmpty()
          && !behindBarrier
          && (underWay == 0 || !waiting.peekFirst().isBarrier())) {
        carryOut(waiting.removeFirst());
      }
    } finally {
      carryingOut = false;
    }
  }

  private void carryOut(Step step) {
    underWay++;
    behindBarrier = step.isBarrier();
    if (step.completes != null) {
      log.nextCompletes(step.completes);
    }
    CompletableFuture<Void> done;
    try {
      done = target.apply(step.commands, step.pending == null ? null : step.pending.origin());
    } catch (RuntimeException | Error e) {
      done = CompletableFuture.failedFuture(e);
    }
    done.whenComplete((inForce, failure) -> decided(step, failure));
  }

  private void decided(Step step, Throwable failure) {
    synchronized (this) {
      underWay--;
      if (step.isBarrier()) {
        behindBarrier = false;
      }
    }
    tell(step, Causes.of(failure));
    if (failure == null && step.isGivenUp) {
      deleteExclusive(step.commands);
    }
    step.decided.complete(null);
    carryOutNext();
  }

  /** The connections that have declared them have ended with the answer. */
  private void deleteExclusive(List<MetadataCommand> commands) {
    for (MetadataCommand command : commands) {
      if (command instanceof QueueDeclared declared && declared.queue().exclusive()) {
        String name = declared.queue().name();
        proposer.propose(
            List.of(
                new QueueIs(declared.vhost(), name, declared.id()),
                new QueueDeleted(declared.vhost(), name)),
            null);
      }
    }
  }

  private static void tell(Step step, Throwable cause) {
    if (cause != null && !(cause instanceof UndoneException)) {
      LOGGER.error("a change that all nodes make failed here: {}", step.commands, cause);
    }
    if (step.pending == null) {
      return;
    }
    if (cause == null) {
      step.visible.thenRun(() -> step.pending.done().complete(null));
    } else {
      step.pending.done().completeExceptionally(cause);
    }
  }

  /**
   * Waits for the effect of an entry.
   *
   * @param index its place in the log
   * @return done when it is in force here, and all that came before it
   */
  public CompletableFuture<Void> reached(long index) {
    return position.reached(index);
  }

  /** Gives queues their numbers, whether they will be declared or not. */
  private List<MetadataCommand> numbered(List<MetadataCommand> commands) {
    List<MetadataCommand> numbered = new ArrayList<>(commands.size());
    for (MetadataCommand command : commands) {
      numbered.add(numbered(command));
    }
    return numbered;
  }

  private MetadataCommand numbered(MetadataCommand command) {
    if (command instanceof QueueDeclared declared) {
      return new QueueDeclared(declared.vhost(), declared.queue(), ++queueIds, declared.place());
    }
    return command instanceof QueueMoving moving
        ? new QueueMoving(moving.vhost(), moving.queue(), moving.to(), ++queueIds)
        : command;
  }
}
