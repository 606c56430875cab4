package io.mayflymq.server.delivery;

import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.vhost.Queue;

/**
 * Where a delivery came from, which is where its settlement goes. Compared by identity: there is
 * one for each consumer.
 */
public final class DeliverySource {
  private final Queue queue;
  private final Consumer consumer;
  private final boolean fetched;

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

  /** The queue. */
  public Queue queue() {
    return queue;
  }

  /** The consumer. */
  public Consumer consumer() {
    return consumer;
  }

  /** Whether it is {@code basic.get}. */
  public boolean fetched() {
    return fetched;
  }
}
