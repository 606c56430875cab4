package io.mayflymq.core.policy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.deprecation.DeprecatedFeature;
import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What queue.declare's arguments may say, and what is answered to those that say something else.
 */
class QueueArgumentsTest {
  private static final String IN_Q = " for queue 'q' in vhost '/': ";

  @Test
  void queueWithoutArgumentsHasDefaultSettings() {
    assertThat(parse(FieldTable.EMPTY)).isEqualTo(QueueSettings.DEFAULT);
    assertThat(QueueSettings.DEFAULT.length().isLimited()).isFalse();
  }

  @Test
  void everyArgumentOfAClassicQueueIsParsed() {
    FieldTable arguments =
        FieldTable.builder()
            .put("x-message-ttl", 60_000)
            .put("x-expires", 1)
            .put("x-max-length", 0)
            .put("x-max-length-bytes", Long.MAX_VALUE)
            .put("x-overflow", "reject-publish-dlx")
            .put("x-dead-letter-exchange", "")
            .put("x-dead-letter-routing-key", "dead")
            .put("x-queue-type", "classic")
            .build();

    assertThat(parse(arguments))
        .isEqualTo(
            QueueValues.NONE
                .with(PolicyKey.MESSAGE_TTL, 60_000)
                .with(PolicyKey.EXPIRES, 1)
                .with(PolicyKey.MAX_LENGTH, 0)
                .with(PolicyKey.MAX_LENGTH_BYTES, Long.MAX_VALUE)
                .with(PolicyKey.OVERFLOW, EnumNames.of(Overflow.REJECT_PUBLISH_DLX))
                .with(PolicyKey.DEAD_LETTER_EXCHANGE, "")
                .with(PolicyKey.DEAD_LETTER_ROUTING_KEY, "dead")
                .settings());
  }

  @Test
  void unknownArgumentsAreIgnored() {
    FieldTable arguments =
        FieldTable.builder().put("x-our-own", 1).put("x-queue-mode", "lazy").build();

    assertThat(parse(arguments)).isEqualTo(QueueSettings.DEFAULT);
  }

  static Stream<FieldValue> integers() {
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
  @MethodSource("integers")
  void integersOfEveryTypeAreAccepted(FieldValue hundred) {
    FieldTable arguments =
        FieldTable.builder()
            .put("x-message-ttl", hundred)
            .put("x-expires", hundred)
            .put("x-max-length", hundred)
            .put("x-max-length-bytes", hundred)
            .build();

    assertThat(parse(arguments))
        .isEqualTo(
            QueueValues.NONE
                .with(PolicyKey.MESSAGE_TTL, 100)
                .with(PolicyKey.EXPIRES, 100)
                .with(PolicyKey.MAX_LENGTH, 100)
                .with(PolicyKey.MAX_LENGTH_BYTES, 100)
                .settings());
  }

  static Stream<Arguments> notIntegers() {
    return Stream.of(
            FieldValue.of("100"),
            FieldValue.Bool.TRUE,
            new FieldValue.Table(FieldTable.EMPTY),
            new FieldValue.Array(List.of()),
            new FieldValue.Float64(1),
            new FieldValue.Float32(1),
            new FieldValue.Timestamp(1),
            new FieldValue.Decimal(0, 1),
            FieldValue.Void.INSTANCE,
            FieldValue.Binary.of(new byte[] {1}))
        .flatMap(
            value ->
                Stream.of("x-message-ttl", "x-expires", "x-max-length", "x-max-length-bytes")
                    .map(argument -> Arguments.of(argument, value)));
  }

  @ParameterizedTest
  @MethodSource("notIntegers")
  void valuesThatAreNotIntegersAreRefused(String argument, FieldValue value) {
    assertRefused(
        argument,
        value,
        "invalid arg '%s'%s\"expected integer, got %s\""
            .formatted(argument, IN_Q, value.rabbitTypeName()));
  }

  @Test
  void argumentNamesOfEarlierVersionsAreAccepted() {
    FieldTable former =
        FieldTable.builder()
            .put("x-expires", 1_000)
            .put("x-on-expire", "dead-letter")
            .put("x-expires-if", "unused-and-empty")
            .build();
    FieldTable current =
        FieldTable.builder()
            .put("x-expires", 1_000)
            .put("x-expires-action", "dead-letter")
            .put("x-expires-condition", "unused-and-empty")
            .build();
    assertThat(parse(former)).isEqualTo(parse(current)).isNotEqualTo(QueueSettings.DEFAULT);
    assertThat(parse(former).lease().deadLetters()).isTrue();
    assertThat(PolicyDefinition.of(PolicyKind.POLICY, Map.of("on-expire", "dead-letter")).keys())
        .containsExactly(PolicyKey.EXPIRES_ACTION);
  }

  @Test
  void fieldTypesHaveRabbitMqsNames() {
    assertThat(notIntegers().map(Arguments::get).map(of -> ((FieldValue) of[1]).rabbitTypeName()))
        .contains(
            "longstr",
            "bool",
            "table",
            "array",
            "double",
            "float",
            "timestamp",
            "decimal",
            "void",
            "binary");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-message-ttl", "x-expires", "x-max-length", "x-max-length-bytes"})
  void negativeArgumentsAreRefused(String argument) {
    assertRefused(
        argument,
        new FieldValue.Int32(-1),
        "invalid arg '%s'%s{value_negative,-1}".formatted(argument, IN_Q));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-message-ttl", "x-expires"})
  void ttlAndLeaseAreAtMostTenYears(String argument) {
    parse(FieldTable.builder().put(argument, 315_360_000_000L).build());

    assertRefused(
        argument,
        new FieldValue.Int64(315_360_000_001L),
        "invalid arg '%s'%s{value_too_large,315360000001}".formatted(argument, IN_Q));
  }

  @Test
  void ttlOfZeroIsAcceptedAndLeaseOfZeroIsRefused() {
    assertThat(
            parse(FieldTable.builder().put("x-message-ttl", 0).build()).expiry().messageTtlMillis())
        .isZero();

    assertRefused(
        "x-expires", new FieldValue.Int32(0), "invalid arg 'x-expires'" + IN_Q + "{value_zero,0}");
  }

  @ParameterizedTest
  @EnumSource
  void everyOverflowModeIsParsed(Overflow overflow) {
    FieldTable arguments = FieldTable.builder().put("x-overflow", overflow.wireName()).build();

    assertThat(parse(arguments).length().overflow()).isEqualTo(overflow);
  }

  @Test
  void overflowModesHaveRabbitMqsNamesAndOneOfOurOwn() {
    assertThat(Stream.of(Overflow.values()).map(Overflow::wireName))
        .containsExactly("drop-head", "reject-publish", "reject-publish-dlx", "block");
  }

  @Test
  void unknownOverflowModeIsRefused() {
    assertRefused(
        "x-overflow",
        FieldValue.of("drop-tail"),
        "invalid arg 'x-overflow'" + IN_Q + "invalid_overflow");
    assertRefused(
        "x-overflow",
        new FieldValue.Int64(1),
        "invalid arg 'x-overflow'" + IN_Q + "{unacceptable_type,long}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-dead-letter-exchange", "x-dead-letter-routing-key"})
  void argumentsThatNameSomethingMustBeTexts(String argument) {
    assertRefused(
        argument,
        new FieldValue.Int64(1),
        "invalid type 'long' for arg '%s' in queue 'q' in vhost '/'".formatted(argument));
  }

  @Test
  void deadLetterRoutingKeyNeedsADeadLetterExchange() {
    assertRefused(
        "x-dead-letter-routing-key",
        FieldValue.of("k"),
        "invalid arg 'x-dead-letter-routing-key'" + IN_Q + "routing_key_but_no_dlx_defined");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-dead-letter-strategy",
        "x-max-in-memory-length",
        "x-max-in-memory-bytes",
        "x-quorum-initial-group-size",
        "x-max-age",
        "x-stream-max-segment-size-bytes",
        "x-initial-cluster-size"
      })
  void classicQueueRefusesArgumentsOfOtherTypes(String argument) {
    assertRefused(
        argument,
        FieldValue.of("at-least-once"),
        "invalid arg '%s' for queue 'q' in vhost '/' of queue type rabbit_classic_queue"
            .formatted(argument));
  }

  @ParameterizedTest
  @ValueSource(strings = {"quasi", "x"})
  void unknownQueueTypeIsRefused(String type) {
    assertRefused(
        "x-queue-type",
        FieldValue.of(type),
        ("invalid arg 'x-queue-type'%s\"unsupported queue type '%s'\": expected classic, quorum or"
                + " stream")
            .formatted(IN_Q, type));
  }

  @Test
  void aQueueTypeThatIsNoTextIsRefused() {
    for (FieldValue value :
        List.of(new FieldValue.Int32(5), FieldValue.Binary.of("quorum".getBytes(UTF_8)))) {
      assertRefused(
          "x-queue-type",
          value,
          "invalid arg 'x-queue-type'%s{unacceptable_type,%s}: expected classic, quorum or stream"
              .formatted(IN_Q, value.rabbitTypeName()));
    }
  }

  @Test
  void theTextsOfTheDialect313Stay() {
    assertRefusedIn313(
        "x-queue-type",
        FieldValue.of("x"),
        "queue type 'x' for queue 'q' in vhost '/' is not supported by this broker");
    assertRefusedIn313(
        "x-queue-type",
        new FieldValue.Int32(5),
        "invalid type 'signedint' for arg 'x-queue-type' in queue 'q' in vhost '/'");
    assertRefusedIn313(
        "x-single-active-consumer",
        FieldValue.of("yes"),
        "invalid arg 'x-single-active-consumer'%s\"expected boolean, got longstr\""
            .formatted(IN_Q));
  }

  private static void assertRefusedIn313(String argument, FieldValue value, String text) {
    FieldTable arguments = FieldTable.builder().put(argument, value).build();
    assertThatThrownBy(() -> QueueArguments.parse(arguments, "q", "/", Dialect.V3_13))
        .isInstanceOf(ChannelException.class)
        .hasMessage("PRECONDITION_FAILED - " + text);
  }

  private static void checkNew(
      FieldTable arguments, boolean byClient, DeprecatedFeature... denied) {
    QueueArguments.checkNew(
        arguments, "q", "/", Dialect.V4_3, new DeprecatedFeatures(() -> Set.of(denied)), byClient);
  }

  @Test
  void onlyANewQueueMustHaveAVersionThatRabbitMqKnows() {
    for (FieldValue version : List.of(new FieldValue.Int32(3), FieldValue.of("2"))) {
      FieldTable arguments = FieldTable.builder().put("x-queue-version", version).build();
      assertThat(parse(arguments)).isEqualTo(QueueSettings.DEFAULT);
      assertThatThrownBy(() -> checkNew(arguments, true))
          .hasMessage(
              "PRECONDITION_FAILED - invalid arg 'x-queue-version'%s\"%s\"",
              IN_Q,
              version.isInteger()
                  ? "unsupported queue version '3'"
                  : "expected integer, got longstr");
    }
    checkNew(FieldTable.builder().put("x-queue-version", 1).build(), true);
    checkNew(FieldTable.builder().put("x-queue-version", 2).build(), true);
  }

  /** Later than the queues that had it without effect. */
  @Test
  void onlyANewQuorumQueueMayHaveADisconnectedTimeout() {
    String argument = "x-consumer-disconnected-timeout";
    checkNew(quorum().put(argument, 0).build(), true);
    for (FieldTable refused :
        List.of(
            FieldTable.builder().put(argument, 5).build(),
            quorum().put(argument, -1).build(),
            quorum().put(argument, "5").build())) {
      parse(refused);
      QueueArguments.checkNew(
          refused, "q", "/", Dialect.V3_13, new DeprecatedFeatures(Set::of), true);
    }
    assertThatThrownBy(() -> checkNew(FieldTable.builder().put(argument, 5).build(), true))
        .hasMessage(
            "PRECONDITION_FAILED - invalid arg '%s' for queue 'q' in vhost '/' of queue type"
                + " rabbit_classic_queue",
            argument);
    assertThatThrownBy(() -> checkNew(quorum().put(argument, -1).build(), true))
        .hasMessage("PRECONDITION_FAILED - invalid arg '%s'%s{value_negative,-1}", argument, IN_Q);
    assertThatThrownBy(() -> checkNew(quorum().put(argument, "5").build(), true))
        .hasMessage(
            "PRECONDITION_FAILED - invalid arg '%s'%s\"expected integer, got longstr\"",
            argument, IN_Q);
  }

  static Stream<Arguments> deprecatedArguments() {
    return Stream.of(
        Arguments.of(
            FieldTable.builder().put("x-consumer-timeout", 1000).build(),
            DeprecatedFeature.CLASSIC_QUEUE_CONSUMER_TIMEOUT,
            "'x-consumer-timeout' for queue 'q' in vhost '/' of queue type rabbit_classic_queue"),
        Arguments.of(
            FieldTable.builder().put("x-queue-type", "stream").put("x-consumer-timeout", 1).build(),
            DeprecatedFeature.CLASSIC_QUEUE_CONSUMER_TIMEOUT,
            "'x-consumer-timeout' for queue 'q' in vhost '/' of queue type rabbit_stream_queue"),
        Arguments.of(
            FieldTable.builder().put("x-queue-mode", "lazy").build(),
            DeprecatedFeature.CLASSIC_QUEUE_MODE,
            "'x-queue-mode' for queue 'q' in vhost '/' of queue type rabbit_classic_queue"),
        Arguments.of(
            FieldTable.builder().put("x-queue-version", 1).build(),
            DeprecatedFeature.CLASSIC_QUEUE_VERSION_1,
            "'x-queue-version' for queue 'q' in vhost '/': \"unsupported queue version '1'\""));
  }

  @ParameterizedTest
  @MethodSource("deprecatedArguments")
  void whatIsDeniedIsRefused(FieldTable arguments, DeprecatedFeature feature, String text) {
    checkNew(arguments, true);
    assertThatThrownBy(() -> checkNew(arguments, true, feature))
        .isInstanceOf(ChannelException.class)
        .hasMessage("PRECONDITION_FAILED - invalid arg " + text);
  }

  @Test
  void aQuorumQueueMayHaveAConsumerTimeout() {
    checkNew(
        quorum().put("x-consumer-timeout", 1000).build(),
        true,
        DeprecatedFeature.CLASSIC_QUEUE_CONSUMER_TIMEOUT);
  }

  @Test
  void aDeniedMasterLocatorClosesTheConnectionOfAClient() {
    FieldTable arguments =
        FieldTable.builder().put("x-queue-master-locator", "min-masters").build();
    assertThatThrownBy(() -> checkNew(arguments, true, DeprecatedFeature.QUEUE_MASTER_LOCATOR))
        .isInstanceOf(ConnectionException.class)
        .hasMessageStartingWith("INTERNAL_ERROR - Feature `queue_master_locator` is deprecated.\n");
    assertThatThrownBy(() -> checkNew(arguments, false, DeprecatedFeature.QUEUE_MASTER_LOCATOR))
        .isInstanceOf(ChannelException.class);
  }

  @Test
  void retentionArgumentsOfAStreamAreParsed() {
    FieldTable arguments =
        FieldTable.builder()
            .put("x-queue-type", "stream")
            .put("x-max-age", "2h")
            .put("x-stream-max-segment-size-bytes", 5000)
            .build();
    assertThat(parse(arguments).type()).isEqualTo(QueueType.STREAM);
    assertThat(parse(arguments).stream()).isEqualTo(new StreamSettings(7_200_000, 5000));
  }

  @Test
  void maxPriorityIsAtMost255() {
    for (int highest : new int[] {0, 1, 255}) {
      FieldTable arguments = FieldTable.builder().put("x-max-priority", highest).build();
      assertThat(parse(arguments).maxPriority()).isEqualTo(highest);
    }
    assertThat(QueueSettings.DEFAULT.hasPriorities()).isFalse();

    assertRefused(
        "x-max-priority",
        new FieldValue.Int32(256),
        "invalid arg 'x-max-priority'" + IN_Q + "{max_value_exceeded,256}");
  }

  @Test
  void argumentsOfAQuorumQueueAreParsed() {
    QueueSettings settings =
        parse(
            quorum()
                .put("x-delivery-limit", 3)
                .put("x-dead-letter-strategy", "at-least-once")
                .put("x-quorum-initial-group-size", 3)
                .put("x-overflow", "reject-publish-dlx")
                .build());

    assertThat(settings.type()).isEqualTo(QueueType.QUORUM);
    assertThat(settings.deliveries().limit()).isEqualTo(3);
    assertThat(settings.length().overflow()).isEqualTo(Overflow.REJECT_PUBLISH_DLX);
    assertThat(parse(quorum().build()).deliveries().limit()).isEqualTo(20);
    assertThat(parse(quorum().put("x-delivery-limit", -1).build()).deliveries().limit())
        .isEqualTo(QueueSettings.NONE);
  }

  /** RabbitMQ 4.3.6 was seen to take all of these, and not to delay. */
  @Test
  void retryArgumentsOfAQuorumQueueAreNotChecked() {
    assertThat(retry(quorum().put("x-delayed-retry-type", "bogus"))).isEqualTo(RetrySettings.NONE);
    assertThat(retry(quorum().put("x-delayed-retry-type", 5))).isEqualTo(RetrySettings.NONE);
    FieldTable.Builder all = quorum().put("x-delayed-retry-type", "all");
    for (FieldValue min :
        List.of(new FieldValue.Int32(0), new FieldValue.Int32(-5), FieldValue.of("x"))) {
      assertThat(
              retry(quorum().put("x-delayed-retry-type", "all").put("x-delayed-retry-min", min))
                  .appliesTo(true))
          .isFalse();
    }
    assertThat(retry(all).appliesTo(true)).as("without a minimum").isFalse();
    RetrySettings turned =
        retry(all.put("x-delayed-retry-min", 900).put("x-delayed-retry-max", 300));
    assertThat(turned.delayMillis(DeliveryCount.of(1, 1), 0)).isEqualTo(300);
  }

  private static RetrySettings retry(FieldTable.Builder arguments) {
    return parse(arguments.build()).deliveries().retry();
  }

  @Test
  void retryArgumentsOfThisBrokersOwnAreChecked() {
    FieldTable ofClassic = FieldTable.builder().put("x-delayed-retry-type", "bogus").build();
    FieldTable own = quorum().put("x-delayed-retry-backoff", "bogus").build();
    for (FieldTable arguments : List.of(ofClassic, own)) {
      assertThatThrownBy(() -> parse(arguments)).hasMessageStartingWith("PRECONDITION_FAILED");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-quorum-initial-group-size", "x-quorum-target-group-size"})
  void groupSizeOfAQuorumQueueIsAtLeastOne(String argument) {
    Map<FieldValue, String> refused =
        Map.of(
            new FieldValue.Int32(0),
            "{value_zero,0}",
            new FieldValue.Int32(-1),
            "{value_negative,-1}",
            FieldValue.of("3"),
            "\"expected integer, got longstr\"");
    refused.forEach(
        (value, reason) ->
            assertThatThrownBy(() -> parse(quorum().build().with(argument, value)))
                .hasMessage(
                    "PRECONDITION_FAILED - invalid arg '" + argument + "'" + IN_Q + reason));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-max-priority", "x-queue-mode", "x-max-age"})
  void quorumQueueRefusesArgumentsOfOtherTypes(String argument) {
    FieldTable arguments = quorum().put(argument, 1).build();

    assertThatThrownBy(() -> parse(arguments))
        .hasMessage(
            "PRECONDITION_FAILED - invalid arg '%s' for queue 'q' in vhost '/' of queue type"
                + " rabbit_quorum_queue",
            argument);
  }

  @Test
  void unknownDeadLetterStrategyIsRefused() {
    assertThatThrownBy(() -> parse(quorum().put("x-dead-letter-strategy", "never").build()))
        .hasMessageEndingWith(
            "invalid arg 'x-dead-letter-strategy'" + IN_Q + "invalid_dlx_strategy");
  }

  @Test
  void quorumQueueMustBeDurableAndNotExclusive() {
    QueueArguments.checkProperties(QueueType.QUORUM, true, false, false, "q", "/");
    QueueArguments.checkProperties(QueueType.CLASSIC, false, true, true, "q", "/");

    assertProperty("non-durable", false, false, false);
    assertProperty("exclusive-owner", true, true, false);
    assertProperty("auto-delete", true, false, true);
  }

  private static void assertProperty(
      String property, boolean durable, boolean exclusive, boolean autoDelete) {
    assertThatThrownBy(
            () ->
                QueueArguments.checkProperties(
                    QueueType.QUORUM, durable, exclusive, autoDelete, "q", "/"))
        .hasMessage(
            "PRECONDITION_FAILED - invalid property '%s' for queue 'q' in vhost '/'", property);
  }

  private static FieldTable.Builder quorum() {
    return FieldTable.builder().put("x-queue-type", "quorum");
  }

  private static QueueSettings parse(FieldTable arguments) {
    return QueueArguments.parse(arguments, "q", "/").settings();
  }

  private static void assertRefused(String argument, FieldValue value, String text) {
    FieldTable arguments = FieldTable.builder().put(argument, value).build();
    assertThatThrownBy(() -> parse(arguments))
        .isInstanceOf(ChannelException.class)
        .hasMessage("PRECONDITION_FAILED - " + text);
  }
}
