package io.mayflymq.core.policy;

import java.util.Map;
import java.util.OptionalLong;

/**
 * How old the messages of a stream may be: a number and a unit, as in {@code 7D}.
 *
 * <p>Source: RabbitMQ, "Streams", section "Data Retention". A year has 365 days, a month 30.
 */
public final class MaxAge {
  static final String PATTERN = "[0-9]+[YMDhms]";

  private static final Map<Character, Long> UNITS =
      Map.of(
          'Y', 31_536_000_000L,
          'M', 2_592_000_000L,
          'D', 86_400_000L,
          'h', 3_600_000L,
          'm', 60_000L,
          's', 1_000L);

  /** More digits would exceed any reasonable age. */
  private static final int MOST_DIGITS = 18;

  private MaxAge() {}

  /** Parses an age in ms, 0 or more; empty if the text is not valid. */
  public static OptionalLong millis(String text) {
    if (!text.matches(PATTERN)) {
      return OptionalLong.empty();
    }
    int digits = text.length() - 1;
    long unit = UNITS.get(text.charAt(digits));
    if (digits > MOST_DIGITS) {
      return OptionalLong.of(Long.MAX_VALUE);
    }
    long number = Long.parseLong(text.substring(0, digits));
    return OptionalLong.of(number > Long.MAX_VALUE / unit ? Long.MAX_VALUE : number * unit);
  }
}
