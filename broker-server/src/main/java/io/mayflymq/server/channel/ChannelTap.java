package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;

/**
 * Takes what a channel would send of messages to its client, which is within the broker. Called on
 * the connection's loop.
 */
public interface ChannelTap {
  /** A consumer of the channel gets a message. */
  void deliver(long deliveryTag, Message message);

  /** What was published up to a number, or only that, was taken or refused. */
  void settled(long number, boolean multiple, boolean taken);

  /** The message that is being published has no queue. */
  void returned();
}
