package io.mayflymq.it.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of a header take turns. */
@BlackBox
@MayflyOnly("RabbitMQ does not know the key")
class FairSharesIT extends PolicyFixture {
  private static final int FLOOD = 3_000;

  private static void publish(Channel channel, String queue, String tenant, int count)
      throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder()
            .deliveryMode(2)
            .headers(tenant.isEmpty() ? Map.of() : Map.of("tenant", tenant))
            .build();
    for (int number = 0; number < count; number++) {
      channel.basicPublish("", queue, properties, Amqp.bytes(tenant + number));
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  private static List<String> got(Channel channel, String queue, int count) throws Exception {
    List<String> got = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      GetResponse response = channel.basicGet(queue, true);
      got.add(response == null ? null : new String(response.getBody(), StandardCharsets.UTF_8));
    }
    return got;
  }

  private void declare(Channel channel, String queue, String type, Map<String, Object> more)
      throws Exception {
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-queue-type", type);
    channel.queueDeclare(queue, true, false, false, arguments);
  }

  private int shown(String queue, String field) throws Exception {
    return http.get("queues/%2F/" + queue).json().path(field).asInt(-1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void singleMessageIsTheNextButOneBehindFlood(String type, Amqp amqp) throws Exception {
    Channel channel = amqp.confirming();
    String queue = amqp.name();
    declare(channel, queue, type, Map.of("x-fair-by", "tenant"));
    publish(channel, queue, "a", FLOOD);
    publish(channel, queue, "b", 1);
    publish(channel, queue, "", 2);
    assertThat(shown(queue, "fair_shares")).isEqualTo(3);
    assertThat(shown(queue, "fair_shares_unread")).isZero();
    assertThat(http.get("queues/%2F/" + queue).json().path("fair_shares_largest").toString())
        .isEqualTo(
            "[{\"value\":\"a\",\"messages_ready\":%d},{\"value\":null,\"messages_ready\":2},"
                    .formatted(FLOOD)
                + "{\"value\":\"b\",\"messages_ready\":1}]");
    assertThat(got(channel, queue, 6)).containsExactly("a0", "b0", "0", "a1", "1", "a2");
    assertThat(shown(queue, "fair_shares")).isEqualTo(1);
    Channel consuming = amqp.newChannel();
    consuming.basicQos(2);
    Deliveries deliveries = Deliveries.from(consuming, queue, false);
    Deliveries.Delivery first = deliveries.next();
    deliveries.next();
    publish(channel, queue, "b", 2);
    consuming.basicAck(first.tag(), false);
    assertThat(deliveries.next().body()).isEqualTo("a5");
    consuming.basicAck(first.tag() + 1, false);
    assertThat(deliveries.next().body()).isEqualTo("b0");
    consuming.close();
    amqp.awaitReady(queue, FLOOD - 3);
    assertThat(got(channel, queue, 4))
        .as("at their old places")
        .containsExactly("a5", "b0", "a6", "b1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void policySharesOutWhatWaitsAndCanBeTakenAway(String type, Amqp amqp) throws Exception {
    Channel channel = amqp.confirming();
    String queue = amqp.name();
    declare(channel, queue, type, Map.of());
    publish(channel, queue, "a", FLOOD);
    publish(channel, queue, "b", 2);
    http.put("policies/%2F/" + name, policy(queue, "{\"fair-by\":\"tenant\"}"));
    await().atMost(Patience.TIME).until(() -> shown(queue, "fair_shares_unread") == 0);
    assertThat(shown(queue, "fair_shares")).isEqualTo(2);
    assertThat(got(channel, queue, 3)).containsExactly("a0", "b0", "a1");
    publish(channel, queue, "c", 1);
    http.put("policies/%2F/" + name, policy(queue, "{\"fair-by\":\"other\"}"));
    await().atMost(Patience.TIME).until(() -> shown(queue, "fair_shares") == 1);
    assertThat(got(channel, queue, 2)).containsExactly("a2", "a3");
    http.put("policies/%2F/" + name, policy(queue, "{\"fair-by\":\"tenant\"}"));
    await()
        .atMost(Patience.TIME)
        .until(() -> shown(queue, "fair_shares") == 3 && shown(queue, "fair_shares_unread") == 0);
    assertThat(got(channel, queue, 4)).containsExactly("a4", "b1", "c0", "a5");
    http.delete("policies/%2F/" + name);
    await().atMost(Patience.TIME).until(() -> shown(queue, "fair_shares") == -1);
    publish(channel, queue, "b", 1);
    assertThat(got(channel, queue, 3)).containsExactly("a6", "a7", "a8");
  }

  @Test
  void floodPushesOutItsOwnMessages(Amqp amqp) throws Exception {
    Channel channel = amqp.confirming();
    String queue = amqp.name();
    declare(channel, queue, "classic", Map.of("x-fair-by", "tenant", "x-max-length", 10));
    publish(channel, queue, "b", 2);
    publish(channel, queue, "a", 100);
    assertThat(got(channel, queue, 5)).containsExactly("b0", "a92", "b1", "a93", "a94");
  }

  @Test
  void streamRefusesIt(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    assertThatThrownBy(() -> declare(channel, amqp.name(), "stream", Map.of("x-fair-by", "tenant")))
        .hasStackTraceContaining("invalid arg 'x-fair-by' for queue")
        .hasStackTraceContaining("of queue type rabbit_stream_queue");
    Channel other = amqp.newChannel();
    assertThatThrownBy(() -> declare(other, amqp.name(), "classic", Map.of("x-fair-by", 5)))
        .hasStackTraceContaining("x-fair-by")
        .hasStackTraceContaining("a header: expected a text of at most 255 bytes");
    assertThat(http.put("policies/%2F/" + name, policy(name, "{\"fair-by\":5}")).raw().body())
        .contains("5 is not a valid name of a header");
  }
}
