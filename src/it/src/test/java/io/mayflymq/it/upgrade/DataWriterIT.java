package io.mayflymq.it.upgrade;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.RestartedBroker.PERSISTENT;
import static io.mayflymq.it.harness.RestartedBroker.SETTLED_WITHIN_MILLIS;
import static io.mayflymq.it.harness.RestartedBroker.TRANSIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Lets a running broker of an earlier version write the data directory that {@link UpgradeIT}
 * opens. {@code src/it/make-data} starts that broker and runs this; a build does not.
 */
@EnabledIfSystemProperty(named = "mayfly.it.writer.pid", matches = "\\d+")
class DataWriterIT {
  private Channel channel;
  private Http http;

  @Test
  void fillsTheBrokerKillsItAndPacksItsData() throws Exception {
    http = Http.as(Integer.getInteger("mayfly.it.http.port"), "guest", "guest");
    try (InputStream in = DataWriterIT.class.getResourceAsStream("definitions.json")) {
      String definitions = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(http.post("definitions", definitions).status()).isEqualTo(204);
    }
    ConnectionFactory factory = Target.factory(Target.runningPort());
    Connection connection = factory.newConnection();
    try {
      channel = connection.createChannel();
      channel.confirmSelect();
      Instant began = Instant.now();
      publishPlain();
      publishDead();
      publishQuorumAndStream();
      publishForAnn(factory);
      publishWaiting();
      deliver();
      Path data = Path.of(System.getProperty("mayfly.it.writer.data"));
      DataDirectory directory =
          new DataDirectory(data, Instant.now(), http.get("definitions").json());
      assertThat(Duration.between(began, directory.written()))
          .as("expected it to take less time, so that nothing has expired")
          .isLessThan(Duration.ofMillis(Contents.WAIT_MILLIS / 2));
      ProcessHandle broker = ProcessHandle.of(Long.getLong("mayfly.it.writer.pid")).orElseThrow();
      broker.destroyForcibly();
      await().atMost(Patience.TIME).until(() -> !broker.isAlive());
      directory.pack(Path.of(System.getProperty("mayfly.it.writer.archive")));
    } finally {
      // Its broker is gone by then.
      connection.abort();
    }
  }

  private void publish(String exchange, String key, BasicProperties properties, String body)
      throws Exception {
    channel.basicPublish(exchange, key, properties, bytes(body));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  private void publish(String queue, String... bodies) throws Exception {
    for (String body : bodies) {
      publish("", queue, PERSISTENT, body);
    }
  }

  private long tag(String queue) throws IOException {
    GetResponse response = channel.basicGet(queue, false);
    assertThat(response).as("a message in %s", queue).isNotNull();
    return response.getEnvelope().getDeliveryTag();
  }

  private static BasicProperties priority(int priority) {
    return PERSISTENT.builder().priority(priority).build();
  }

  private void publishPlain() throws Exception {
    publish("", "plain", Contents.properties(), "with all properties");
    publish("", "plain", TRANSIENT, "transient");
    publish("direct", "key", PERSISTENT, "");
    publish("direct", "all", PERSISTENT, "in two queues");
    publish("plain", Contents.LARGE);
    publish("", "priority", priority(1), "low");
    publish("", "priority", priority(9), "high");
  }

  private void publishDead() throws Exception {
    publish("by-policy", "rejected", "not rejected");
    channel.basicReject(tag("by-policy"), false);
    publish("bounded", "a", "b", "c", "d");
    publish("full", "filler");
    publish("refused", "waits for room");
    channel.basicReject(tag("refused"), false);
    await()
        .atMost(Patience.TIME)
        .until(() -> http.get("queues/%2F/refused").json().path("messages_dlx").asInt() == 1);
  }

  private void publishQuorumAndStream() throws Exception {
    publish("quorum", "returned twice");
    for (int i = 0; i < 2; i++) {
      channel.basicNack(tag("quorum"), false, true);
    }
    publish("quorum", "never returned");
    for (int i = 0; i < Contents.STREAM_MESSAGES; i++) {
      publish("stream", Contents.streamMessage(i));
    }
  }

  private void publishForAnn(ConnectionFactory guest) throws Exception {
    ConnectionFactory factory = guest.clone();
    factory.setUsername("ann");
    factory.setPassword("secret of ann");
    factory.setVirtualHost("orders");
    try (Connection connection = factory.newConnection()) {
      Channel orders = connection.createChannel();
      orders.confirmSelect();
      orders.basicPublish("", "ann-orders", PERSISTENT, bytes("order"));
      assertThat(orders.waitForConfirms(Patience.MILLIS)).isTrue();
    }
  }

  private void publishWaiting() throws Exception {
    BasicProperties expires =
        PERSISTENT.builder().expiration(Integer.toString(Contents.WAIT_MILLIS)).build();
    publish("", "expiring", PERSISTENT, "in seven weeks");
    publish("", "expiring", expires, "in a minute");
    publish("retried", "returned");
    channel.basicNack(tag("retried"), false, true);
    for (Map.Entry<String, Long> delay :
        Map.of(
                "in a minute",
                (long) Contents.WAIT_MILLIS,
                "in years",
                Contents.LONGEST_DELAY_MILLIS)
            .entrySet()) {
      BasicProperties delayed =
          PERSISTENT
              .builder()
              .messageId(delay.getKey())
              .headers(Map.of("x-delay", delay.getValue()))
              .build();
      publish("delayed", "later", delayed, delay.getKey());
    }
  }

  /** Has some messages acknowledged and others not when the broker ends. */
  private void deliver() throws Exception {
    publish("acknowledged", "a", "b", "c", "d");
    channel.basicAck(tag("acknowledged"), false);
    channel.basicAck(tag("acknowledged"), false);
    publish("unacknowledged", "a", "b", "c", "d");
    tag("unacknowledged");
    tag("unacknowledged");
    channel.exchangeDeclarePassive("amq.direct");
    Time.pass(SETTLED_WITHIN_MILLIS);
  }
}
