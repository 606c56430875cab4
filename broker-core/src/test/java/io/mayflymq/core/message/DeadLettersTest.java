package io.mayflymq.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The short way to a dead letter leads to the same dead letter as the long one. */
class DeadLettersTest {
  /** How one message dies. */
  record Dying(
      Message message,
      String queue,
      DeathReason reason,
      long nowMillis,
      String routingKey,
      boolean serviceBusHeaders) {}

  @Property(tries = 100)
  void cachedDeadLettersEqualThoseMadeWithoutACache(@ForAll("dyings") List<Dying> dyings) {
    DeadLetters deadLetters = new DeadLetters();
    for (Dying dying : dyings) {
      DeadLetter expected =
          DeadLetter.of(
              dying.message,
              dying.queue,
              dying.reason,
              dying.nowMillis,
              "dlx",
              dying.routingKey,
              dying.serviceBusHeaders);

      DeadLetter deadLetter =
          deadLetters.of(
              dying.message,
              dying.queue,
              dying.reason,
              dying.nowMillis,
              "dlx",
              dying.routingKey,
              dying.serviceBusHeaders);

      assertThat(deadLetter.history()).isEqualTo(expected.history());
      assertThat(deadLetter.routingKeys()).isEqualTo(expected.routingKeys());
      assertThat(deadLetter.message()).usingRecursiveComparison().isEqualTo(expected.message());
    }
  }

  @Provide
  Arbitrary<List<Dying>> dyings() {
    return Combinators.combine(
            messages(),
            Arbitraries.of("q1", "q2"),
            Arbitraries.of(DeathReason.EXPIRED, DeathReason.REJECTED),
            Arbitraries.of(1_000L, 1_999L, 2_000L),
            Arbitraries.of("dead").injectNull(0.5),
            Arbitraries.of(true, false))
        .as(Dying::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(60);
  }

  private static Arbitrary<Message> messages() {
    Arbitrary<BasicProperties> properties =
        Combinators.combine(
                Arbitraries.of("text/plain").injectNull(0.5),
                Arbitraries.of("60000", "1").injectNull(0.3),
                Arbitraries.of(1, 2).injectNull(0.3),
                Arbitraries.of(3).injectNull(0.5),
                Arbitraries.of("correlation").injectNull(0.5),
                Arbitraries.of("id").injectNull(0.5),
                headers().injectNull(0.5))
            .as(
                (type, expiration, mode, priority, correlation, id, headers) ->
                    BasicProperties.builder()
                        .contentType(type)
                        .expiration(expiration)
                        .deliveryMode(mode)
                        .priority(priority)
                        .correlationId(correlation)
                        .replyTo(correlation)
                        .messageId(id)
                        .appId(id)
                        .headers(headers)
                        .build());
    return Combinators.combine(
            properties,
            Arbitraries.of("", "body"),
            Arbitraries.of("", "orders"),
            Arbitraries.of("a", "b"),
            Arbitraries.of(List.<String>of(), List.of("blind")))
        .as(DeadLettersTest::message)
        .map(DeadLettersTest::oftenDeadBefore);
  }

  /** Some have gone by a dead letter routing key before. */
  private static Message oftenDeadBefore(Message message) {
    return message.priority() == 3
        ? DeadLetter.of(message, "q0", DeathReason.MAXLEN, 500, "dlx", "one", false)
            .message()
            .withPublishedDeaths(message.persistent())
        : message;
  }

  private static Arbitrary<FieldTable> headers() {
    Arbitrary<String> names =
        Arbitraries.of(
            "a",
            "traceparent",
            "x-delay",
            "x-e",
            "z",
            "x-death",
            "x-first-death-queue",
            "CC",
            "\u00e4");
    Arbitrary<FieldValue> values =
        Arbitraries.of(
            FieldValue.of("text"),
            new FieldValue.Int64(7),
            new FieldValue.Array(List.of(FieldValue.of("other"))),
            new FieldValue.Table(FieldTable.builder().put("x-death", "nested").build()));
    return Arbitraries.maps(names, values)
        .ofMaxSize(4)
        .map(
            fields -> {
              FieldTable.Builder table = FieldTable.builder();
              fields.forEach(table::put);
              return table.build();
            });
  }

  private static Message message(
      BasicProperties properties,
      String body,
      String exchange,
      String routingKey,
      List<String> blindKeys) {
    byte[] encoded = properties.encode();
    byte[] content = Arrays.copyOf(encoded, encoded.length + body.length());
    System.arraycopy(
        body.getBytes(StandardCharsets.UTF_8), 0, content, encoded.length, body.length());
    return new Message(
        ShortString.of(exchange),
        ShortString.of(routingKey),
        content,
        encoded.length,
        Message.NO_TTL,
        properties.priority() == null ? 0 : properties.priority(),
        Integer.valueOf(2).equals(properties.deliveryMode()),
        blindKeys);
  }
}
