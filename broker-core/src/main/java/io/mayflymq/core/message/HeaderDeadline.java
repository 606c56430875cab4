package io.mayflymq.core.message;

import io.mayflymq.protocol.types.FieldValue;
import java.util.regex.Pattern;

/**
 * The deadline that a message carries in a header: a time, which does not depend on when it arrived
 * in a queue, and so holds in every queue that it passes.
 */
public final class HeaderDeadline {
  /** So many digits always fit into a long. */
  private static final Pattern DIGITS = Pattern.compile("[0-9]{1,18}");

  private HeaderDeadline() {}

  /**
   * Returns the deadline.
   *
   * @param header the name of the header: an integer or a text of digits in ms since the epoch, or
   *     a timestamp of AMQP
   * @return in ms since the epoch; {@link Long#MAX_VALUE} if there is none, or it is no time
   */
  public static long of(Message message, String header) {
    FieldValue value = message.headers().get(header);
    if (value instanceof FieldValue.Timestamp time) {
      long seconds = time.seconds();
      return seconds < 0 || seconds > Long.MAX_VALUE / 1000 ? Long.MAX_VALUE : seconds * 1000;
    }
    if (value instanceof FieldValue.LongString text) {
      String digits = text.string();
      return DIGITS.matcher(digits).matches() ? Long.parseLong(digits) : Long.MAX_VALUE;
    }
    return value != null && value.isInteger() && value.longValue() >= 0
        ? value.longValue()
        : Long.MAX_VALUE;
  }
}
