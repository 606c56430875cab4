package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;

/**
 * Receives a consumer's messages: its channel, as the queue sees it. Called on the queue's shard
 * only.
 *
 * <p>This is where backpressure is applied: a queue asks for room before each delivery. If there is
 * none it takes the consumer out of the rotation, and {@link ClassicQueueMachine#resume} puts it
 * back when the channel can take more.
 */
public interface ConsumerTarget {
  /**
   * Reserves room for one message.
   *
   * @return false if the connection cannot be written to at the moment, the channel's prefetch
   *     limit is reached, or a rate of its client lets nothing more pass yet
   */
  boolean reserve(Consumer consumer);

  /**
   * Returns whether the room is shared with other consumers, so that messages should not be sent
   * ahead of it.
   */
  default boolean sharesRoom() {
    return false;
  }

  /**
   * Returns how many messages should be sent ahead of it, 1 or more, as a rate of its client bounds
   * what is delivered; {@link Integer#MAX_VALUE} if there is none.
   */
  default int mostAhead() {
    return Integer.MAX_VALUE;
  }

  /** Returns whether it gets fewer messages for a rate of its client, and not as that is slow. */
  default boolean isPaced() {
    return mostAhead() < Integer.MAX_VALUE;
  }

  /** Returns whether it has no room, as a rate of its client lets nothing pass yet. */
  default boolean awaitsTurn() {
    return false;
  }

  /**
   * Delivers a message for which room was reserved.
   *
   * @param sequence the message's number in the queue, to settle it by; -1 if it needs no
   *     settlement
   * @param redelivered whether it may have been delivered before
   */
  void deliver(Consumer consumer, long sequence, Message message, boolean redelivered);

  /**
   * Called when the deadlines of the queue's messages are about to change, also of those that were
   * delivered.
   */
  default void deadlinesChange() {}

  /** Called when the consumer becomes the single active one of its queue. */
  default void activated(Consumer consumer) {}

  /** Returns the channel that the messages go to; null if there is none. Any thread may call. */
  default ConsumerOrigin origin() {
    return null;
  }

  /**
   * Returns the name that the client has given its connection; empty if there is none. Any thread
   * may call.
   */
  default String clientName() {
    return "";
  }

  /**
   * Called when the queue has moved: the consumer gets no messages from here any more, and is to
   * join the queue at its new place.
   */
  default void moved(Consumer consumer) {}

  /** Called when the consumer was cancelled because its queue was deleted. */
  void cancelled(Consumer consumer);
}
