package io.mayflymq.it.schedule;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ChannelErrors;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The header {@code x-deliver-at}: behind a delayed exchange, and in any queue. */
@BlackBox
@MayflyOnly("the plugin knows no such header")
class DeliverAtIT {
  private static final String HEADER = "x-deliver-at";
  private static final long HOUR = 3_600_000;
  private static final long TEN_YEARS = 315_619_200_000L;

  private Http http;

  @BeforeEach
  void open(Amqp amqp) {
    http = amqp.target().http();
  }

  private static String queue(Amqp amqp, String type, Map<String, Object> more) throws Exception {
    String queue = amqp.name();
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-queue-type", type);
    arguments.put("x-deliver-at-header", HEADER);
    amqp.newChannel().queueDeclare(queue, true, false, false, arguments);
    return queue;
  }

  private static String delayed(Amqp amqp, String queue) throws Exception {
    String exchange = amqp.name();
    Channel channel = amqp.newChannel();
    channel.exchangeDeclare(
        exchange, "x-delayed-message", false, false, Map.of("x-delayed-type", "fanout"));
    channel.queueBind(queue, exchange, "");
    return exchange;
  }

  private static BasicProperties at(Object time) {
    return with(Map.of(HEADER, time));
  }

  private static BasicProperties with(Map<String, Object> headers) {
    return new BasicProperties.Builder().deliveryMode(2).headers(headers).build();
  }

  private static long in(long millis) {
    return System.currentTimeMillis() + millis;
  }

  private long scheduled(String queue) throws Exception {
    return http.get("queues/%2F/" + queue).json().path("messages_scheduled").asLong();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void messageWaitsInItsQueue(String type, Amqp amqp) throws Exception {
    String queue = queue(amqp, type, Map.of());
    long due = in(600);
    amqp.publish(queue, at(due), "later");
    amqp.publish(queue, "now");
    amqp.publish(queue, at(Long.toString(in(HOUR))), "much later");
    Deliveries consumer = amqp.consume(queue);
    assertThat(consumer.next().body()).isEqualTo("now");
    Delivery later = consumer.next();
    assertThat(later.body()).isEqualTo("later");
    assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(due);
    assertThat(later.properties().getHeaders()).containsEntry(HEADER, due);
    assertThat(scheduled(queue)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void waitingMessagesAreListedAndCancelled(String type, Amqp amqp) throws Exception {
    String queue = queue(amqp, type, Map.of());
    long due = in(HOUR);
    amqp.publish(queue, at(due).builder().messageId("one").build(), "x");
    amqp.publish(queue, at(due + 1000).builder().messageId("two").build(), "y");
    JsonNode items = http.get("queues/%2F/" + queue + "/scheduled").json().get("items");
    assertThat(items).hasSize(2);
    assertThat(items.get(0).get("due_at").asLong()).isEqualTo(due);
    ControlCommand control = ControlCommand.of(amqp.target());
    assertThat(control.run("list_scheduled", queue, "-s").out()).hasSize(2);
    assertThat(control.run("cancel_scheduled", queue, "one").exit()).isZero();
    assertThat(scheduled(queue)).isEqualTo(1);
  }

  @Test
  void policyNamesTheHeader(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String policy = PolicyFixture.policy(queue, "{\"deliver-at-header\":\"not-before\"}");
    assertThat(http.put("policies/%2F/" + queue, policy).status()).isBetween(201, 204);
    try {
      await()
          .atMost(Patience.TIME)
          .until(
              () -> {
                amqp.publish(queue, with(Map.of("not-before", in(HOUR))), "x");
                return scheduled(queue) > 0;
              });
      assertThat(http.get("queues/%2F/" + queue + "/effective").json().toString())
          .contains("not-before");
    } finally {
      http.delete("policies/%2F/" + queue);
    }
  }

  @Test
  void timesThatAreNoneAreDeliveredAtOnce(Amqp amqp) throws Exception {
    String queue = queue(amqp, "classic", Map.of());
    String plain = amqp.queue();
    String exchange = delayed(amqp, plain);
    Channel channel = amqp.confirming();
    List<Object> none = List.of("tomorrow", -5L, 1.5e12, in(-1), "", true, in(-HOUR) + "");
    for (Object each : none) {
      channel.basicPublish("", queue, at(each), bytes("" + each));
      channel.basicPublish(exchange, "", at(each), bytes("" + each));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    List<String> texts = none.stream().map(Object::toString).toList();
    assertThat(amqp.drain(queue)).isEqualTo(texts);
    assertThat(amqp.drain(plain)).isEqualTo(texts);
  }

  @Test
  void timeTooFarAwayIsRefused(Amqp amqp) throws Exception {
    String queue = queue(amqp, "classic", Map.of());
    String exchange = delayed(amqp, amqp.queue());
    List<Object> far =
        List.of(in(TEN_YEARS + HOUR), Long.MAX_VALUE, "1" + "0".repeat(18), "9".repeat(30));
    for (String to : List.of("", exchange)) {
      for (Object time : far) {
        Channel channel = amqp.newChannel();
        channel.basicPublish(to, queue, at(time), bytes("x"));
        assertThat(ChannelErrors.awaitShutdown(channel).getReason().toString())
            .contains("406")
            .contains("PRECONDITION_FAILED - invalid header 'x-deliver-at': ")
            .contains("is more than the longest delay, " + TEN_YEARS + " ms");
      }
    }
  }

  @Test
  void delayedExchangeTakesTheLaterOfBoth(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String exchange = delayed(amqp, queue);
    Channel channel = amqp.confirming();
    long start = System.currentTimeMillis();
    channel.basicPublish(
        exchange, "", with(Map.of("x-delay", 300, HEADER, start + HOUR)), bytes("by time"));
    channel.basicPublish(
        exchange, "", with(Map.of("x-delay", HOUR, HEADER, start + 300)), bytes("by delay"));
    channel.basicPublish(exchange, "", at(start + 400), bytes("soon"));
    channel.basicPublish(
        exchange, "", at(Date.from(Instant.ofEpochMilli(start + HOUR))), bytes("timestamp"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    Delivery soon = amqp.consume(queue).next();
    assertThat(soon.body()).isEqualTo("soon");
    assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(start + 400);
    assertThat(scheduled(queue)).isEqualTo(3);
    JsonNode items = http.get("queues/%2F/" + queue + "/scheduled").json().get("items");
    for (JsonNode item : items) {
      assertThat(item.get("due_at").asLong()).isGreaterThanOrEqualTo(start + HOUR - 1000);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void messageWhoseDeadlineLiesBeforeDiesAtOnce(String type, Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue =
        queue(amqp, type, Amqp.deadLetterTo(dead, Map.of("x-deadline-header", "x-deadline")));
    amqp.publish(queue, with(Map.of(HEADER, in(HOUR), "x-deadline", in(HOUR / 2))), "late");
    amqp.awaitReady(dead, 1);
    assertThat(scheduled(queue)).isZero();
    JsonNode stats = http.get("queues/%2F/" + queue).json().path("message_stats");
    assertThat(stats.path("expired_by_deadline").asInt()).isEqualTo(1);
    assertThat(stats.path("publish").asInt()).isEqualTo(1);
  }

  @Test
  void deadLetterWaitsInItsQueue(Amqp amqp) throws Exception {
    String last = queue(amqp, "classic", Map.of());
    String first = amqp.queue(Amqp.deadLetterTo(last, Map.of("x-message-ttl", 1)));
    amqp.publish(first, at(in(HOUR)), "x");
    await().atMost(Patience.TIME).until(() -> scheduled(last) == 1);
    assertThat(amqp.get(last)).isNull();
  }
}
