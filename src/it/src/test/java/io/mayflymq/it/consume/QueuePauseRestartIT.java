package io.mayflymq.it.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.Time;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pause of a queue over restarts, in definitions, and of a queue that is declared again. */
@OwnBroker
class QueuePauseRestartIT {
  private static final String PAUSE = "queues/%2F/a.b%2B/pause";

  @TempDir Path data;

  private EmbeddedBroker broker;

  @BeforeEach
  void start() {
    broker = EmbeddedBroker.builder().data(data).start();
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private Http http() {
    return Http.as(broker.httpPort(), "guest", "guest");
  }

  private String paused(String queue) throws Exception {
    return http().get("queues/%2F/" + queue).json().path("paused").asText("");
  }

  @Test
  void timeStandsStillOverARestart() throws Exception {
    http().put("queues/%2F/a.b%2B", "{\"durable\":true,\"arguments\":{\"x-message-ttl\":5000}}");
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.basicPublish("", "a.b+", RestartedBroker.PERSISTENT, Amqp.bytes("waits"));
      channel.waitForConfirmsOrDie();
    }
    assertThat(http().put(PAUSE, "{\"ttl\":\"stop\"}").status()).isEqualTo(201);
    broker.close();
    Time.pass(4_000);
    start();
    Time.pass(1_500);
    broker.close();
    start();
    assertThat(messages()).isEqualTo(1);
    assertThat(http().delete(PAUSE).status()).isEqualTo(204);
    assertThat(messages()).isEqualTo(1);
    broker.close();
    start();
    await().atMost(Patience.TIME).until(() -> messages() == 0);
  }

  private int messages() throws Exception {
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      return (int) channel.messageCount("a.b+");
    }
  }

  @Test
  void pauseStaysOverARestartAndInDefinitions() throws Exception {
    http().put("queues/%2F/a.b%2B", "{\"durable\":true}");
    http().put("queues/%2F/aXb+", "{\"durable\":true}");
    assertThat(http().put(PAUSE, "{\"what\":\"deliveries\"}").status()).isEqualTo(201);
    broker.close();
    start();
    assertThat(paused("a.b%2B")).isEqualTo("deliveries");
    assertThat(paused("aXb+")).isEmpty();
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      Deliveries deliveries = Deliveries.from(channel, "a.b+", true);
      channel.confirmSelect();
      channel.basicPublish("", "a.b+", null, Amqp.bytes("waits"));
      channel.waitForConfirmsOrDie();
      deliveries.assertNothing();
      String definitions = http().get("definitions").raw().body();
      assertThat(http().delete(PAUSE).status()).isEqualTo(204);
      assertThat(deliveries.next().body()).isEqualTo("waits");
      http().post("definitions", definitions);
      assertThat(paused("a.b%2B")).isEqualTo("deliveries");
      channel.queueDelete("a.b+");
      channel.queueDeclare("a.b+", true, false, false, null);
      assertThat(paused("a.b%2B")).as("declared again").isEqualTo("deliveries");
      channel.queueDelete("a.b+");
      assertThat(http().delete(PAUSE).status()).as("without its queue").isEqualTo(204);
    }
  }
}
