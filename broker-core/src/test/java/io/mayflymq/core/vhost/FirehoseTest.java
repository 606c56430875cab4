package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Copies of what is published and delivered: their keys, headers and bodies. */
class FirehoseTest {
  private static final Firehose.Client CLIENT =
      new Firehose.Client("mayfly@here", "127.0.0.1:5000 -> 127.0.0.1:5672", 3, "ann");

  private final TestBroker broker = TestBroker.of(1);
  private final Firehose firehose = broker.vhost.firehose();

  private void listen(String key) {
    broker.declare("trace");
    broker.vhost.bind(Binding.toQueue(ExchangeDefinition.TRACE, "trace", key), null);
    broker.trimMemory();
  }

  private List<Message> copies() {
    broker.trimMemory();
    List<Message> copies = new ArrayList<>();
    for (GetResult next = broker.fetch("trace"); next != null; next = broker.fetch("trace")) {
      copies.add(next.message());
    }
    return copies;
  }

  private Message copy() {
    List<Message> copies = copies();
    assertThat(copies).hasSize(1);
    return copies.get(0);
  }

  private static Message message(
      String exchange, String key, BasicProperties properties, List<String> blindKeys) {
    byte[] encoded = properties.encode();
    byte[] body = "hello".getBytes(StandardCharsets.UTF_8);
    byte[] content = Arrays.copyOf(encoded, encoded.length + body.length);
    System.arraycopy(body, 0, content, encoded.length, body.length);
    return new Message(
        ShortString.of(exchange),
        ShortString.of(key),
        content,
        encoded.length,
        Message.NO_TTL,
        0,
        false,
        blindKeys);
  }

  private static Message plain(String exchange, String key) {
    return message(exchange, key, BasicProperties.EMPTY, List.of());
  }

  private static FieldValue texts(String... texts) {
    return new FieldValue.Array(Arrays.stream(texts).<FieldValue>map(FieldValue::of).toList());
  }

  @Test
  void firehoseIsOffByDefault() {
    assertThat(firehose.isOn()).isFalse();
    firehose.turn(true);
    assertThat(firehose.isOn()).isTrue();
    firehose.turn(false);
    assertThat(firehose.isOn()).isFalse();
  }

  @Test
  void copyOfAPublishedMessageNamesItsExchangeAndQueues() {
    listen("publish.#");
    firehose.published(plain("logs", "error"), List.of("q1", "q2"), CLIENT);
    Message copy = copy();
    assertThat(copy.exchange().value()).isEqualTo("amq.rabbitmq.trace");
    assertThat(copy.routingKey().value()).isEqualTo("publish.logs");
    assertThat(copy.body()).asString(StandardCharsets.UTF_8).isEqualTo("hello");
    assertThat(copy.headers())
        .isEqualTo(
            FieldTable.builder()
                .put("exchange_name", "logs")
                .put("routing_keys", texts("error"))
                .put("properties", FieldTable.EMPTY)
                .put("node", "mayfly@here")
                .put("vhost", "/")
                .put("connection", "127.0.0.1:5000 -> 127.0.0.1:5672")
                .put("channel", 3)
                .put("user", "ann")
                .put("routed_queues", texts("q1", "q2"))
                .build());
  }

  @Test
  void copyOfADeliveredMessageHasItsQueueAndRedeliveredFlag() {
    listen("deliver.#");
    firehose.delivered(plain("", "q"), "q", false, CLIENT);
    firehose.delivered(plain("", "q"), "q", true, CLIENT);
    List<Message> copies = copies();
    assertThat(copies).extracting(copy -> copy.routingKey().value()).containsOnly("deliver.q");
    assertThat(copies)
        .extracting(copy -> copy.headers().get("redelivered"))
        .containsExactly(new FieldValue.Int32(0), new FieldValue.Int32(1));
    assertThat(copies.get(0).headers().get("exchange_name")).isEqualTo(FieldValue.of(""));
    assertThat(copies.get(0).headers().get("routed_queues")).isNull();
  }

  @Test
  void copyOfAPublishedMessageHasAllRoutingKeys() {
    listen("#");
    FieldTable headers = FieldTable.builder().put("CC", texts("second")).build();
    BasicProperties properties = BasicProperties.builder().headers(headers).build();
    firehose.published(message("x", "first", properties, List.of("blind")), List.of(), CLIENT);
    assertThat(copy().headers().get("routing_keys")).isEqualTo(texts("first", "second", "blind"));
  }

  @Test
  void propertiesInACopyHaveRabbitMqsNames() {
    listen("#");
    FieldTable headers = FieldTable.builder().put("a", 1).build();
    BasicProperties properties =
        BasicProperties.builder()
            .contentType("text/plain")
            .headers(headers)
            .deliveryMode(2)
            .priority(5)
            .correlationId("c")
            .timestamp(1L << 40)
            .userId("ann")
            .build();
    firehose.published(message("x", "k", properties, List.of()), List.of(), CLIENT);
    assertThat(copy().headers().get("properties"))
        .isEqualTo(
            new FieldValue.Table(
                FieldTable.builder()
                    .put("content_type", "text/plain")
                    .put("headers", headers)
                    .put("delivery_mode", 2)
                    .put("priority", 5)
                    .put("correlation_id", "c")
                    .put("timestamp", 1L << 40)
                    .put("user_id", "ann")
                    .build()));
  }

  @Test
  void copiesOfTheFirehoseAreNotCopiedAgain() {
    listen("#");
    firehose.published(plain(ExchangeDefinition.TRACE, "publish.x"), List.of("trace"), CLIENT);
    firehose.delivered(plain(ExchangeDefinition.TRACE, "publish.x"), "trace", false, CLIENT);
    assertThat(copies()).isEmpty();
  }

  @Test
  void tooLongRoutingKeyOfACopyIsCutBetweenCharacters() {
    listen("#");
    String exchange = "x" + "ä".repeat(127);
    firehose.published(plain(exchange, "k"), List.of(), CLIENT);
    Message copy = copy();
    assertThat(copy.routingKey().value()).isEqualTo("publish.x" + "ä".repeat(123));
    assertThat(copy.headers().get("exchange_name")).isEqualTo(FieldValue.of(exchange));
  }
}
