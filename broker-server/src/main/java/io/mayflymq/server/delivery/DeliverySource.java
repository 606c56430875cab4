package io.mayflymq.server.delivery;

import io.mayflymq.core.queue.consumer.Consumer;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.TimeoutAction;
import io.mayflymq.core.vhost.Queue;

/**
 * Where a delivery came from, which is where its settlement goes. Compared by identity: there is
 * one for each consumer. Belongs to the connection's loop.
 */
public final class DeliverySource {
  private final Queue queue;
  private final Consumer consumer;
  private final boolean fetched;
  private boolean ended;

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

  /**
   * How long a delivery may stay unacknowledged, in ms: as the consumer says, or else its queue;
   * {@link QueueSettings#NONE} if neither does.
   */
  public long timeoutMillis() {
    long own = consumer.timeoutMillis();
    return own == QueueSettings.NONE ? queue.settings().deliveries().timeoutMillis() : own;
  }

  /** What happens when it stays longer. */
  public TimeoutAction timeoutAction() {
    return queue.settings().deliveries().timeoutAction();
  }

  /** The broker has cancelled the consumer: what is still on its way to it goes back. */
  public void end() {
    ended = true;
  }

  /** Whether {@link #end} was called. */
  public boolean hasEnded() {
    return ended;
  }
}
