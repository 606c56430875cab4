package io.mayflymq.core.queue.consumer;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.ClassicQueueMachine;

/**
 * Where a consumer's messages go: its channel, seen from the queue. Called on the queue's shard
 * only.
 *
 * <p>Backpressure is here: a queue asks for room before each message. Where there is none it takes
 * the consumer out of the round, and {@link ClassicQueueMachine#resume} brings it back when the
 * channel can take more.
 */
public interface ConsumerTarget {
  /**
   * Reserves room for one message.
   *
   * @return false if the connection cannot be written to at the moment, or the channel's prefetch
   *     limit is reached
   */
  boolean reserve(Consumer consumer);

  /**
   * Hands a message over; room was reserved.
   *
   * @param sequence the message's number in the queue, to settle it by; -1 if it needs no
   *     settlement
   * @param redelivered whether it may have been delivered before
   */
  void deliver(Consumer consumer, long sequence, Message message, boolean redelivered);

  /** Tells that the queue has gone, and the consumer with it. */
  void cancelled(Consumer consumer);
}
