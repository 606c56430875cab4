package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.Shard;
import java.util.concurrent.CompletableFuture;

/**
 * Removes a consumer from its queue when its channel has ended.
 *
 * <p>Of a queue with a single active consumer the next one gets what the last one had before later
 * messages: the consumer is stopped first, what it had is put back, also what was on its way to it,
 * and then it is cancelled. From other queues it is removed at once: each of several active
 * consumers has got other messages than the others, so what goes back is in no order with those.
 */
public final class ConsumerExit {
  private final Queue queue;
  private final Consumer consumer;

  /** Null if it is cancelled at once. */
  private final CompletableFuture<Void> stopped;

  private final CompletableFuture<Void> cancelled;

  private ConsumerExit(Queue queue, Consumer consumer) {
    this.queue = queue;
    this.consumer = consumer;
    boolean ordered = isOrdered(queue, consumer);
    this.stopped = ordered ? queue.requests().stop(consumer) : null;
    this.cancelled = ordered ? null : queue.requests().cancel(consumer);
  }

  /** Returns whether the order of messages depends on how a consumer leaves. */
  public static boolean isOrdered(Queue queue, Consumer consumer) {
    return consumer.acknowledges() && queue.settings().singleActiveConsumer();
  }

  /** Lets a consumer have no more messages. What it had is to be put back then. */
  public static ConsumerExit begin(Queue queue, Consumer consumer) {
    return new ConsumerExit(queue, consumer);
  }

  /**
   * Cancels the consumer, once nothing is on its way to it any more.
   *
   * @param home the shard that gets its messages, and puts back what still arrives
   * @param flush hands over what was put back; called there
   * @return done when it is cancelled
   */
  public CompletableFuture<Void> finish(Shard home, Runnable flush) {
    if (stopped == null) {
      return cancelled;
    }
    CompletableFuture<Void> arrived = new CompletableFuture<>();
    // Behind what the queue's shard hands over in its present burst.
    stopped.whenComplete(
        (done, failure) -> queue.shard().execute(() -> home.execute(() -> arrived.complete(null))));
    return arrived.thenCompose(
        nothing -> {
          flush.run();
          return queue.requests().cancel(consumer);
        });
  }
}
