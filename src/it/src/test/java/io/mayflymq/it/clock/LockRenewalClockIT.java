package io.mayflymq.it.clock;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A renewed lock ends at its own millisecond. */
@OwnBroker
class LockRenewalClockIT {
  private static final int LOCK = 10_000;

  private static EmbeddedBroker broker;

  private Connection connection;
  private Channel channel;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.builder().set("clock", "manual").start();
  }

  @AfterAll
  static void stop() {
    assertThat(broker.stop()).isZero();
    assertThat(broker.complaints()).isEmpty();
  }

  @BeforeEach
  void connect() throws Exception {
    connection = broker.factory().newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  @AfterEach
  void disconnect() throws Exception {
    connection.close();
  }

  private static void advance(long millis) throws Exception {
    Http.Reply reply = broker.http().post("clock", "{\"advance_ms\":%d}".formatted(millis));
    assertThat(reply.status()).as("%s", reply.json()).isEqualTo(200);
  }

  private boolean renew(long tag, Map<String, Object> headers) throws Exception {
    channel.basicPublish(
        "amq.lock",
        Long.toString(tag),
        new BasicProperties.Builder().headers(headers).build(),
        new byte[0]);
    return channel.waitForConfirms(Patience.MILLIS);
  }

  private long delivered(String queue, Map<String, Object> arguments) throws Exception {
    channel.queueDeclare(queue, true, false, false, arguments);
    channel.basicPublish("", queue, null, bytes("m"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    return channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void aRenewedLockLastsAsLongAsANewOne(String type) throws Exception {
    String queue = "renewed-" + type;
    long tag = delivered(queue, Map.of("x-queue-type", type, "x-lock-duration", LOCK));
    for (int i = 0; i < 5; i++) {
      advance(LOCK - 1);
      assertThat(renew(tag, Map.of())).isTrue();
    }
    advance(LOCK - 1);
    assertThat(channel.messageCount(queue)).isZero();
    // A lock is over when its last millisecond is.
    advance(2);
    assertThat(channel.messageCount(queue)).isEqualTo(1);
    assertThat(renew(tag, Map.of())).isFalse();
    Deliveries again = Deliveries.from(channel, queue, false);
    assertThat(again.next().redelivered()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void aLockThatMayNotBeRenewedEndsAsItWould(String type) throws Exception {
    String queue = "seldom-" + type;
    long tag =
        delivered(
            queue, Map.of("x-queue-type", type, "x-lock-duration", LOCK, "x-lock-renewals-max", 2));
    assertThat(renew(tag, Map.of())).isTrue();
    advance(LOCK - 1);
    assertThat(renew(tag, Map.of())).isTrue();
    advance(LOCK - 1);
    assertThat(renew(tag, Map.of())).isFalse();
    assertThat(channel.messageCount(queue)).isZero();
    advance(2);
    assertThat(channel.messageCount(queue)).isEqualTo(1);
  }

  @Test
  void aDurationIsBoundedByThatOfTheQueueAndShortensNothing() throws Exception {
    long tag = delivered("bounded", Map.of("x-lock-duration", LOCK));
    assertThat(renew(tag, Map.of("x-lock-duration", 1))).isTrue();
    advance(LOCK - 1);
    assertThat(channel.messageCount("bounded")).isZero();
    assertThat(renew(tag, Map.of("x-lock-duration", 500L))).isTrue();
    advance(499);
    assertThat(channel.messageCount("bounded")).isZero();
    assertThat(renew(tag, Map.of("x-lock-duration", Long.MAX_VALUE))).isTrue();
    advance(LOCK - 1);
    assertThat(channel.messageCount("bounded")).isZero();
    advance(2);
    assertThat(channel.messageCount("bounded")).isEqualTo(1);
  }

  @Test
  void anAlarmHoldsNoRenewalAndEveryMoveOfMessages() throws Exception {
    long tag = delivered("alarmed", Map.of("x-lock-duration", LOCK));
    channel.basicPublish("", "alarmed", null, bytes("next"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    ControlCommand control = ControlCommand.of(broker);
    Http http = broker.http();
    assertThat(control.run("set_disk_free_limit", "1000TB").exit()).isZero();
    try {
      await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () -> assertThat(http.get("health/checks/alarms").status()).isEqualTo(503));
      for (int i = 0; i < 3; i++) {
        channel.basicPublish("amq.lock", Long.toString(tag), null, new byte[10_000]);
        assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
        assertThat(renew(tag, Map.of())).isTrue();
      }
      Http.Reply move =
          http.post(
              "queues/%2F/alarmed/messages/move", "{\"count\":1,\"exchange\":\"amq.fanout\"}");
      assertThat(move.status()).isEqualTo(400);
      assertThat(move.reason())
          .isEqualTo("an alarm is raised, and publishers wait: nothing is moved");
    } finally {
      assertThat(control.run("set_disk_free_limit", "50MB").exit()).isZero();
    }
    await()
        .atMost(Patience.TIME)
        .untilAsserted(() -> assertThat(http.get("health/checks/alarms").status()).isEqualTo(200));
    assertThat(channel.messageCount("alarmed")).isEqualTo(1);
  }

  @Test
  void aTimeoutThatClosesTheChannelCanBePutOff() throws Exception {
    long tag = delivered("closing", Map.of("x-consumer-timeout", LOCK));
    for (int i = 0; i < 3; i++) {
      advance(LOCK - 1_000);
      assertThat(renew(tag, Map.of())).isTrue();
    }
    advance(LOCK - 1_000);
    assertThat(channel.messageCount("closing")).isZero();
    assertThat(channel.isOpen()).isTrue();
  }
}
