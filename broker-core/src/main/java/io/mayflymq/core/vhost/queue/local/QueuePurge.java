package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.Purge;
import io.mayflymq.core.vhost.deadletter.WaitingDeadLetters;
import java.util.concurrent.CompletableFuture;

/** Removes all ready messages of a queue, and all of its dead letters that wait. */
final class QueuePurge {
  private final LocalQueueState state;
  private final ClassicQueueMachine messages;
  private final Purge ready;
  private final WaitingDeadLetters waiting;

  /** Removes the dead letters; null if they can be brought back. */
  private final Purge dead;

  private final long end;
  private long kept;

  private QueuePurge(LocalQueueState state, ClassicQueueMachine messages) {
    this.state = state;
    this.messages = messages;
    this.ready = messages.purge();
    this.waiting = state.hidden().waitingDeadLetters();
    this.dead = messages.keepsPurged() ? null : waiting.purge();
    this.end = waiting.end();
  }

  /**
   * Begins, within a burst of the queue's shard.
   *
   * @return how many ready messages and dead letters there were
   */
  static CompletableFuture<Long> of(LocalQueueState state, ClassicQueueMachine messages) {
    if (!state.hidden().hasWaiting()) {
      Purge ready = messages.purge();
      return SlicedTask.of(state, () -> ready.step(state.now()), ready::removed);
    }
    QueuePurge purge = new QueuePurge(state, messages);
    return SlicedTask.of(state, purge::step, purge::removed);
  }

  /** Removes a slice. @return whether there is more to do */
  private boolean step() {
    boolean more = ready.step(state.now()) || stepOfDead();
    waiting.purged();
    return more;
  }

  private boolean stepOfDead() {
    if (dead != null) {
      return dead.step(state.now());
    }
    int removed = waiting.purgeInto(messages, end);
    kept += removed;
    return removed > 0;
  }

  private long removed() {
    return ready.removed() + kept + (dead == null ? 0 : dead.removed());
  }
}
