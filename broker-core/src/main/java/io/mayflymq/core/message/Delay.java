package io.mayflymq.core.message;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.Int64Header;
import io.mayflymq.protocol.types.ReplyCode;
import java.time.Duration;

/**
 * The delay that a message requests from a delayed exchange: the header {@code x-delay}, in ms, or
 * {@code x-deliver-at}, a time. The exchange negates the first when it routes the message, so that
 * no other exchange delays the message again; the second stays as it is, since a time that is over
 * delays nothing.
 *
 * <p>Source: RabbitMQ's Delayed Message Plugin, for {@code x-delay}.
 */
public final class Delay {
  /** The header with a delay. */
  public static final String HEADER = "x-delay";

  /** The header with a time; see {@link HeaderTime}. */
  public static final String TIME_HEADER = "x-deliver-at";

  /** The longest delay in ms: ten years, with three leap days. */
  public static final long LONGEST_MILLIS = Duration.ofDays(3653).toMillis();

  private static final Int64Header NEGATED = new Int64Header(HEADER);

  private Delay() {}

  /**
   * Returns how long a message with these headers is to be delayed, in ms: a positive number, or 0
   * for no delay; with both headers until the later time. A delay may be an integer of any type, a
   * text of digits, or a fraction, which is truncated; any other value means no delay.
   *
   * @param nowMillis the time, in ms since the epoch
   */
  public static long of(FieldTable headers, long nowMillis) {
    return Math.max(asked(headers), until(HeaderTime.of(headers.get(TIME_HEADER)), nowMillis));
  }

  private static long asked(FieldTable headers) {
    FieldValue value = headers.get(HEADER);
    return value == null ? 0 : Math.max(0, millis(value));
  }

  /**
   * Returns for how long a message waits for a time, in ms; 0 if that is over or no time.
   *
   * @param atMillis in ms since the epoch, or {@link HeaderTime#NONE}
   */
  public static long until(long atMillis, long nowMillis) {
    return atMillis == HeaderTime.NONE ? 0 : Math.max(0, atMillis - nowMillis);
  }

  /**
   * Refuses a delay that is too long.
   *
   * @param header the one that asks for it, of the name as it is in messages
   * @throws ChannelException 406
   */
  public static void check(String header, long delayMillis) {
    if (delayMillis > LONGEST_MILLIS) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "invalid header '%s': %d ms is more than the longest delay, %d ms"
              .formatted(header, delayMillis, LONGEST_MILLIS));
    }
  }

  /** Does the same for a message behind a delayed exchange, whose delay is too long. */
  public static void check(FieldTable headers, long nowMillis) {
    check(HEADER, asked(headers));
    check(TIME_HEADER, until(HeaderTime.of(headers.get(TIME_HEADER)), nowMillis));
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

  /** Returns the message as its queues get it after its delay. */
  public static Message over(Message message) {
    long asked = asked(message.headers());
    return asked > 0 ? message.with(NEGATED, -asked) : message;
  }
}
