package io.mayflymq.server.channel;

import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.TimeoutAction;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.vhost.queue.Queue;

/**
 * The queue and the consumer of a delivery; its settlement goes there. Compared by object identity:
 * there is one for each consumer. Used on the connection's loop only.
 */
final class DeliverySource {
  private final Queue queue;
  private final Consumer consumer;
  private final boolean fetched;
  private boolean ended;

  /** Null before the first delivery. */
  private Counters counters;

  /**
   * Describes a source.
   *
   * @param queue the queue
   * @param consumer the consumer; for {@code basic.get} one that never joined the queue
   * @param fetched whether it is {@code basic.get}, which no prefetch limit counts
   */
  public DeliverySource(Queue queue, Consumer consumer, boolean fetched) {
    this.queue = queue;
    this.consumer = consumer;
    this.fetched = fetched;
  }

  /** Returns the queue. */
  public Queue queue() {
    return queue;
  }

  /** Returns the consumer. */
  public Consumer consumer() {
    return consumer;
  }

  /** Lets the queue deliver to the consumer, if there is room now. Any thread may call. */
  public void resume() {
    queue.shard().execute(() -> queue.onShard().resume(consumer));
  }

  /** Returns whether it is {@code basic.get}. */
  public boolean fetched() {
    return fetched;
  }

  /**
   * Returns how long a delivery may stay unacknowledged, in ms: the consumer's timeout, or else its
   * queue's; {@link QueueSettings#NONE} if neither has one.
   */
  public long timeoutMillis() {
    return consumer.timeoutMillis(queue.settings());
  }

  /** Returns what happens when it stays longer. */
  public TimeoutAction timeoutAction() {
    return queue.settings().deliveries().timeoutAction();
  }

  /** Returns where its deliveries are counted by their queue; null before the first of them. */
  public Counters counters() {
    return counters;
  }

  /** Sets where its deliveries are counted by their queue. */
  public void countIn(Counters ofQueue) {
    counters = ofQueue;
  }

  /**
   * Ends the source, as the broker has cancelled the consumer: deliveries still in transit are
   * requeued.
   */
  public void end() {
    ended = true;
  }

  /** Returns whether {@link #end} was called. */
  public boolean hasEnded() {
    return ended;
  }
}
