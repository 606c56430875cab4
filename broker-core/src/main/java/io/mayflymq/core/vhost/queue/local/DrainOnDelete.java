package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.vhost.deadletter.DeadLetterPublisher;
import io.mayflymq.core.vhost.partition.BatchArrival;
import io.mayflymq.core.vhost.queue.LockedMessages;
import java.util.concurrent.CompletableFuture;

/**
 * The end of a queue whose messages are dead-lettered before it goes.
 *
 * <p>First go the ready ones, in order, then those that consumers have, then those that are
 * scheduled for later, in the order of their due times. They die slice by slice, with other work of
 * the shard in between, and no faster than the disk and the shards that they go to can follow. The
 * queue is there until the last one has died and its dead letter is safe: after a crash in the
 * middle it is back with what is left. One whose lease had ended stays if it is used meanwhile,
 * without the messages that have died. A client that is told of the deletion finds its dead letters
 * where they went, also those that went over several queues.
 *
 * <p>Belongs to the queue's shard.
 */
final class DrainOnDelete {
  private final LocalQueueState state;
  private final QueueMachine machine;
  private final DropTrigger cause;
  private final Shard shard;
  private final PartitionStore store;
  private final DeadLetterPublisher deadLetters;
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();
  private final BatchArrival consequences = new BatchArrival();
  private boolean overtaken;

  /** What comes after that, and dies at the last moment, is not waited for any more. */
  private boolean deadLettersAreSafe;

  DrainOnDelete(LocalQueueState state, DropTrigger cause) {
    this.state = state;
    this.machine = state.machine();
    this.cause = cause;
    this.shard = state.shard();
    this.store = state.queue().partition().store();
    this.deadLetters = state.publisher();
  }

  /**
   * Begins, within a burst of the shard.
   *
   * @param first what comes before the first message dies
   * @return whether the queue may go now: not if it was used, or it has gone another way
   */
  CompletableFuture<Boolean> begin(Runnable first) {
    shard.executeLater(
        () -> {
          if (!overtaken) {
            first.run();
          }
          slice();
        });
    return end;
  }

  /** The queue goes another way. */
  void overtake() {
    overtaken = true;
  }

  /** Whether all its messages had died, so that it may go. */
  boolean isOver() {
    return end.isDone() && !end.isCompletedExceptionally() && end.join();
  }

  /** What came while it was written down that the queue has gone dies too. */
  void takeRest() {
    while (!isEmptied()) {
      // It is what came within a few milliseconds.
    }
    deadLetters.flush();
  }

  /**
   * What a redrive holds back may be in another queue by now: it neither dies nor goes with the
   * queue before that is known.
   */
  private void slice() {
    LockedMessages move = state.move();
    if (move == null) {
      goOn();
    } else {
      move.whenNoneIsHeld(() -> shard.run(this::goOn));
    }
  }

  private void goOn() {
    try {
      if (overtaken || isUsedAgain()) {
        end.complete(false);
      } else if (isEmptied()) {
        leaveSafely();
      } else {
        deadLetters.flush(consequences);
        next();
      }
    } catch (Throwable e) {
      shard.faults().report("the deletion of", state.queue(), e);
      end.completeExceptionally(e);
    }
  }

  /** Were it gone on the disk before its dead letters are there, a crash would lose them. */
  private void leaveSafely() {
    if (deadLettersAreSafe) {
      end.complete(true);
      return;
    }
    deadLetters.flush(consequences);
    consequences.applied();
    state
        .partitions()
        .whenSafe(shard, () -> consequences.arrived().thenRun(this::deadLettersArrived));
  }

  private void deadLettersArrived() {
    shard.runOrExecute(
        () -> {
          deadLettersAreSafe = true;
          slice();
        });
  }

  /** Some messages die, those last that are scheduled. @return whether none is left */
  private boolean isEmptied() {
    return (!(machine instanceof ClassicQueueMachine messages)
            || messages.deadLetterAll(cause, state.now()))
        && state.hidden().deadLetterSchedule(cause);
  }

  private boolean isUsedAgain() {
    return cause == DropTrigger.EXPIRES
        && !(machine instanceof ClassicQueueMachine leased && leased.leaseHasEnded(state.now()));
  }

  private void next() {
    if (deadLetters.isFull()) {
      deadLetters.whenRoom(this::next);
    } else if (store.isBehind()) {
      store.commit(new CaughtUp());
    } else {
      shard.executeLater(this::slice);
    }
  }

  /** A failed disk causes no further delay: its messages are back at the next start. */
  private final class CaughtUp implements Commit {
    @Override
    public void safe() {
      shard.execute(DrainOnDelete.this::slice);
    }

    @Override
    public void failed() {
      shard.execute(DrainOnDelete.this::slice);
    }
  }
}
