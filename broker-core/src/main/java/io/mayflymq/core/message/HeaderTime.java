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

  /** What stands for it and all later times. */
  private static final long LATEST = NONE - 1;

  private static final Pattern DIGITS = Pattern.compile("[0-9]+");

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
      return seconds < 0 ? NONE : seconds > LATEST / 1000 ? LATEST : seconds * 1000;
    }
    if (value instanceof FieldValue.LongString text) {
      String digits = text.string();
      return DIGITS.matcher(digits).matches() ? millis(digits) : NONE;
    }
    return value != null && value.isInteger() && value.longValue() >= 0
        ? Math.min(value.longValue(), LATEST)
        : NONE;
  }

  private static long millis(String digits) {
    try {
      return Math.min(Long.parseLong(digits), LATEST);
    } catch (NumberFormatException tooLarge) {
      return LATEST;
    }
  }
}
