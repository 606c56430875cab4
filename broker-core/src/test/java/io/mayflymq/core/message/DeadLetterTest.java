package io.mayflymq.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a dead message looks like to those who get it. */
class DeadLetterTest {
  private static final long NOW = 1_800_000_000_999L;
  private static final String BODY = "what was said";

  @Test
  void firstDeathSetsAllHeaders() {
    Message message = message(BasicProperties.EMPTY, List.of());

    DeadLetter dead = DeadLetter.of(message, "q", DeathReason.REJECTED, NOW, "dlx", null, false);

    FieldTable headers = dead.message().headers();
    assertThat(headers.names())
        .containsExactly(
            "x-death",
            "x-first-death-exchange",
            "x-first-death-queue",
            "x-first-death-reason",
            "x-last-death-exchange",
            "x-last-death-queue",
            "x-last-death-reason");
    FieldTable entry = deaths(headers).get(0);
    assertThat(deaths(headers)).hasSize(1);
    assertThat(entry.names())
        .containsExactly("count", "reason", "queue", "time", "exchange", "routing-keys");
    assertThat(entry.get("count")).isEqualTo(new FieldValue.Int64(1));
    assertThat(entry.get("reason")).isEqualTo(FieldValue.of("rejected"));
    assertThat(entry.get("queue")).isEqualTo(FieldValue.of("q"));
    assertThat(entry.get("time")).as("seconds").isEqualTo(new FieldValue.Timestamp(NOW / 1000));
    assertThat(entry.get("exchange")).isEqualTo(FieldValue.of("orders"));
    assertThat(entry.get("routing-keys")).isEqualTo(array("key"));
    assertThat(headers.get("x-first-death-queue")).isEqualTo(FieldValue.of("q"));
    assertThat(headers.get("x-first-death-reason")).isEqualTo(FieldValue.of("rejected"));
    assertThat(headers.get("x-first-death-exchange")).isEqualTo(FieldValue.of("orders"));
  }

  @Test
  void deadLetteringKeepsBodyAndOtherProperties() {
    BasicProperties properties =
        BasicProperties.builder()
            .contentType("text/plain")
            .deliveryMode(2)
            .priority(7)
            .correlationId("c")
            .messageId("m")
            .timestamp(5L)
            .build();

    Message deadLetter =
        DeadLetter.of(
                message(properties, List.of()), "q", DeathReason.MAXLEN, NOW, "dlx", null, false)
            .message();

    assertThat(deadLetter.properties().toBuilder().headers(null).build()).isEqualTo(properties);
    assertThat(body(deadLetter)).isEqualTo(BODY);
    assertThat(deadLetter.bodyLength()).isEqualTo(BODY.length());
    assertThat(deadLetter.persistent()).isTrue();
    assertThat(deadLetter.priority()).isEqualTo(7);
    assertThat(deadLetter.exchange().value()).isEqualTo("dlx");
  }

  @ParameterizedTest
  @EnumSource
  void expirationMovesIntoTheDeathHistoryForEveryReason(DeathReason reason) {
    BasicProperties properties = BasicProperties.builder().expiration("60000").build();

    DeadLetter dead =
        DeadLetter.of(message(properties, List.of()), "q", reason, NOW, "dlx", null, false);

    FieldTable entry = deaths(dead.message().headers()).get(0);
    assertThat(entry.names())
        .containsExactly(
            "original-expiration", "count", "reason", "queue", "time", "exchange", "routing-keys");
    assertThat(entry.get("original-expiration")).isEqualTo(FieldValue.of("60000"));
    assertThat(entry.get("reason")).isEqualTo(FieldValue.of(reason.wireName()));
    assertThat(dead.message().properties().expiration()).isNull();
    assertThat(dead.message().ttlMillis()).isEqualTo(Message.NO_TTL);
  }

  @Test
  void deathReasonsHaveRabbitMqsNamesAndTwoMore() {
    assertThat(Arrays.stream(DeathReason.values()).map(DeathReason::wireName))
        .containsExactly(
            "rejected", "expired", "maxlen", "delivery_limit", "queue_expired", "queue_deleted");
  }

  @Test
  void headersOfADeadLetterAreSortedByName() {
    FieldTable headers = FieldTable.builder().put("z", 1).put("a", 2).put("x-e", true).build();

    DeadLetter dead = die(message(withHeaders(headers), List.of()), "q", DeathReason.EXPIRED);

    assertThat(dead.message().headers().names())
        .isSorted()
        .contains("a", "x-death", "x-e", "z")
        .hasSize(10);
    assertThat(dead.message().headers().get("z")).isEqualTo(new FieldValue.Int32(1));
  }

  @Test
  void secondDeathComesFirstInTheHistoryAndKeepsTheFirstDeathHeaders() {
    Message message = message(BasicProperties.EMPTY, List.of());
    Message once = die(message, "q1", DeathReason.EXPIRED).message();

    Message twice =
        DeadLetter.of(once, "q2", DeathReason.REJECTED, NOW + 5_000, "dlx2", null, false).message();

    assertThat(deaths(twice.headers())).hasSize(2);
    assertThat(deaths(twice.headers()).get(0).get("queue")).isEqualTo(FieldValue.of("q2"));
    assertThat(deaths(twice.headers()).get(0).get("exchange")).isEqualTo(FieldValue.of("dlx"));
    assertThat(deaths(twice.headers()).get(1)).isEqualTo(deaths(once.headers()).get(0));
    assertThat(text(twice, "x-first-death-queue")).isEqualTo("q1");
    assertThat(text(twice, "x-first-death-reason")).isEqualTo("expired");
    assertThat(text(twice, "x-first-death-exchange")).isEqualTo("orders");
    assertThat(text(twice, "x-last-death-queue")).isEqualTo("q2");
    assertThat(text(twice, "x-last-death-reason")).isEqualTo("rejected");
    assertThat(text(twice, "x-last-death-exchange")).isEqualTo("dlx");
  }

  @Test
  void repeatedDeathIncreasesItsCountAndMovesToTheFront() {
    BasicProperties properties = BasicProperties.builder().expiration("10").build();
    Message once = die(message(properties, List.of()), "q1", DeathReason.EXPIRED).message();
    Message twice = die(once, "q2", DeathReason.EXPIRED).message();

    DeadLetter thrice =
        DeadLetter.of(twice, "q1", DeathReason.EXPIRED, NOW + 60_000, "dlx3", "other", false);

    List<FieldTable> deaths = deaths(thrice.message().headers());
    assertThat(deaths).hasSize(2);
    assertThat(deaths.get(0))
        .as("all else tells of the first time")
        .isEqualTo(deaths(once.headers()).get(0).with("count", new FieldValue.Int64(2)));
    assertThat(deaths.get(1)).isEqualTo(deaths(twice.headers()).get(0));
    assertThat(text(thrice.message(), "x-first-death-queue")).isEqualTo("q1");
    assertThat(text(thrice.message(), "x-last-death-queue")).isEqualTo("q1");
    assertThat(text(thrice.message(), "x-last-death-exchange")).isEqualTo("dlx");
  }

  @Test
  void deathInTheSameQueueForAnotherReasonIsASeparateEntry() {
    Message message = message(BasicProperties.EMPTY, List.of());
    Message once = die(message, "q", DeathReason.EXPIRED).message();

    Message twice = die(once, "q", DeathReason.REJECTED).message();

    assertThat(deaths(twice.headers())).hasSize(2);
  }

  @Test
  void deadLetterWithoutADeadLetterRoutingKeyKeepsItsRoutingKeys() {
    FieldTable headers = FieldTable.builder().put("CC", array("cc1", "cc2")).build();
    Message message = message(withHeaders(headers), List.of("bcc"));

    DeadLetter dead = die(message, "q", DeathReason.EXPIRED);

    assertThat(dead.routingKeys()).containsExactly("key", "cc1", "cc2", "bcc");
    assertThat(dead.message().routingKey().value()).isEqualTo("key");
    assertThat(deaths(dead.message().headers()).get(0).get("routing-keys"))
        .as("BCC is not shown")
        .isEqualTo(array("key", "cc1", "cc2"));
    assertThat(dead.message().headers().get("CC")).isEqualTo(array("cc1", "cc2"));
  }

  @Test
  void deadLetterRoutingKeyReplacesAllKeysAndKeepsTheCcHeader() {
    FieldTable headers = FieldTable.builder().put("CC", array("cc")).build();
    Message message = message(withHeaders(headers), List.of("bcc"));

    DeadLetter dead =
        DeadLetter.of(message, "q", DeathReason.EXPIRED, NOW, "dlx", "elsewhere", false);

    assertThat(dead.routingKeys()).containsExactly("elsewhere");
    assertThat(dead.message().routingKey().value()).isEqualTo("elsewhere");
    assertThat(dead.message().headers().get("CC")).isEqualTo(array("cc"));
    assertThat(deaths(dead.message().headers()).get(0).get("routing-keys"))
        .isEqualTo(array("key", "cc"));
    assertThat(dead.message().blindKeys()).isEmpty();
  }

  @Test
  void ccKeysReplacedByADeadLetterRoutingKeyStayReplaced() {
    FieldTable headers = FieldTable.builder().put("CC", array("cc1", "cc2")).build();
    Message message = message(withHeaders(headers), List.of("bcc"));
    Message once =
        DeadLetter.of(message, "q1", DeathReason.EXPIRED, NOW, "dlx", "q2", false).message();

    DeadLetter twice = die(once, "q2", DeathReason.EXPIRED);
    DeadLetter thrice = die(twice.message(), "q3", DeathReason.REJECTED);

    assertThat(twice.routingKeys()).containsExactly("q2");
    assertThat(deaths(twice.message().headers()).get(0).get("routing-keys")).isEqualTo(array("q2"));
    assertThat(deaths(twice.message().headers()).get(1).get("routing-keys"))
        .isEqualTo(array("key", "cc1", "cc2"));
    assertThat(thrice.routingKeys()).as("nor at the one after that").containsExactly("q2");
    assertThat(thrice.message().headers().get("CC")).isEqualTo(array("cc1", "cc2"));
  }

  @Test
  void secondDeathWithoutADeadLetterRoutingKeyKeepsTheCcKeys() {
    FieldTable headers = FieldTable.builder().put("CC", array("cc")).build();
    Message once =
        die(message(withHeaders(headers), List.of()), "q1", DeathReason.EXPIRED).message();

    DeadLetter twice = die(once, "q2", DeathReason.EXPIRED);

    assertThat(twice.routingKeys()).containsExactly("key", "cc");
    assertThat(twice.message().hasOneKey()).isFalse();
  }

  @Test
  void delayDoesNotRestoreReplacedCcKeys() {
    FieldTable headers =
        FieldTable.builder().put("CC", array("cc")).put(Delay.HEADER, 1000).build();
    Message message = message(withHeaders(headers), List.of());
    Message once =
        DeadLetter.of(message, "q1", DeathReason.EXPIRED, NOW, "dlx", "q2", false).message();

    DeadLetter twice = die(Delay.over(once), "q2", DeathReason.EXPIRED);

    assertThat(twice.routingKeys()).containsExactly("q2");
  }

  @Test
  void secondDeathKeepsTheBccKeys() {
    Message message = message(BasicProperties.EMPTY, List.of("bcc"));
    DeadLetter once = die(message, "q1", DeathReason.EXPIRED);

    DeadLetter twice = die(once.message(), "q2", DeathReason.EXPIRED);

    assertThat(twice.routingKeys()).containsExactly("key", "bcc");
    assertThat(deaths(twice.message().headers()).get(0).get("routing-keys"))
        .isEqualTo(array("key"));
  }

  @Test
  void deathInfoNamesTheDefaultExchangeByItsEmptyName() {
    byte[] properties = BasicProperties.EMPTY.encode();
    Message message =
        new Message(
            ShortString.of(""),
            ShortString.of("q"),
            properties,
            properties.length,
            Message.NO_TTL,
            0,
            false,
            List.of());

    Message deadLetter =
        DeadLetter.of(message, "q", DeathReason.EXPIRED, NOW, "", "q2", false).message();

    assertThat(deaths(deadLetter.headers()).get(0).get("exchange")).isEqualTo(FieldValue.of(""));
    assertThat(deadLetter.exchange().value()).isEmpty();
    assertThat(deadLetter.bodyLength()).isZero();
    assertThat(deadLetter.persistent()).isFalse();
  }

  @Test
  void firstDeathReplacesWhatAPublisherSaysOfDeaths() {
    Message died =
        DeadLetter.of(
                message(BasicProperties.EMPTY, List.of()),
                "q",
                DeathReason.EXPIRED,
                NOW,
                "dlx",
                null,
                false)
            .message();

    for (boolean published : new boolean[] {true, false}) {
      DeadLetter again =
          DeadLetter.of(
              died.withPublishedDeaths(published),
              "q",
              DeathReason.EXPIRED,
              NOW,
              "dlx",
              null,
              false);

      FieldTable entry = deaths(again.message().headers()).get(0);
      assertThat(entry.get("count")).isEqualTo(new FieldValue.Int64(published ? 1 : 2));
      assertThat(entry.get("exchange")).isEqualTo(FieldValue.of(published ? "dlx" : "orders"));
      assertThat(again.message().headers().get("x-first-death-exchange"))
          .isEqualTo(FieldValue.of(published ? "dlx" : "orders"));
      assertThat(again.message().hasPublishedDeaths()).isFalse();
    }
  }

  @Test
  void firstDeathHeadersOfAPublisherAreIgnoredWithoutAHistory() {
    FieldTable headers =
        FieldTable.builder()
            .put("x-first-death-queue", "forged")
            .put("x-last-death-queue", "forged")
            .put("x-death", "no history")
            .build();

    Message deadLetter =
        die(message(withHeaders(headers), List.of()), "q", DeathReason.EXPIRED).message();

    assertThat(text(deadLetter, "x-first-death-queue")).isEqualTo("q");
    assertThat(text(deadLetter, "x-last-death-queue")).isEqualTo("q");
    assertThat(deaths(deadLetter.headers())).hasSize(1);
  }

  private static DeadLetter die(Message message, String queue, DeathReason reason) {
    return DeadLetter.of(message, queue, reason, NOW, "dlx", null, false);
  }

  private static BasicProperties withHeaders(FieldTable headers) {
    return BasicProperties.builder().headers(headers).build();
  }

  private static Message message(BasicProperties properties, List<String> blindKeys) {
    byte[] encoded = properties.encode();
    byte[] body = BODY.getBytes(StandardCharsets.UTF_8);
    byte[] content = Arrays.copyOf(encoded, encoded.length + body.length);
    System.arraycopy(body, 0, content, encoded.length, body.length);
    return new Message(
        ShortString.of("orders"),
        ShortString.of("key"),
        content,
        encoded.length,
        properties.expiration() == null ? Message.NO_TTL : Long.parseLong(properties.expiration()),
        properties.priority() == null ? 0 : properties.priority(),
        Integer.valueOf(2).equals(properties.deliveryMode()),
        blindKeys);
  }

  private static String body(Message message) {
    return new String(
        message.content(),
        message.propertiesLength(),
        message.bodyLength(),
        StandardCharsets.UTF_8);
  }

  private static List<FieldTable> deaths(FieldTable headers) {
    return ((FieldValue.Array) headers.get("x-death"))
        .values().stream().map(value -> ((FieldValue.Table) value).table()).toList();
  }

  private static String text(Message message, String header) {
    return ((FieldValue.LongString) message.headers().get(header)).string();
  }

  private static FieldValue.Array array(String... values) {
    return new FieldValue.Array(
        Arrays.stream(values).map(value -> (FieldValue) FieldValue.of(value)).toList());
  }
}
