package io.mayflymq.it.consume;

import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.PolicyFixture;
import io.mayflymq.it.harness.Time;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests returned messages that wait before they are delivered again. */
@BlackBox
@MayflyOnly("RabbitMQ has it from 4.3 on, for quorum queues")
class RetryIT extends PolicyFixture {
  private static Map<String, Object> with(Map<String, Object> more) {
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.putIfAbsent("x-delayed-retry-type", "all");
    return arguments;
  }

  /** Rejects a message repeatedly, and measures the delays. */
  private static void assertWaits(Amqp amqp, Map<String, Object> arguments, double... waits)
      throws Exception {
    String queue = amqp.name();
    boolean quorum = arguments.containsKey("x-queue-type");
    amqp.newChannel().queueDeclare(queue, quorum, false, false, arguments);
    Channel channel = amqp.newChannel();
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    amqp.publish(queue, "m");
    Deliveries.Delivery delivery = deliveries.next();
    for (double wait : waits) {
      long rejected = System.nanoTime();
      channel.basicReject(delivery.tag(), true);
      delivery = deliveries.next();
      assertThat(Time.millisBetween(rejected, delivery.nanos())).isGreaterThanOrEqualTo(wait);
      assertThat(delivery.redelivered()).isTrue();
    }
    assertThat(delivery.properties().getHeaders())
        .containsEntry("x-delivery-count", (long) waits.length);
    channel.queueDelete(queue);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void theRetryDelayGrowsLinearlyUpToTheMaximum(String type, Amqp amqp) throws Exception {
    Map<String, Object> arguments =
        with(Map.of("x-delayed-retry-min", 100, "x-delayed-retry-max", 250));
    if (type.equals("quorum")) {
      arguments.put("x-queue-type", "quorum");
    }
    assertWaits(amqp, arguments, 100, 200, 250);
  }

  @Test
  void theRetryDelayCanGrowExponentially(Amqp amqp) throws Exception {
    assertWaits(
        amqp,
        with(
            Map.of(
                "x-delayed-retry-min", 80,
                "x-delayed-retry-max", 1000,
                "x-delayed-retry-backoff", "exponential")),
        80,
        160,
        320);
  }

  @Test
  void theRetryDelayCanHaveJitter(Amqp amqp) throws Exception {
    assertWaits(
        amqp,
        with(
            Map.of(
                "x-delayed-retry-min", 200,
                "x-delayed-retry-max", 200,
                "x-delayed-retry-jitter", 50)),
        100,
        100);
  }

  @Test
  void theRetryDelaysCanBeAList(Amqp amqp) throws Exception {
    assertWaits(amqp, with(Map.of("x-delayed-retry-delays", "150,50,100")), 150, 50, 100, 100);
  }

  @Test
  void aRejectCountsAsFailedAndANackAsReturned(Amqp amqp) throws Exception {
    for (String type : new String[] {"failed", "returned"}) {
      String queue =
          amqp.queue(
              Map.of(
                  "x-delayed-retry-type", type,
                  "x-delayed-retry-min", 60_000,
                  "x-delayed-retry-max", 60_000));
      Channel channel = amqp.newChannel();
      amqp.publish(queue, "rejected");
      amqp.publish(queue, "nacked");
      channel.basicReject(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), true);
      GetResponse nacked = channel.basicGet(queue, false);
      if (type.equals("returned")) {
        assertThat(Amqp.text(nacked.getBody())).as("back at once").isEqualTo("rejected");
        channel.basicAck(nacked.getEnvelope().getDeliveryTag(), false);
        nacked = channel.basicGet(queue, false);
      }
      channel.basicNack(nacked.getEnvelope().getDeliveryTag(), false, true);
      channel.basicRecover(true);

      assertThat(amqp.ready(queue)).as(type).isEqualTo(type.equals("failed") ? 1 : 0);
      awaitDelayed(queue, 1);
    }
  }

  private void awaitDelayed(String queue, int count) {
    await()
        .untilAsserted(
            () -> {
              var object = http.get("queues/%2F/" + queue).json();
              assertThat(object.path("messages_delayed").asInt()).isEqualTo(count);
              assertThat(object.path("messages_scheduled").asInt(-1)).isZero();
              assertThat(object.path("messages_unacknowledged").asInt()).isZero();
            });
  }

  @Test
  void messagesOfAClosedChannelCountAsFailed(Amqp amqp) throws Exception {
    String queue =
        amqp.queue(
            Map.of(
                "x-delayed-retry-type", "failed",
                "x-delayed-retry-min", 60_000,
                "x-delayed-retry-max", 60_000));
    amqp.publish(queue, "m");
    Channel channel = amqp.newChannel();
    channel.basicGet(queue, false);
    channel.close();

    awaitDelayed(queue, 1);
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void theDeliveryLimitAndTheTtlApplyDuringRetries(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    Map<String, Object> retry = Map.of("x-delayed-retry-delays", "60000");
    String limited = amqp.queue(deadLetterTo(dead, with(with(retry, "x-delivery-limit", 0))));
    String expiring = amqp.queue(deadLetterTo(dead, with(with(retry, "x-message-ttl", 3_000))));
    Channel channel = amqp.newChannel();
    for (String queue : new String[] {limited, expiring}) {
      amqp.publish(queue, queue);
      channel.basicReject(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), true);
      amqp.awaitReady(dead, 1);
      GetResponse deadLetter = channel.basicGet(dead, true);
      assertThat(Amqp.text(deadLetter.getBody())).isEqualTo(queue);
      assertThat(deadLetter.getProps().getHeaders().get("x-first-death-reason"))
          .hasToString(queue.equals(limited) ? "delivery_limit" : "expired");
    }
  }

  private static Map<String, Object> with(Map<String, Object> map, String key, Object value) {
    Map<String, Object> more = new HashMap<>(map);
    more.put(key, value);
    return more;
  }

  /** RabbitMQ 4.3.6 was seen to do the same. */
  @Test
  void waitingMessagesOfAQuorumQueueCountAndArePurged(Amqp amqp) throws Exception {
    String queue = amqp.name();
    Channel channel = amqp.newChannel();
    channel.queueDeclare(
        queue,
        true,
        false,
        false,
        Map.of(
            "x-queue-type",
            "quorum",
            "x-delayed-retry-type",
            "all",
            "x-delayed-retry-min",
            60_000,
            "x-max-length",
            1));
    channel.confirmSelect();
    amqp.publish(queue, "waits");
    channel.basicNack(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false, true);
    awaitDelayed(queue, 1);
    channel.basicPublish("", queue, null, "dropped".getBytes(UTF_8));
    assertThat(channel.waitForConfirms()).as("confirmed").isTrue();
    assertThat(channel.basicGet(queue, true)).as("and dropped at once").isNull();
    assertThat(http.get("queues/%2F/" + queue).json().path("messages").asInt()).isOne();
    assertThat(channel.queueDeclarePassive(queue).getMessageCount()).as("ready").isZero();
    assertThat(channel.queuePurge(queue).getMessageCount()).isOne();
    awaitDelayed(queue, 0);
    channel.queueDelete(queue);
  }

  @Test
  void aPolicyCanSetRetryDelays(Amqp amqp) throws Exception {
    String queue = amqp.queue(name, Map.of());
    http.put(
        "policies/%2F/" + name,
        policy(name, "{\"delayed-retry-type\":\"all\",\"delayed-retry-delays\":\"60000\"}"));
    Channel channel = amqp.newChannel();
    amqp.publish(queue, "m");
    channel.basicReject(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), true);
    awaitDelayed(queue, 1);
    assertThat(amqp.ready(queue)).isZero();
  }
}
