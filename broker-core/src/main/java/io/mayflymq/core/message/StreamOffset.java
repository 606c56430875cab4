package io.mayflymq.core.message;

import io.mayflymq.protocol.types.Int64Header;

/**
 * The offset of a message in a stream, sent to consumers in a header: an integer of 64 bits.
 *
 * <p>Source: RabbitMQ, "Streams", section "Consuming".
 */
public final class StreamOffset {
  /** The header, and the argument of {@code basic.consume} that sets where to begin. */
  public static final String HEADER = "x-stream-offset";

  private static final Int64Header OFFSET = new Int64Header(HEADER);

  private StreamOffset() {}

  /** Returns the message with its offset in the stream; the original is not changed. */
  public static Message of(Message message, long offset) {
    return message.with(OFFSET, offset);
  }
}
