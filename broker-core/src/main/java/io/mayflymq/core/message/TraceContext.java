package io.mayflymq.core.message;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.RawProperties;
import java.nio.charset.StandardCharsets;

/**
 * The trace context that a message carries in its headers, as clients that are instrumented send
 * it. Source: W3C, "Trace Context".
 */
public final class TraceContext {
  /** The header that says which span the message belongs to. */
  public static final String PARENT = "traceparent";

  private static final byte[] PARENT_KEY = PARENT.getBytes(StandardCharsets.US_ASCII);

  private TraceContext() {}

  /** Returns whether a message carries one. Decodes nothing. */
  public static boolean isIn(Message message) {
    return RawProperties.hasHeader(message.content(), PARENT_KEY);
  }

  /**
   * Returns the text of a header of the context; null if it is absent or no text.
   *
   * @param headers those of a message
   * @param name {@link #PARENT} or another one
   */
  public static String text(FieldTable headers, String name) {
    FieldValue value = headers.get(name);
    if (value instanceof FieldValue.LongString text) {
      return text.string();
    }
    return value instanceof FieldValue.Binary bytes
        ? new String(bytes.bytes(), StandardCharsets.US_ASCII)
        : null;
  }

  /** Returns the same message as one that belongs to another span. */
  public static Message with(Message message, String parent) {
    BasicProperties properties = message.properties();
    FieldTable headers = properties.headers() == null ? FieldTable.EMPTY : properties.headers();
    FieldValue value = FieldValue.LongString.of(parent.getBytes(StandardCharsets.US_ASCII));
    return message.publishedAs(
        message.exchange(),
        message.routingKey(),
        properties.toBuilder().headers(headers.with(PARENT, value)).build());
  }
}
