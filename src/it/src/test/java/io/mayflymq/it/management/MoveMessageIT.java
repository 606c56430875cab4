package io.mayflymq.it.management;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import io.mayflymq.it.harness.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Moving some of the ready messages of a queue elsewhere. */
@BlackBox
@MayflyOnly("RabbitMQ moves all of them by a shovel only")
class MoveMessageIT {
  private Http http;

  @BeforeEach
  void open(Target target) {
    http = target.http();
  }

  private static String queue(Amqp amqp, Map<String, Object> arguments) throws Exception {
    String queue = amqp.name();
    amqp.channel().queueDeclare(queue, true, false, false, arguments);
    return queue;
  }

  /** Messages 0 to 9, with their numbers as ids, and headers. */
  private static String filled(Amqp amqp, String type) throws Exception {
    String queue = queue(amqp, Map.of("x-queue-type", type));
    Channel channel = amqp.confirming();
    for (int number = 0; number < 10; number++) {
      BasicProperties properties =
          new BasicProperties.Builder()
              .deliveryMode(2)
              .messageId("m" + number)
              .headers(Map.of("tenant", number % 2 == 0 ? "even" : "odd"))
              .build();
      channel.basicPublish("", queue, properties, bytes("" + number));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    return queue;
  }

  private static List<GetResponse> taken(Amqp amqp, String queue) throws Exception {
    List<GetResponse> all = new ArrayList<>();
    Channel channel = amqp.channel();
    for (GetResponse got = channel.basicGet(queue, true);
        got != null;
        got = channel.basicGet(queue, true)) {
      all.add(got);
    }
    return all;
  }

  private static String left(Amqp amqp, String queue) throws Exception {
    return String.join(
        "", taken(amqp, queue).stream().map(got -> Amqp.text(got.getBody())).toList());
  }

  private Http.Reply post(String queue, String suffix, String body) throws Exception {
    return http.post("queues/%2F/" + queue + "/messages/move" + suffix, body);
  }

  private JsonNode move(String queue, String body) throws Exception {
    Http.Reply reply = post(queue, "", body);
    assertThat(reply.status()).as("%s", reply.json()).isEqualTo(200);
    assertThat(reply.json().path("state").asText()).isEqualTo("done");
    return reply.json();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "classic | classic | 'sequence':7 | 7 | 012345689",
        "classic | quorum | 'sequence':0 | 0 | 123456789",
        "quorum | classic | 'message_id':'m4' | 4 | 012356789",
        "quorum | quorum | 'sequence':9 | 9 | 012345678",
        "classic | classic | 'headers':{'tenant':'odd'} | 13579 | 02468",
        "quorum | classic | 'headers':{'tenant':'even'},'count':2 | 02 | 13456789",
        "classic | quorum | 'older_than':0 | 0123456789 | ''",
        "classic | stream | 'sequence':3 | '' | 012456789",
        "classic | classic | 'older_than':3600000 | '' | 0123456789",
        "quorum | quorum | 'sequence':10 | '' | 0123456789"
      })
  void thoseThatAreChosenMoveInTheirOrder(
      String from, String to, String choice, String moved, String stay, Amqp amqp)
      throws Exception {
    String source = filled(amqp, from);
    String target = queue(amqp, Map.of("x-queue-type", to));
    String body = "{%s,'to':'%s'}".formatted(choice, target).replace('\'', '"');
    int count = to.equals("stream") ? 1 : moved.length();
    Http.Reply forecast = post(source, "/dry-run", body);
    assertThat(forecast.json().path("moved").asInt()).as("%s", forecast.json()).isEqualTo(count);
    amqp.awaitReady(source, 10);

    JsonNode report = move(source, body);
    assertThat(report.path("moved").asInt()).isEqualTo(count);
    assertThat(report.path("moved_to").path(target).asInt()).isEqualTo(count);
    assertThat(report.path("skipped").asInt()).isZero();
    assertThat(left(amqp, source)).isEqualTo(stay);
    if (!to.equals("stream")) {
      assertThat(left(amqp, target)).isEqualTo(moved);
    }
  }

  @Test
  void aMovedMessageIsWhatItWas(Amqp amqp) throws Exception {
    String source = queue(amqp, Map.of());
    String target = queue(amqp, Map.of());
    amqp.publish(
        source,
        new BasicProperties.Builder()
            .deliveryMode(2)
            .messageId("id")
            .correlationId("c")
            .priority(3)
            .expiration("3600000")
            .headers(Map.of("a", 1, "b", List.of("x", "y")))
            .build(),
        "body");
    long before = System.currentTimeMillis();
    assertThat(
            move(source, "{\"message_id\":\"id\",\"to\":\"%s\"}".formatted(target)).path("moved"))
        .hasToString("1");
    GetResponse got = taken(amqp, target).get(0);
    assertThat(Amqp.text(got.getBody())).isEqualTo("body");
    assertThat(got.getEnvelope().isRedeliver()).isFalse();
    assertThat(got.getEnvelope().getExchange()).isEmpty();
    assertThat(got.getEnvelope().getRoutingKey()).isEqualTo(source);
    BasicProperties properties = got.getProps();
    assertThat(properties.getMessageId()).isEqualTo("id");
    assertThat(properties.getCorrelationId()).isEqualTo("c");
    assertThat(properties.getPriority()).isEqualTo(3);
    assertThat(properties.getDeliveryMode()).isEqualTo(2);
    assertThat(Long.parseLong(properties.getExpiration())).isBetween(3_500_000L, 3_600_000L);
    assertThat(properties.getHeaders()).containsOnlyKeys("a", "b", "x-moved");
    Map<?, ?> mark = (Map<?, ?>) properties.getHeaders().get("x-moved");
    assertThat(mark.get("queue")).hasToString(source);
    assertThat(mark.get("sequence")).isEqualTo(0L);
    assertThat((Long) mark.get("time")).isBetween(before, System.currentTimeMillis());
  }

  @ParameterizedTest
  @CsvSource({"classic,classic", "classic,quorum", "quorum,classic"})
  void whatStoodStillIsLeftOfItsTime(String from, String to, Amqp amqp) throws Exception {
    String source = queue(amqp, Map.of("x-queue-type", from));
    String target = queue(amqp, Map.of("x-queue-type", to));
    amqp.publishExpiring(source, 3_600_000, "m");
    amqp.awaitReady(source, 1);
    String pause = "queues/%2F/" + source + "/pause";
    assertThat(http.put(pause, "{\"what\":\"deliveries\",\"ttl\":\"stop\"}").status())
        .isEqualTo(201);
    Time.pass(200);
    JsonNode shown = http.get("queues/%2F/" + source + "/messages").json().path("items").get(0);
    long left = shown.path("ttl_left_ms").asLong();
    move(source, "{\"sequence\":0,\"to\":\"%s\"}".formatted(target));
    http.delete(pause);
    // The deadline is the end of the last millisecond, and the answer took its time.
    assertThat(Long.parseLong(taken(amqp, target).get(0).getProps().getExpiration()))
        .isBetween(left - 1, 3_600_000L);
  }

  @Test
  void anExchangeRoutesItByAnotherKeyOrByItsOwn(Amqp amqp) throws Exception {
    String source = filled(amqp, "classic");
    String target = queue(amqp, Map.of());
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    amqp.bind(target, exchange, "new");
    String body = "{\"sequence\":%d,\"exchange\":\"%s\"%s}";
    JsonNode stays = move(source, body.formatted(1, exchange, ""));
    assertThat(stays.path("moved").asInt()).isZero();
    assertThat(stays.path("skipped_because").path("unroutable").asInt()).isEqualTo(1);
    amqp.awaitReady(source, 10);
    move(source, body.formatted(1, exchange, ",\"routing_key\":\"new\""));
    GetResponse got = taken(amqp, target).get(0);
    assertThat(got.getEnvelope().getExchange()).isEqualTo(exchange);
    assertThat(got.getEnvelope().getRoutingKey()).isEqualTo("new");
    amqp.bind(target, exchange, source);
    assertThat(move(source, body.formatted(2, exchange, "")).path("moved").asInt()).isEqualTo(1);
    assertThat(left(amqp, target)).isEqualTo("2");
    assertThat(left(amqp, source)).isEqualTo("03456789");
  }

  @Test
  void aMessageThatNoQueueTakesStays(Amqp amqp) throws Exception {
    String source = filled(amqp, "quorum");
    String full = queue(amqp, Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    amqp.publish(full, "there");
    JsonNode report = move(source, "{\"count\":3,\"to\":\"%s\"}".formatted(full));
    assertThat(report.path("moved").asInt()).isZero();
    assertThat(report.path("skipped_because").path("refused").asInt()).isPositive();
    assertThat(left(amqp, source)).isEqualTo("0123456789");
    assertThat(left(amqp, full)).isEqualTo("there");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | expected at least one of count, headers, message_id, older_than, sequence",
        "{'to':'%2$s'} | expected at least one of",
        "{'headers':{},'to':'%2$s'} | expected at least one of",
        "{'headers':null,'to':'%2$s'} | expected at least one of",
        "{'headers':{'h':[1]},'to':'%2$s'} | headers: 'h' should be a text, a number, true or false",
        "{'count':1,'to':5} | to should be a text, actually was 5",
        "{'message_id':1,'to':'%2$s'} | message_id should be a text, actually was 1",
        "{'count':1} | expected either to, a queue, or exchange, with or without routing_key",
        "{'count':1,'to':'%2$s','exchange':'amq.fanout'} | expected either to, a queue, or exchange",
        "{'count':1,'to':'%2$s','routing_key':'k'} | routing_key needs exchange",
        "{'count':0,'to':'%2$s'} | count should be a number, 1 or more, actually was 0",
        "{'sequence':'x','to':'%2$s'} | sequence should be a number, 0 or more, actually was \\\"x\\\"",
        "{'count':1,'to':'%1$s'} | has the messages already",
        "{'count':1,'to':'none'} | no queue 'none' in vhost '/'",
        "{'count':1,'exchange':'none'} | no exchange 'none' in vhost '/'",
        "{'count':1,'to':'%2$s','key':'k'} | field should be one of count, exchange, headers"
      })
  void badRequestsAreRefusedAndNothingMoves(String body, String text, Amqp amqp) throws Exception {
    String source = filled(amqp, "classic");
    String target = queue(amqp, Map.of());
    Http.Reply refused = post(source, "", body.formatted(source, target).replace('\'', '"'));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.raw().body()).contains(text);
    amqp.awaitReady(source, 10);
    assertThat(amqp.ready(target)).isZero();
  }

  @Test
  void unacknowledgedMessagesStay(Amqp amqp) throws Exception {
    String source = filled(amqp, "classic");
    String target = queue(amqp, Map.of());
    Channel channel = amqp.newChannel();
    channel.basicGet(source, false);
    assertThat(
            move(source, "{\"sequence\":0,\"to\":\"%s\"}".formatted(target)).path("moved").asInt())
        .isZero();
    assertThat(
            move(source, "{\"count\":100,\"to\":\"%s\"}".formatted(target)).path("moved").asInt())
        .isEqualTo(9);
    channel.close();
    amqp.awaitReady(source, 1);
    assertThat(left(amqp, source)).isEqualTo("0");
  }

  @Test
  void theDeathJournalSaysWhoMovedAndWhoDeleted(Amqp amqp) throws Exception {
    String source = filled(amqp, "classic");
    String target = queue(amqp, Map.of());
    move(source, "{\"sequence\":2,\"to\":\"%s\"}".formatted(target));
    http.post("queues/%2F/" + source + "/purge", "{\"headers\":{\"tenant\":\"odd\"}}");
    String deaths = "queues/%2F/" + source + "/deaths";
    await()
        .atMost(Patience.TIME)
        .untilAsserted(() -> assertThat(http.get(deaths).json()).hasSize(6));
    JsonNode moved = http.get(deaths + "?reason=moved").json();
    assertThat(moved).hasSize(1);
    assertThat(moved.get(0).path("message_id").asText()).isEqualTo("m2");
    assertThat(moved.get(0).path("decided_by").asText()).isEqualTo("operator");
    assertThat(moved.get(0).path("by").asText()).isEqualTo("guest");
    assertThat(moved.get(0).path("fate").asText()).isEqualTo("moved");
    assertThat(moved.get(0).path("dead_letter_queues").get(0).asText()).isEqualTo(target);
    JsonNode deleted = http.get(deaths + "?reason=deleted&message_id=m7").json();
    assertThat(deleted).hasSize(1);
    assertThat(deleted.get(0).path("by").asText()).isEqualTo("guest");
    assertThat(deleted.get(0).path("fate").asText()).isEqualTo("deleted");
    assertThat(http.get(deaths + "?reason=gone").raw().body())
        .contains("queue_deleted, deleted, moved, actually was gone");
    assertThat(http.get("queues/%2F/" + source).json().path("message_stats").path("moved").asInt())
        .isEqualTo(1);
  }
}
