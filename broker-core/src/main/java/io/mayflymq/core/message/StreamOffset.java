package io.mayflymq.core.message;

import io.mayflymq.protocol.types.Int64Header;

/**
 * Where in a stream a message is, told to consumers in a header: an integer of 64 bits.
 *
 * <p>Source: RabbitMQ, "Streams", section "Consuming".
 */
public final class StreamOffset {
  /** The header, and the argument of {@code basic.consume} that says where to begin. */
  public static final String HEADER = "x-stream-offset";

  private static final Int64Header OFFSET = new Int64Header(HEADER);

  private StreamOffset() {}

  /** The message as it is in the stream; the message itself stays as it is. */
  public static Message of(Message message, long offset) {
    return message.with(OFFSET, offset);
  }
}
