package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * What a deleted queue has that can be brought back.
 *
 * <p>Its messages leave it in the way of a purge that can be undone, slice by slice, as removed by
 * the deletion; so the log notes ranges of numbers, and the limits of time and bytes hold as for
 * all that has left. Scheduled messages, and dead letters that wait, stay where they are. When the
 * time is over, the virtual host is asked to forget the queue, and with that all goes. If it is
 * brought back before, a new queue takes the machine over ({@link #give}), and nothing happens here
 * any more.
 *
 * <p>Belongs to the queue's shard.
 */
final class KeptMessages extends Timer {
  /** When it is tried again to have the queue forgotten. */
  private static final long RETRY_MILLIS = 1_000;

  private final LocalQueueState state;
  private final ClassicQueueMachine machine;
  private final Shard shard;
  private final long deletedAtMillis;
  private final Runnable end;

  /** How many bytes they count, for other threads. */
  private volatile long shownBytes;

  /** What waits for it to begin. */
  private Runnable successor = () -> {};

  private boolean begun;
  private boolean removedAll;
  private boolean forgetting;
  private boolean retries;

  /** Whether it is given away, has been disposed of, or was abandoned. */
  private boolean over;

  /**
   * Prepares it. Any thread may call.
   *
   * @param deletedAtMillis when the queue was deleted, in ms since the epoch
   * @param end ends the queue, which comes here then
   */
  KeptMessages(LocalQueueState state, long deletedAtMillis, Runnable end) {
    this.state = state;
    this.machine = (ClassicQueueMachine) state.machine();
    this.shard = state.shard();
    this.deletedAtMillis = deletedAtMillis;
    this.end = end;
  }

  /** The queue has ended, and its consumers have gone: its messages leave it. */
  void begin() {
    if (begun || over) {
      return;
    }
    begun = true;
    removeSome();
    successor.run();
  }

  /** Returns whether what a move has locked is still in the queue. */
  boolean hasLocked() {
    return !begun && !over;
  }

  /**
   * Returns whether a queue may take it over: not before it is known whether what a move has locked
   * is elsewhere.
   *
   * @param later run when it may, if it may not now
   */
  boolean mayBeTakenOver(Runnable later) {
    if (hasLocked()) {
      end.run();
    }
    if (!hasLocked()) {
      return true;
    }
    successor = later;
    return false;
  }

  private void removeSome() {
    if (over) {
      return;
    }
    if (!removedAll && machine.removeDeleted(deletedAtMillis, state.now())) {
      shard.executeLater(this::removeSome);
      return;
    }
    removedAll = true;
    look();
    shownBytes = bytes();
  }

  /** Lets go what cannot be brought back any more, and at last all. */
  private void look() {
    if (over || !removedAll) {
      return;
    }
    long now = state.now();
    long next = machine.letGo(now);
    shownBytes = bytes();
    long last = Deadlines.after(deletedAtMillis, machine.settings().recoverable().windowMillis());
    if (last > now) {
      state.queue().partition().time().schedule(this, Math.min(next, last));
    } else if (!forgetting) {
      forget();
    }
  }

  private void forget() {
    Partition partition = state.queue().partition();
    if (!partition.mayEndLeases()) {
      retryLater();
      return;
    }
    CompletableFuture<Void> forgotten = state.queue().vhost().forget(state.queue());
    forgetting = true;
    forgotten.exceptionally(
        failure -> {
          shard.runOrExecute(
              () -> {
                forgetting = false;
                retryLater();
              });
          return null;
        });
  }

  private void retryLater() {
    if (!retries) {
      retries = true;
      shard.loop().schedule(() -> shard.run(this::retry), RETRY_MILLIS);
    }
  }

  private void retry() {
    retries = false;
    look();
  }

  @Override
  protected void fire(long nowMillis) {
    look();
  }

  /** The settings of the queue may have changed. */
  void applyPolicies() {
    Queue queue = state.queue();
    QueueSettings changed = queue.vhost().settingsOf(queue.definition());
    if (!over && !changed.equals(machine.settings())) {
      machine.reconfigureDeleted(changed);
      look();
    }
  }

  /** Returns how many messages can be brought back, whatever they left for, and their bodies. */
  QueueTotals totals() {
    return over ? QueueTotals.NONE : machine.removedTotals();
  }

  /** Returns the scheduled messages, which come back with the queue. */
  QueueTotals scheduled() {
    return over ? QueueTotals.NONE : state.hidden().scheduled();
  }

  /** Returns the dead letters that wait, which come back with the queue. */
  QueueTotals waiting() {
    return over ? QueueTotals.NONE : state.hidden().waiting();
  }

  /** Returns how many bytes they count. */
  long bytes() {
    return over ? 0 : machine.removedBytes();
  }

  /** Returns how many bytes they have counted lately. Any thread may call. */
  long shownBytes() {
    return shownBytes;
  }

  /** Lets the ones go that have left first, slice by slice, so that so many bytes become free. */
  void letOldestGo(long bytes) {
    if (!over && removedAll) {
      long left = machine.letOldestGo(bytes);
      shownBytes = bytes();
      if (left > 0) {
        shard.executeLater(() -> letOldestGo(left));
      }
    }
  }

  /**
   * Counts what would come back.
   *
   * @return what became of it; fails with 404 if the queue is forgotten, or brought back, meanwhile
   */
  CompletableFuture<Restoration.Report> count() {
    CompletableFuture<Restoration.Report> counted = new CompletableFuture<>();
    if (!begun && !over) {
      end.run();
    }
    count(machine.restoration(Restoration.Choice.ofDeleted(true)), counted);
    return counted;
  }

  private void count(Restoration restoration, CompletableFuture<Restoration.Report> counted) {
    if (over) {
      counted.completeExceptionally(
          new Preconditions(state.queue().vhost().name()).noQueue(state.queue().name()));
    } else if (!removedAll
        || machine.restore(restoration, state.now(), state.queue().partition().store()::move)) {
      shard.executeLater(() -> count(restoration, counted));
    } else {
      counted.complete(restoration.report().withDeleted(waiting().messages()));
    }
  }

  /** Returns the machine, for the one that takes it over. Any thread may call. */
  ClassicQueueMachine machine() {
    return machine;
  }

  /** Returns the queues beside the queue, for the one that takes them over. */
  HiddenQueues hidden() {
    return state.hidden();
  }

  /**
   * Gives all away to a queue that takes the place of the deleted one. What has not left yet leaves
   * at once: that is little, unless a queue with very many messages is brought back within moments.
   */
  void give() {
    if (!begun) {
      end.run();
      begin();
    }
    while (!removedAll) {
      removedAll = !machine.removeDeleted(deletedAtMillis, state.now());
    }
    stop();
    state.keptIsOver();
  }

  /** Nothing can be brought back any more: all goes, millions of messages some at a time. */
  void dispose() {
    if (!begun) {
      end.run();
      begin();
    }
    if (!over) {
      stop();
      disposeSome();
    }
  }

  private void disposeSome() {
    if (machine.disposeSome() || state.hidden().disposeSome()) {
      shard.executeLater(this::disposeSome);
    } else {
      machine.dispose();
      state.hidden().dispose();
    }
  }

  /** Stops, and leaves everything in the log. */
  void stop() {
    over = true;
    shard.timers().cancel(this);
  }

  @Override
  public String toString() {
    return state.queue().toString();
  }
}
