package io.mayflymq.server.delivery;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.consumer.Consumer;

/** A channel, as what takes messages for its consumers. Called on its connection's loop. */
public interface DeliveryReceiver {
  /**
   * Takes a message and writes it to the client.
   *
   * @param source the queue and consumer
   * @param sequence the message's number in the queue, or -1 if it needs no settlement
   */
  void deliver(DeliverySource source, long sequence, Message message, boolean redelivered);

  /** The queue of a consumer has gone. */
  void cancelled(Consumer consumer);

  /** Which channel it is. Any thread may ask. */
  ChannelIdentity identity();

  /** The limit that the channel's consumers share, or null. Any thread may ask. */
  ChannelPrefetch credit();
}
