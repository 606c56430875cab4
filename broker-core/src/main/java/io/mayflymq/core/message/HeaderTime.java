package io.mayflymq.core.message;

import io.mayflymq.protocol.types.FieldValue;
import java.util.regex.Pattern;

/**
 * A time in a header of a message: it does not depend on when the message arrived in a queue, and
 * so holds in every queue that it passes.
 */
public final class HeaderTime {
  /** What stands for no time. */
  public static final long NONE = Long.MAX_VALUE;

  /** So many digits always fit into a long. */
  private static final Pattern DIGITS = Pattern.compile("[0-9]{1,18}");

  private HeaderTime() {}

  /**
   * Returns the time.
   *
   * @param header the name of the header: an integer or a text of digits in ms since the epoch, or
   *     a timestamp of AMQP
   * @return in ms since the epoch; {@link #NONE} if there is none, or it is no time
   */
  public static long of(Message message, String header) {
    return of(message.headers().get(header));
  }

  /** Returns the time that a value is, as in {@link #of(Message, String)}; null is none. */
  static long of(FieldValue value) {
    if (value instanceof FieldValue.Timestamp time) {
      long seconds = time.seconds();
      return seconds < 0 || seconds > NONE / 1000 ? NONE : seconds * 1000;
    }
    if (value instanceof FieldValue.LongString text) {
      String digits = text.string();
      return DIGITS.matcher(digits).matches() ? Long.parseLong(digits) : NONE;
    }
    return value != null && value.isInteger() && value.longValue() >= 0 ? value.longValue() : NONE;
  }
}
