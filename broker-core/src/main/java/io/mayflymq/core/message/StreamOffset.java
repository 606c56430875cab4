package io.mayflymq.core.message;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;

/**
 * Where in a stream a message is, told to consumers in a header: an integer of 64 bits.
 *
 * <p>Source: RabbitMQ, "Streams", section "Consuming".
 */
public final class StreamOffset {
  /** The header, and the argument of {@code basic.consume} that says where to begin. */
  public static final String HEADER = "x-stream-offset";

  private StreamOffset() {}

  /** The message as it is in the stream; the message itself stays as it is. */
  public static Message of(Message message, long offset) {
    BasicProperties properties = message.properties();
    FieldTable headers = properties.headers() == null ? FieldTable.EMPTY : properties.headers();
    return message.withProperties(
        properties.toBuilder().headers(headers.with(HEADER, new FieldValue.Int64(offset))).build());
  }
}
