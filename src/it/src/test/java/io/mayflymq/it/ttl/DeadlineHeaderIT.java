package io.mayflymq.it.ttl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A deadline in a header holds in every queue that a message passes. */
@BlackBox
@MayflyOnly("RabbitMQ knows no deadlines in headers")
class DeadlineHeaderIT {
  private static final long HOUR = 3_600_000;

  private Http http;

  @BeforeEach
  void open(Target target) {
    http = target.http();
  }

  private static String queue(Amqp amqp, String type, Map<String, Object> more) throws Exception {
    String queue = amqp.name();
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-queue-type", type);
    arguments.put("x-deadline-header", "x-deadline");
    amqp.newChannel().queueDeclare(queue, true, false, false, arguments);
    return queue;
  }

  private static BasicProperties with(Object deadline) {
    return new BasicProperties.Builder()
        .deliveryMode(2)
        .headers(Map.of("x-deadline", deadline))
        .build();
  }

  private static long in(long millis) {
    return System.currentTimeMillis() + millis;
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void messageLeavesAtItsDeadlineAndOthersStay(String type, Amqp amqp) throws Exception {
    String queue = queue(amqp, type, Map.of());
    amqp.publish(queue, with(in(HOUR)), "later");
    amqp.publish(queue, with(in(50)), "soon");
    amqp.publish(queue, with("no time"), "none");
    amqp.publish(queue, with(Date.from(Instant.ofEpochMilli(in(HOUR)))), "timestamp");
    amqp.awaitReady(queue, 3);
    assertThat(amqp.drain(queue)).containsExactly("later", "none", "timestamp");
  }

  @Test
  void whatIsTooLateIsNotHandedOut(Amqp amqp) throws Exception {
    String queue = queue(amqp, "classic", Map.of());
    Deliveries consumer = amqp.consume(queue);
    amqp.publish(queue, with(in(-1000)), "over");
    amqp.publish(queue, with(in(HOUR)), "good");
    assertThat(consumer.next().body()).isEqualTo("good");
  }

  @Test
  void deadlineHoldsForDeadLetters(Amqp amqp) throws Exception {
    String last = queue(amqp, "classic", Map.of());
    String first = queue(amqp, "classic", Amqp.deadLetterTo(last, Map.of()));
    amqp.publish(first, with(in(300)), "job");
    Channel channel = amqp.newChannel();
    GetResponse got = channel.basicGet(first, false);
    channel.basicReject(got.getEnvelope().getDeliveryTag(), false);
    await()
        .atMost(Patience.TIME)
        .until(
            () ->
                http.get("queues/%2F/" + last).json().path("message_stats").path("expired").asInt()
                    == 1);
    assertThat(amqp.get(last)).isNull();
  }

  @Test
  void messageThatWouldBeDueAfterItsDeadlineDiesAtOnce(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = queue(amqp, "classic", Amqp.deadLetterTo(dead, Map.of()));
    String exchange = amqp.name();
    Channel channel = amqp.newChannel();
    channel.exchangeDeclare(
        exchange, "x-delayed-message", false, true, Map.of("x-delayed-type", "fanout"));
    channel.queueBind(queue, exchange, "");
    channel.basicPublish(
        exchange,
        "",
        new BasicProperties.Builder()
            .headers(Map.of("x-delay", HOUR, "x-deadline", in(HOUR / 2)))
            .build(),
        Amqp.bytes("late"));
    amqp.awaitReady(dead, 1);
    assertThat(amqp.drain(dead)).isEqualTo(List.of("late"));
  }

  @Test
  void oneWhoAskedIsTold(Amqp amqp) throws Exception {
    String answers = queue(amqp, "classic", Map.of());
    String queue = queue(amqp, "classic", Map.of("x-deadline-notify", "reply-to"));
    BasicProperties properties =
        with(in(50)).builder().replyTo(answers).correlationId("c-1").messageId("m-1").build();
    amqp.publish(queue, properties, "job");
    amqp.awaitReady(answers, 1);
    GetResponse notice = amqp.newChannel().basicGet(answers, true);
    assertThat(notice.getProps().getType()).isEqualTo("deadline");
    assertThat(notice.getProps().getCorrelationId()).isEqualTo("c-1");
    assertThat(notice.getProps().getMessageId()).isEqualTo("m-1");
    assertThat(notice.getProps().getHeaders().get("x-deadline-queue")).hasToString(queue);
    assertThat((long) notice.getProps().getHeaders().get("x-deadline-waited")).isNotNegative();
  }
}
