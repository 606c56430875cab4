package io.mayflymq.core.message;

import io.mayflymq.protocol.types.Int64Header;

/**
 * How often a message has been returned by consumers, sent to the next consumer in a header: an
 * integer of 64 bits, absent at the first delivery.
 *
 * <p>Source: RabbitMQ, "Quorum Queues", section "Poison Message Handling".
 */
public final class DeliveryCount {
  /** The header. */
  public static final String HEADER = "x-delivery-count";

  private static final Int64Header COUNT = new Int64Header(HEADER);

  private DeliveryCount() {}

  /**
   * Returns the message as it is delivered after this number of returns; the original is not
   * changed.
   */
  public static Message of(Message message, int returns) {
    return message.with(COUNT, returns);
  }
}
