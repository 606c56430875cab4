package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a redeclaration agrees with what exists, and the text when it does not. */
class EquivalenceTest {
  private final Equivalence queue = new Equivalence("queue", "q", "/");
  private final Equivalence exchange = new Equivalence("exchange", "x", "v");

  @Test
  void redeclarationWithDifferentPropertiesIsRefused() {
    queue.check("durable", true, true);

    assertInequivalent(
        () -> queue.check("durable", true, false),
        "'durable' for queue 'q' in vhost '/': received 'true' but current is 'false'");
    assertInequivalent(
        () -> exchange.check("type", "topic", "direct"),
        "'type' for exchange 'x' in vhost 'v': received 'topic' but current is 'direct'");
  }

  @Test
  void errorForANewArgumentNamesItsType() {
    assertInequivalent(
        () -> queue.checkQueueArguments(ttl(new FieldValue.Int32(20_000)), FieldTable.EMPTY),
        "'x-message-ttl' for queue 'q' in vhost '/':"
            + " received the value '20000' of type 'signedint' but current is none");
  }

  @Test
  void errorForAMissingArgumentNamesItsType() {
    assertInequivalent(
        () -> queue.checkQueueArguments(FieldTable.EMPTY, ttl(new FieldValue.Int64(60_000))),
        "'x-message-ttl' for queue 'q' in vhost '/':"
            + " received none but current is the value '60000' of type 'long'");
  }

  @Test
  void errorForAChangedArgumentNamesBothValues() {
    assertInequivalent(
        () ->
            queue.checkQueueArguments(
                ttl(new FieldValue.Int32(60_000)), ttl(new FieldValue.Int64(100_000))),
        "'x-message-ttl' for queue 'q' in vhost '/': received '60000' but current is '100000'");
    assertInequivalent(
        () ->
            queue.checkQueueArguments(
                FieldTable.builder().put("x-overflow", "drop-head").build(),
                FieldTable.builder().put("x-overflow", "reject-publish").build()),
        "'x-overflow' for queue 'q' in vhost '/':"
            + " received 'drop-head' but current is 'reject-publish'");
  }

  static Stream<FieldValue> integersOfEveryWidth() {
    return Stream.of(
        new FieldValue.Int8((byte) 100),
        new FieldValue.UInt8(100),
        new FieldValue.Int16((short) 100),
        new FieldValue.UInt16(100),
        new FieldValue.Int32(100),
        new FieldValue.UInt32(100),
        new FieldValue.Int64(100));
  }

  @ParameterizedTest
  @MethodSource("integersOfEveryWidth")
  void integersOfEveryWidthAreComparedByValue(FieldValue hundred) {
    queue.checkQueueArguments(ttl(hundred), ttl(new FieldValue.Int64(100)));

    assertInequivalent(
        () -> queue.checkQueueArguments(ttl(hundred), ttl(new FieldValue.Int64(101))),
        "'x-message-ttl' for queue 'q' in vhost '/': received '100' but current is '101'");
  }

  @Test
  void floatsOfBothWidthsAreComparedByValue() {
    FieldTable single = mode(new FieldValue.Float32(1.5f));

    queue.checkQueueArguments(single, mode(new FieldValue.Float64(1.5)));

    assertInequivalent(
        () -> queue.checkQueueArguments(single, mode(new FieldValue.Float64(2.5))),
        "'x-queue-mode' for queue 'q' in vhost '/': received '1.5' but current is '2.5'");
  }

  /** As in RabbitMQ 4.3.6. */
  @Test
  void timestampsAreIntegersAndByteArraysAreTexts() {
    queue.checkQueueArguments(ttl(new FieldValue.Timestamp(100)), ttl(new FieldValue.Int32(100)));
    queue.checkQueueArguments(
        mode(FieldValue.Binary.of("lazy".getBytes(StandardCharsets.UTF_8))),
        mode(FieldValue.of("lazy")));

    assertInequivalent(
        () ->
            queue.checkQueueArguments(
                ttl(new FieldValue.Timestamp(100)), ttl(new FieldValue.Int32(101))),
        "'x-message-ttl' for queue 'q' in vhost '/': received '100' but current is '101'");
  }

  @Test
  void textAndIntegerAreNotEquivalent() {
    assertInequivalent(
        () -> queue.checkQueueArguments(ttl(FieldValue.of("100")), ttl(new FieldValue.Int64(100))),
        "'x-message-ttl' for queue 'q' in vhost '/': received '100' but current is '100'");
  }

  @Test
  void booleansAreNamedInTheErrorText() {
    assertInequivalent(
        () -> queue.checkQueueArguments(mode(FieldValue.Bool.TRUE), mode(FieldValue.Bool.FALSE)),
        "'x-queue-mode' for queue 'q' in vhost '/': received 'true' but current is 'false'");
  }

  @Test
  void queueWithoutATypeIsEquivalentToAClassicQueue() {
    FieldTable classic = FieldTable.builder().put("x-queue-type", "classic").build();

    queue.checkQueueArguments(classic, FieldTable.EMPTY);
    queue.checkQueueArguments(FieldTable.EMPTY, classic);

    FieldTable quorum = FieldTable.builder().put("x-queue-type", "quorum").build();
    assertInequivalent(
        () -> queue.checkQueueArguments(quorum, classic),
        "'x-queue-type' for queue 'q' in vhost '/': received 'quorum' but current is 'classic'");
  }

  @Test
  void unknownArgumentsAreNotCompared() {
    queue.checkQueueArguments(
        FieldTable.builder().put("x-our-own", 1).build(),
        FieldTable.builder().put("x-our-own", 2).put("x-another", 3).build());
  }

  /** As RabbitMQ 4.3.6 was seen to do; 3.13 stores these arguments of quorum queues unseen. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-consumer-timeout",
        "x-consumer-disconnected-timeout",
        "x-delayed-retry-min",
        "x-delayed-retry-max",
        "x-delayed-retry-type"
      })
  void argumentsThatOnly43HasAreComparedByItAlone(String name) {
    FieldTable quorum = FieldTable.builder().put("x-queue-type", "quorum").build();
    FieldTable other = quorum.with(name, FieldValue.of("v"));

    queue.checkQueueArguments(other, quorum, Dialect.V3_13);
    queue.checkQueueArguments(other, other, Dialect.V4_3);
    assertInequivalent(
        () -> queue.checkQueueArguments(other, quorum, Dialect.V4_3),
        "'%s' for queue 'q' in vhost '/': received the value 'v' of type 'longstr' but current is none"
            .formatted(name));
    assertInequivalent(
        () -> queue.checkQueueArguments(quorum, other, Dialect.V4_3),
        "'%s' for queue 'q' in vhost '/': received none but current is the value 'v' of type 'longstr'"
            .formatted(name));
    FieldTable classic = FieldTable.builder().put(name, "v").build();
    queue.checkQueueArguments(classic, FieldTable.EMPTY, Dialect.V4_3);
  }

  @Test
  void filterSizesOfStreamsAreComparedBy43Alone() {
    FieldTable stream = FieldTable.builder().put("x-queue-type", "stream").build();
    FieldTable other = stream.with("x-stream-filter-size-bytes", new FieldValue.Int32(32));

    queue.checkQueueArguments(other, stream, Dialect.V3_13);
    assertInequivalent(
        () -> queue.checkQueueArguments(other, stream, Dialect.V4_3),
        "'x-stream-filter-size-bytes' for queue 'q' in vhost '/': received the value '32' of type"
            + " 'signedint' but current is none");
  }

  @Test
  void errorNamesTheFirstDifferentArgumentByName() {
    FieldTable received = FieldTable.builder().put("x-max-length", 1).put("x-expires", 2).build();

    assertThatThrownBy(() -> queue.checkQueueArguments(received, FieldTable.EMPTY))
        .hasMessageContaining("'x-expires'");
  }

  @Test
  void exchangesAreComparedByTheirAlternateExchangeOnly() {
    FieldTable arguments = FieldTable.builder().put("alternate-exchange", "a").build();
    exchange.checkExchangeArguments(arguments, arguments.with("x-other", FieldValue.of("o")));

    assertInequivalent(
        () -> exchange.checkExchangeArguments(arguments, FieldTable.EMPTY),
        "'alternate-exchange' for exchange 'x' in vhost 'v':"
            + " received the value 'a' of type 'longstr' but current is none");
  }

  private static FieldTable ttl(FieldValue value) {
    return FieldTable.builder().put("x-message-ttl", value).build();
  }

  /** An argument that is known and not validated: the only kind that may be of any type. */
  private static FieldTable mode(FieldValue value) {
    return FieldTable.builder().put("x-queue-mode", value).build();
  }

  private static void assertInequivalent(ThrowingCallable check, String text) {
    assertThatThrownBy(check)
        .isInstanceOf(ChannelException.class)
        .hasMessage("PRECONDITION_FAILED - inequivalent arg " + text);
  }
}
