package io.mayflymq.shovel.transfer;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;

/** How messages leave: what of their properties is kept, replaced and added. For one thread. */
@FunctionalInterface
public interface MessageForm {
  /**
   * Returns whether messages leave as they are, but for the header {@code CC}, which becomes {@code
   * x-original-cc}.
   */
  default boolean keepsProperties() {
    return false;
  }

  /**
   * Returns the properties of a message as it leaves; the same ones if nothing changes.
   *
   * @param envelope how the message has arrived
   * @param given its properties
   */
  BasicProperties of(Envelope envelope, BasicProperties given);
}
