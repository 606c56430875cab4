package io.mayflymq.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeadersMatchTest {
  private static final FieldTable HEADERS =
      FieldTable.builder().put("a", "1").put("b", 2).put("x-c", "3").build();

  private static boolean matches(FieldTable arguments) {
    return HeadersMatch.of(arguments).matches(HEADERS);
  }

  private static FieldTable mode(String mode) {
    return FieldTable.builder().put("x-match", mode).build();
  }

  @ParameterizedTest
  @CsvSource({
    // mode, a, b, x-c matched against 1, 2, 3
    "all, 1, 2, 3, true",
    "all, 1, 2, 9, true",
    "all, 1, 9, 3, false",
    "any, 9, 2, 9, true",
    "any, 9, 9, 3, false",
    "all-with-x, 1, 2, 3, true",
    "all-with-x, 1, 2, 9, false",
    "any-with-x, 9, 9, 3, true",
    "any-with-x, 9, 9, 9, false",
  })
  void headersMatchFollowsItsMode(String mode, String a, int b, String xc, boolean expected) {
    FieldTable arguments = mode(mode).toBuilder().put("a", a).put("b", b).put("x-c", xc).build();
    assertThat(matches(arguments)).isEqualTo(expected);
  }

  @Test
  void headersMatchDefaultsToAll() {
    assertThat(matches(FieldTable.builder().put("a", "1").put("b", 2).build())).isTrue();
    assertThat(matches(FieldTable.builder().put("a", "1").put("b", 3).build())).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"all, true", "any, false", "all-with-x, true", "any-with-x, false"})
  void headersMatchWithoutArgumentsFollowsItsMode(String mode, boolean expected) {
    assertThat(matches(mode(mode))).isEqualTo(expected);
  }

  @Test
  void headersMatchWithoutArgumentsAndModeMatchesAnything() {
    assertThat(HeadersMatch.of(FieldTable.EMPTY).matches(FieldTable.EMPTY)).isTrue();
  }

  @Test
  void voidArgumentMatchesAnyValueOfTheHeader() {
    FieldTable.Builder arguments = FieldTable.builder().put("b", FieldValue.Void.INSTANCE);
    assertThat(matches(arguments.build())).isTrue();
    assertThat(matches(arguments.put("missing", FieldValue.Void.INSTANCE).build())).isFalse();
  }

  private static final FieldValue TEXT = FieldValue.of("1");

  static Stream<Arguments> pairs() {
    return Stream.of(
        Arguments.of(new FieldValue.Int8((byte) 1), new FieldValue.Int64(1), true),
        Arguments.of(new FieldValue.UInt8(200), new FieldValue.Int16((short) 200), true),
        Arguments.of(new FieldValue.Int8((byte) -56), new FieldValue.UInt8(200), false),
        Arguments.of(new FieldValue.Int32(1), new FieldValue.Float64(1), false),
        Arguments.of(new FieldValue.Int32(1), TEXT, false),
        Arguments.of(TEXT, new FieldValue.Int32(1), false),
        Arguments.of(new FieldValue.Float32(0.5f), new FieldValue.Float64(0.5), true),
        Arguments.of(new FieldValue.Float32(0.1f), new FieldValue.Float64(0.1), false),
        Arguments.of(TEXT, FieldValue.Binary.of(new byte[] {'1'}), true),
        Arguments.of(TEXT, FieldValue.Binary.of(new byte[] {'2'}), false),
        Arguments.of(TEXT, FieldValue.of("2"), false),
        Arguments.of(FieldValue.Bool.TRUE, FieldValue.Bool.of(true), true),
        Arguments.of(FieldValue.Bool.TRUE, FieldValue.Bool.FALSE, false),
        Arguments.of(FieldValue.Bool.TRUE, FieldValue.of("true"), false),
        Arguments.of(new FieldValue.Timestamp(7), new FieldValue.Timestamp(7), true),
        Arguments.of(new FieldValue.Timestamp(7), new FieldValue.Int64(7), true),
        Arguments.of(new FieldValue.Timestamp(7), new FieldValue.Int64(8), false),
        Arguments.of(new FieldValue.Int64(7), new FieldValue.Timestamp(7), false),
        Arguments.of(new FieldValue.Decimal(1, 5), new FieldValue.Decimal(1, 5), true),
        Arguments.of(
            new FieldValue.Array(List.of(TEXT)), new FieldValue.Array(List.of(TEXT)), true),
        Arguments.of(TEXT, FieldValue.Void.INSTANCE, false));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void headersMatchComparesValuesNotTypes(
      FieldValue argument, FieldValue header, boolean expected) {
    FieldTable arguments = FieldTable.builder().put("h", argument).build();
    FieldTable headers = FieldTable.builder().put("h", header).build();
    assertThat(HeadersMatch.of(arguments).matches(headers)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"all", "any", "all-with-x", "any-with-x"})
  void fourHeadersMatchModesAreAccepted(String mode) {
    assertThatCode(() -> HeadersMatch.validate(mode(mode))).doesNotThrowAnyException();
  }

  @Test
  void absentHeadersMatchModeIsAccepted() {
    assertThatCode(() -> HeadersMatch.validate(FieldTable.EMPTY)).doesNotThrowAnyException();
  }

  static Stream<Arguments> invalidModes() {
    String expected = "; expected all, any, all-with-x, or any-with-x";
    return Stream.of(
        Arguments.of(FieldValue.of("some"), "value <<\"some\">>" + expected),
        Arguments.of(FieldValue.of(""), "value <<>>" + expected),
        Arguments.of(FieldValue.of("a\"\\"), "value <<\"a\\\"\\\\\">>" + expected),
        Arguments.of(FieldValue.of("\u00e9"), "value <<\"\u00e9\"/utf8>>" + expected),
        Arguments.of(FieldValue.of("\u0001a"), "value <<1,97>>" + expected),
        Arguments.of(new FieldValue.Int64(5), "type long (value 5); expected longstr"),
        Arguments.of(FieldValue.Bool.TRUE, "type bool (value true); expected longstr"),
        Arguments.of(FieldValue.Void.INSTANCE, "type void (value undefined); expected longstr"),
        Arguments.of(
            FieldValue.Binary.of(new byte[] {(byte) 255}),
            "type binary (value <<255>>); expected longstr"));
  }

  @ParameterizedTest
  @MethodSource("invalidModes")
  void otherHeadersMatchModesAreRefused(FieldValue mode, String expected) {
    FieldTable arguments = FieldTable.builder().put("x-match", mode).build();
    Binding binding = new Binding("x", DestinationKind.QUEUE, "q", "", arguments);
    assertThatThrownBy(() -> ExchangeType.HEADERS.validate(binding))
        .isInstanceOfSatisfying(
            ChannelException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ReplyCode.PRECONDITION_FAILED);
              assertThat(e.detail()).isEqualTo("Invalid x-match field " + expected);
            });
    assertThatCode(() -> ExchangeType.TOPIC.validate(binding)).doesNotThrowAnyException();
  }
}
