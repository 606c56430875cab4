package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Map;

/**
 * Which ready messages of a queue are meant: those for which all of it holds.
 *
 * @param sequence the number of the message in the queue; negative for any
 * @param olderThanMillis how long it has been in the queue at least, in ms; 0 for any time
 * @param messageId its message id; null for any
 * @param headers headers that it has, with their values as texts
 * @param most no more than so many, in the order in which they arrived
 */
public record MessageChoice(
    long sequence, long olderThanMillis, String messageId, Map<String, String> headers, long most) {
  /** Says that the number does not matter. */
  public static final long ANY = -1;

  /** Returns whether contents have to be read to tell. */
  public boolean looksInside() {
    return messageId != null || !headers.isEmpty();
  }

  /** Returns whether what is inside of a message is as wanted. */
  public boolean matches(Message message) {
    if (messageId != null && !messageId.equals(message.properties().messageId())) {
      return false;
    }
    if (headers.isEmpty()) {
      return true;
    }
    FieldTable given = message.headers();
    return headers.entrySet().stream()
        .allMatch(
            wanted ->
                given.containsKey(wanted.getKey())
                    && wanted.getValue().equals(text(given.get(wanted.getKey()))));
  }

  /** A whole number, a truth value and a text are what they look like. */
  private static String text(FieldValue value) {
    if (value instanceof FieldValue.LongString text) {
      return text.string();
    } else if (value instanceof FieldValue.Bool flag) {
      return String.valueOf(flag.value());
    }
    return value.isInteger() ? String.valueOf(value.longValue()) : String.valueOf(value);
  }
}
