package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpirationTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1",
    "60000, 60000",
    "+5, 5",
    "+0, 0",
    "-0, 0",
    "007, 7",
    "000000000000000000000000000042, 42",
    "+000000000000000000000000000042, 42",
    "-000000000000000000000000000000, 0",
    "315360000000, 315360000000",
    "000000000315360000000, 315360000000"
  })
  void expirationAcceptsWhatErlangAccepts(String text, long millis) {
    assertThat(parse(text)).isEqualTo(millis);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | no_integer",
        "'abc' | no_integer",
        "' 5' | no_integer",
        "'+' | no_integer",
        "'-' | no_integer",
        "'+-5' | no_integer",
        "'--5' | no_integer",
        "'.5' | no_integer",
        "'10x' | {leftover_string,\"x\"}",
        "'10 ' | {leftover_string,\" \"}",
        "'1.5' | {leftover_string,\".5\"}",
        "'-1x' | {leftover_string,\"x\"}",
        "'1e3' | {leftover_string,\"e3\"}",
        "'99999999999999999999999x' | {leftover_string,\"x\"}",
        "'-1' | {value_negative,-1}",
        "'-01' | {value_negative,-1}",
        "'-315360000001' | {value_negative,-315360000001}",
        "'-99999999999999999999' | {value_negative,-99999999999999999999}",
        "'315360000001' | {value_too_large,315360000001}",
        "'+315360000001' | {value_too_large,315360000001}",
        "'0315360000001' | {value_too_large,315360000001}",
        "'9223372036854775808' | {value_too_large,9223372036854775808}",
        "'18446744073709551616' | {value_too_large,18446744073709551616}",
        "'100000000000000000000000000000' | {value_too_large,100000000000000000000000000000}"
      })
  void invalidExpirationIsRefusedWithErlangsReason(String text, String reason) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOfSatisfying(
            ChannelException.class,
            refused -> {
              assertThat(refused.code()).isEqualTo(ReplyCode.PRECONDITION_FAILED);
              assertThat(refused.detail())
                  .isEqualTo("invalid expiration '%s': %s".formatted(text, reason));
            });
  }

  @Property(tries = 300)
  void expirationIsReadAtAnyOffsetOfTheBuffer(
      @ForAll @LongRange(min = 0, max = QueueArguments.MAX_MILLIS) long millis,
      @ForAll @IntRange(max = 5) int before,
      @ForAll @IntRange(max = 5) int after) {
    String digits = Long.toString(millis);
    byte[] buffer =
        ("1".repeat(before) + digits + "1".repeat(after)).getBytes(StandardCharsets.US_ASCII);

    assertThat(Expiration.parse(buffer, before, digits.length())).isEqualTo(millis);
  }

  private static long parse(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return Expiration.parse(bytes, 0, bytes.length);
  }
}
