package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;

/** A channel as the receiver of messages for its consumers. Called on its connection's loop. */
interface DeliveryReceiver {
  /**
   * Takes a message and writes it to the client.
   *
   * @param source the queue and consumer
   * @param sequence the message's number in the queue, or -1 if it needs no settlement
   */
  void deliver(DeliverySource source, long sequence, Message message, boolean redelivered);

  /** Called when the queue of a consumer is deleted. */
  void cancelled(Consumer consumer);

  /** Called when the queue of a consumer has moved: the consumer is to join it at its new place. */
  void moved(Consumer consumer);

  /** Returns the identity of the channel. Any thread may call. */
  ChannelIdentity identity();

  /** Returns the limit that the channel's consumers share, or null. Any thread may call. */
  ChannelPrefetch credit();
}
