package io.mayflymq.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.FieldValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times in headers. */
class HeaderTimeTest {
  private static final long LATEST = Long.MAX_VALUE - 1;

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1767225600000, 1767225600000",
    "000000000001767225600000, 1767225600000",
    "9223372036854775806, 9223372036854775806",
    "9223372036854775807, 9223372036854775806",
    "9223372036854775808, 9223372036854775806",
    "99999999999999999999999999, 9223372036854775806"
  })
  void textOfDigitsIsATimeHoweverLongItIs(String digits, long expected) {
    assertThat(HeaderTime.of(FieldValue.of(digits))).isEqualTo(expected);
  }

  @Test
  void largestNumberIsTheLatestTimeAndNotNone() {
    assertThat(HeaderTime.of(new FieldValue.Int64(Long.MAX_VALUE))).isEqualTo(LATEST);
    assertThat(HeaderTime.of(new FieldValue.Timestamp(Long.MAX_VALUE))).isEqualTo(LATEST);
    assertThat(Delay.until(LATEST, 0)).isGreaterThan(Delay.LONGEST_MILLIS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "+1", " 1", "1.0", "tomorrow"})
  void otherTextsAreNoTime(String text) {
    assertThat(HeaderTime.of(FieldValue.of(text))).isEqualTo(HeaderTime.NONE);
  }
}
