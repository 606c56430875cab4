package io.mayflymq.core.policy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.nio.charset.StandardCharsets;

/**
 * The {@code expiration} property: a TTL in ms, written as text.
 *
 * <p>Source: RabbitMQ, "Time-To-Live and Expiration", section "Per-Message TTL in Publishers"; read
 * as Erlang's {@code string:to_integer} does, with its texts.
 */
public final class Expiration {
  private static final int MAX_DIGITS = 18;

  private Expiration() {}

  /**
   * Reads the property.
   *
   * @return the TTL in ms, 0 to {@link QueueArguments#MAX_MILLIS}
   * @throws ChannelException 406 if it is anything else
   */
  public static long parse(byte[] buffer, int offset, int length) {
    int end = offset + length;
    int start = offset;
    boolean negative = false;
    if (length > 0 && (buffer[offset] == '-' || buffer[offset] == '+')) {
      negative = buffer[offset] == '-';
      start++;
    }
    long value = 0;
    int digits = start;
    while (digits < end - 1 && buffer[digits] == '0' && isDigit(buffer[digits + 1])) {
      digits++;
    }
    int at = digits;
    while (at < end && isDigit(buffer[at])) {
      if (at - digits < MAX_DIGITS) {
        value = value * 10 + (buffer[at] - '0');
      }
      at++;
    }
    if (at == digits) {
      throw invalid(buffer, offset, length, "no_integer");
    }
    if (at < end) {
      throw invalid(
          buffer, offset, length, "{leftover_string,\"%s\"}".formatted(text(buffer, at, end - at)));
    }
    boolean huge = at - digits > MAX_DIGITS;
    if (negative && (value > 0 || huge)) {
      throw invalid(
          buffer,
          offset,
          length,
          "{value_negative,-%s}".formatted(text(buffer, digits, at - digits)));
    }
    if (huge || value > QueueArguments.MAX_MILLIS) {
      throw invalid(
          buffer,
          offset,
          length,
          "{value_too_large,%s}".formatted(text(buffer, digits, at - digits)));
    }
    return value;
  }

  private static boolean isDigit(byte character) {
    return character >= '0' && character <= '9';
  }

  private static ChannelException invalid(byte[] buffer, int offset, int length, String reason) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        "invalid expiration '%s': %s".formatted(text(buffer, offset, length), reason));
  }

  private static String text(byte[] buffer, int offset, int length) {
    return new String(buffer, offset, length, StandardCharsets.UTF_8);
  }
}
