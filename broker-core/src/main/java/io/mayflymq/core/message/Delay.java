package io.mayflymq.core.message;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.Int64Header;
import java.time.Duration;

/**
 * How long a message asks to be held back on its way through a delayed exchange: the header {@code
 * x-delay}, in ms. Once the exchange has taken it the header is negative, so that no other exchange
 * delays the message again.
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
   * How long a message with these headers is to be delayed, in ms: a positive number, or 0 for not
   * at all. The number may be an integer of any type, a text of digits, or a fraction, which is cut
   * off; any other value asks for nothing.
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

  /** The message as its queues get it when it has been delayed for so long. */
  public static Message over(Message message, long delayMillis) {
    return message.with(NEGATED, -delayMillis);
  }
}
