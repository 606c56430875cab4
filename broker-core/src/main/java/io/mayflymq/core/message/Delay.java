package io.mayflymq.core.message;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.Int64Header;
import java.time.Duration;

/**
 * The delay that a message requests from a delayed exchange: the header {@code x-delay}, in ms. The
 * exchange negates the header when it routes the message, so that no other exchange delays the
 * message again.
 *
 * <p>Source: RabbitMQ's Delayed Message Plugin.
 */
public final class Delay {
  /** The header. */
  public static final String HEADER = "x-delay";

  /** The longest delay in ms: ten years, with three leap days. */
  public static final long LONGEST_MILLIS = Duration.ofDays(3653).toMillis();

  private static final Int64Header NEGATED = new Int64Header(HEADER);

  private Delay() {}

  /**
   * Returns how long a message with these headers is to be delayed, in ms: a positive number, or 0
   * for no delay. The header may be an integer of any type, a text of digits, or a fraction, which
   * is truncated; any other value means no delay.
   */
  public static long of(FieldTable headers) {
    FieldValue value = headers.get(HEADER);
    return value == null ? 0 : Math.max(0, millis(value));
  }

  private static long millis(FieldValue value) {
    if (value.isInteger()) {
      return value.longValue();
    }
    if (value instanceof FieldValue.Float64 number) {
      return (long) number.value();
    }
    if (value instanceof FieldValue.Float32 number) {
      return (long) number.value();
    }
    if (value instanceof FieldValue.LongString text) {
      try {
        return Long.parseLong(text.string());
      } catch (NumberFormatException e) {
        return 0;
      }
    }
    return 0;
  }

  /** Returns the message as its queues get it after a delay of this length. */
  public static Message over(Message message, long delayMillis) {
    return message.with(NEGATED, -delayMillis);
  }
}
