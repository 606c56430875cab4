package io.mayflymq.core.message;

import io.mayflymq.protocol.types.FieldValue;

/**
 * How often a message has come back from consumers, told to the next one in a header: an integer of
 * 64 bits, absent at the first delivery.
 *
 * <p>Source: RabbitMQ, "Quorum Queues", section "Poison Message Handling".
 */
public final class DeliveryCount {
  /** The header. */
  public static final String HEADER = "x-delivery-count";

  private DeliveryCount() {}

  /** The message as it is delivered after so many returns; the message itself stays as it is. */
  public static Message of(Message message, int returns) {
    return message.withProperties(
        message.properties().toBuilder()
            .headers(message.headers().with(HEADER, new FieldValue.Int64(returns)))
            .build());
  }
}
