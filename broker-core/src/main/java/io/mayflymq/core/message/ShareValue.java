package io.mayflymq.core.message;

import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.RawProperties;

/**
 * Whose turn a message is in, where the values of a header share a queue: the text of that header.
 */
public final class ShareValue {
  /** What of a longer text counts, in characters, so that no value takes much memory. */
  public static final int MOST_CHARACTERS = 256;

  private ShareValue() {}

  /**
   * Returns the value of a message: a text, an integer and a boolean are told apart by their text
   * only.
   *
   * @param header the name of the header, encoded
   * @return null if the message has no such header, or one that has no text, such as a table
   */
  public static String of(Message message, byte[] header) {
    FieldValue value = RawProperties.header(message.content(), header);
    if (value instanceof FieldValue.LongString text) {
      String whole = text.string();
      return whole.length() > MOST_CHARACTERS ? whole.substring(0, MOST_CHARACTERS) : whole;
    }
    if (value instanceof FieldValue.Bool bool) {
      return Boolean.toString(bool.value());
    }
    return value != null && value.isInteger() ? Long.toString(value.longValue()) : null;
  }
}
