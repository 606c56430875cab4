package io.mayflymq.core.message;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayList;
import java.util.List;

/**
 * The routing keys that a publisher adds in the {@code CC} and {@code BCC} headers.
 *
 * <p>Source: RabbitMQ, "Sender-selected Distribution". Both must be arrays; what is no long string
 * in them counts as absent, as RabbitMQ 4.3.6 was seen to do.
 */
public final class SenderSelectedKeys {
  /** The header that is visible to consumers. */
  public static final String CC = "CC";

  /** The header that is removed before routing. */
  public static final String BCC = "BCC";

  private SenderSelectedKeys() {}

  /**
   * Returns the keys of one of the two headers of a message that is being published.
   *
   * @throws ChannelException 406 if the header exists but is no array
   */
  public static List<String> require(FieldTable headers, String header) {
    FieldValue value = headers.get(header);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof FieldValue.Array array)) {
      throw unacceptable(header, value);
    }
    return texts(array);
  }

  /**
   * Returns the {@code CC} keys of a message that was accepted before; a malformed header counts as
   * absent.
   */
  public static List<String> carbonCopies(FieldTable headers) {
    return headers.get(CC) instanceof FieldValue.Array array ? texts(array) : List.of();
  }

  private static List<String> texts(FieldValue.Array array) {
    List<String> keys = new ArrayList<>(array.values().size());
    for (FieldValue key : array.values()) {
      if (key instanceof FieldValue.LongString text) {
        keys.add(text.string());
      }
    }
    return keys;
  }

  private static ChannelException unacceptable(String header, FieldValue value) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        "invalid message: {unacceptable_type_in_header,\"%s\",%s}"
            .formatted(header, value.rabbitTypeName()));
  }
}
