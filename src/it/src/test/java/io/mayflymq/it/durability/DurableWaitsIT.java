package io.mayflymq.it.durability;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.RestartedTogether;
import io.mayflymq.it.harness.Time;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the effect of a restart on leases, locks and retry delays. */
@RestartedTogether
class DurableWaitsIT {
  private static final int LEASE = 3_000;
  private static final int LOCK = 3_000;
  private static final int LONG = 3_600_000;

  private RestartedBroker broker;

  private Http http() {
    return broker.http();
  }

  /** Asks the management API, which does not renew the lease of a queue. */
  private JsonNode queue(String name) throws Exception {
    return http().get(broker.queues() + name).json();
  }

  private boolean isGone(String queue) throws Exception {
    return http().get(broker.queues() + queue).status() == 404;
  }

  /** Waits until the log has the delivery of a message, and kills the broker. */
  private void killWithDeliveries() throws Exception {
    broker.letSettle();
    broker.restart(Ending.KILL);
  }

  @ParameterizedTest
  @EnumSource
  void aServiceBusLeaseStartsAgainAndDeadLettersItsMessagesAtItsEnd(Ending ending)
      throws Exception {
    Map<String, Object> leased =
        Map.of(
            "x-expires", LEASE,
            "x-expires-activity", "service-bus",
            "x-expires-action", "dead-letter");
    broker.queue("dead");
    broker.queue("unused", deadLetterTo("dead", leased));
    broker.publish("unused", "m");
    // A queue with a consumer has no lease, which could otherwise end before the broker does.
    Deliveries.from(broker.channel(), "unused", false).next();
    broker.letSettle();
    broker.end(ending);
    Time.pass(LEASE);
    long start = System.nanoTime();
    broker.start();
    await().until(() -> isGone("unused"));

    assertThat(Time.millisBetween(start, System.nanoTime())).isGreaterThanOrEqualTo(LEASE);
    GetResponse deadLetter = broker.get("dead");
    assertThat(RestartedBroker.body(deadLetter)).isEqualTo("m");
    assertThat(Headers.deaths(deadLetter.getProps()).get(0))
        .containsEntry("reason", "queue_expired");
    broker.letSettle();
    broker.restart(ending);
    assertThat(isGone("unused")).isTrue();
  }

  @Test
  void scheduledMessagesKeepALeaseAfterARestart() throws Exception {
    Map<String, Object> leased = Map.of("x-expires", LEASE, "x-expires-activity", "service-bus");
    Channel channel = broker.channel();
    channel.exchangeDeclare(
        "later", "x-delayed-message", true, false, Map.of("x-delayed-type", "fanout"));
    broker.queue("waiting", leased);
    channel.queueBind("waiting", "later", "");
    broker
        .publisher()
        .basicPublish(
            "later",
            "",
            RestartedBroker.PERSISTENT.builder().headers(Map.of("x-delay", LONG)).build(),
            bytes("m"));
    broker.awaitConfirms();
    broker.queue("unused", leased);
    broker.restart(Ending.KILL);
    await().until(() -> isGone("unused"));

    assertThat(queue("waiting").path("messages_delayed").asInt()).isEqualTo(1);
    long cancelled = System.nanoTime();
    assertThat(http().delete(broker.queues() + "waiting/scheduled").status()).isEqualTo(204);
    await().until(() -> isGone("waiting"));
    assertThat(Time.millisBetween(cancelled, System.nanoTime()))
        .isGreaterThanOrEqualTo(LEASE - 1.0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void lockedMessagesAreReadyAfterARestartWhichCountsAsAReturn(String type) throws Exception {
    broker.queue("q", Map.of("x-queue-type", type, "x-lock-duration", LONG, "x-delivery-limit", 5));
    broker.publish("q", "a", "b", "c");
    for (int returns = 0; returns < 2; returns++) {
      GetResponse again = broker.channel().basicGet("q", false);
      broker.channel().basicReject(again.getEnvelope().getDeliveryTag(), true);
    }
    broker.channel().basicQos(2);
    assertThat(Deliveries.from(broker.channel(), "q", false).next(2)).containsExactly("a", "b");
    killWithDeliveries();

    for (String body : new String[] {"a", "b", "c"}) {
      GetResponse got = broker.get("q");
      assertThat(RestartedBroker.body(got)).isEqualTo(body);
      boolean delivered = !body.equals("c");
      assertThat(got.getEnvelope().isRedeliver()).as(body).isEqualTo(delivered);
      if (delivered) {
        long returns = body.equals("a") ? 3 : 1;
        assertThat(got.getProps().getHeaders()).containsEntry("x-delivery-count", returns);
      }
    }
    assertThat(broker.get("q")).isNull();
  }

  @ParameterizedTest
  @CsvSource({"dead-letter, rejected, consumer-timeout", "requeue, delivery_limit, delivery-limit"})
  void locksAfterARestartHaveTheDurationOfTheQueue(String action, String reason, String setting)
      throws Exception {
    Map<String, Object> arguments =
        new HashMap<>(Map.of("x-consumer-timeout", LOCK, "x-consumer-timeout-action", action));
    arguments.put("x-delivery-limit", 1);
    broker.queue("dead");
    broker.queue("q", deadLetterTo("dead", arguments));
    broker.publish("q", "m");
    Map<String, Object> untilTheKill = Map.of("x-consumer-timeout", LONG);
    Deliveries.from(broker.channel(), "q", false, false, untilTheKill).next();
    killWithDeliveries();
    assertThat(broker.channel().messageCount("dead")).as("the lock ended with the broker").isZero();

    long before = System.nanoTime();
    Deliveries deliveries = Deliveries.from(broker.channel(), "q", false);
    assertThat(deliveries.next().redelivered()).isTrue();
    await().until(() -> queue("dead").path("messages_ready").asInt() == 1);
    assertThat(Time.millisBetween(before, System.nanoTime())).isGreaterThanOrEqualTo(LOCK - 1.0);
    assertThat(Headers.deaths(broker.get("dead").getProps()).get(0))
        .containsEntry("reason", reason);
    JsonNode deaths = http().get(broker.queues() + "q/deaths").json();
    assertThat(deaths.findValuesAsText("decided_by")).containsExactly(setting);
    broker.letSettle();
    broker.restart(Ending.KILL);
    assertThat(queue("q").path("messages").asInt()).isZero();
    assertThat(queue("dead").path("messages").asInt()).isZero();
  }

  private void awaitDelayed(int count) {
    await().until(() -> queue("q").path("messages_delayed").asInt() == count);
  }

  @ParameterizedTest
  @CsvSource({"classic, KILL", "quorum, KILL", "classic, SIGTERM", "quorum, SIGTERM"})
  void retryDelaysContinueAfterARestartAndKeepTheOrder(String type, Ending ending)
      throws Exception {
    int wait = 8_000;
    broker.queue(
        "q",
        Map.of(
            "x-queue-type",
            type,
            "x-delayed-retry-type",
            "all",
            "x-delayed-retry-delays",
            "1," + wait + "," + LONG));
    broker.publish("q", "a", "b");
    Channel channel = broker.channel();
    long rejected = 0;
    for (int returns = 1; returns <= 2; returns++) {
      await().until(() -> queue("q").path("messages_ready").asInt() == 2);
      GetResponse got = channel.basicGet("q", false);
      assertThat(RestartedBroker.body(got)).isEqualTo("a");
      rejected = System.nanoTime();
      channel.basicReject(got.getEnvelope().getDeliveryTag(), true);
    }
    awaitDelayed(1);
    broker.letSettle();
    broker.restart(ending);

    JsonNode restarted = queue("q");
    boolean waiting = Time.millisBetween(rejected, System.nanoTime()) < wait;
    if (waiting) {
      assertThat(restarted.path("messages_ready").asInt()).isEqualTo(1);
      assertThat(restarted.path("messages_delayed").asInt()).isEqualTo(1);
    }
    Deliveries deliveries = Deliveries.from(broker.channel(), "q", false);
    Deliveries.Delivery first = deliveries.next();
    Deliveries.Delivery second = deliveries.next();
    // On a slow machine the wait may have ended within the restart: then it is in its place again.
    Deliveries.Delivery again = first.body().equals("a") ? first : second;
    assertThat(List.of(first.body(), second.body())).containsExactlyInAnyOrder("a", "b");
    assertThat(again.redelivered()).isTrue();
    assertThat(again.properties().getHeaders()).containsEntry("x-delivery-count", 2L);
    assertThat(Time.millisBetween(rejected, again.nanos())).isGreaterThanOrEqualTo(wait - 1.0);
    broker.channel().basicReject(again.tag(), true);
    awaitDelayed(1);
    broker.letSettle();
    broker.restart(ending);

    assertThat(queue("q").path("messages_delayed").asInt()).as("the third wait").isEqualTo(1);
  }
}
