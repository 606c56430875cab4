package io.mayflymq.core.vhost;

import io.mayflymq.core.queue.MessageSource;
import io.mayflymq.core.queue.Purge;
import java.util.concurrent.CompletableFuture;

/** Removes all ready messages of a queue, and all of its dead letters that wait. */
final class QueuePurge {
  private QueuePurge() {}

  /**
   * Begins, within a burst of the queue's shard.
   *
   * @param waiting the dead letters that wait, or null if none ever did
   * @return how many ready messages and dead letters there were
   */
  static CompletableFuture<Long> of(
      Queue queue, MessageSource messages, WaitingDeadLetters waiting) {
    Purge ready = messages.purge();
    if (waiting == null) {
      return SlicedTask.of(queue, () -> ready.step(queue.shard().now()), ready::removed);
    }
    Purge dead = waiting.purge();
    return SlicedTask.of(
        queue,
        () -> {
          long now = queue.shard().now();
          boolean more = ready.step(now) || dead.step(now);
          waiting.purged();
          return more;
        },
        () -> ready.removed() + dead.removed());
  }
}
