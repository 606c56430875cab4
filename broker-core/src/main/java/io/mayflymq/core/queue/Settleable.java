package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;

/** A queue whose deliveries are settled by their consumers. Belongs to the queue's shard. */
public interface Settleable {
  /**
   * Acknowledges messages.
   *
   * @param consumer the consumer to which they were delivered
   * @param from the first sequence number
   * @param to the last sequence number
   */
  void acknowledge(Consumer consumer, long from, long to, long nowMillis);

  /**
   * Rejects messages. Other parameters as in {@link #acknowledge}.
   *
   * @param cause what rejects them
   */
  void reject(Consumer consumer, long from, long to, DropTrigger cause, long nowMillis);

  /** Requeues messages. Parameters as in {@link #acknowledge}. */
  void requeue(Consumer consumer, long from, long to, long nowMillis);

  /**
   * Requeues messages that the consumer failed to process. Parameters as in {@link #acknowledge}.
   */
  void fail(Consumer consumer, long from, long to, long nowMillis);

  /**
   * Returns messages that never reached the client: they are as they were before, neither marked as
   * redelivered nor counted as returned. Parameters as in {@link #acknowledge}.
   */
  void release(Consumer consumer, long from, long to, long nowMillis);
}
