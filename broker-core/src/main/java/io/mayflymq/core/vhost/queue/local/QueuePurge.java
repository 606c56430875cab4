package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.Purge;
import java.util.concurrent.CompletableFuture;

/** Removes all ready messages of a queue, and all of its dead letters that wait. */
final class QueuePurge {
  private QueuePurge() {}

  /**
   * Begins, within a burst of the queue's shard.
   *
   * @return how many ready messages and dead letters there were
   */
  static CompletableFuture<Long> of(LocalQueueState state, ClassicQueueMachine messages) {
    Purge ready = messages.purge();
    Purge dead = state.hidden().purgeOfWaiting();
    if (dead == null) {
      return SlicedTask.of(state, () -> ready.step(state.now()), ready::removed);
    }
    return SlicedTask.of(
        state,
        () -> {
          boolean more = ready.step(state.now()) || dead.step(state.now());
          state.hidden().waitingPurged();
          return more;
        },
        () -> ready.removed() + dead.removed());
  }
}
