package io.mayflymq.it.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of a header take turns after a restart as before. */
@OwnBroker
class FairSharesRestartIT {
  private static final int FLOOD = 5_000;

  @TempDir Path data;

  private static BasicProperties of(String tenant) {
    return new BasicProperties.Builder().deliveryMode(2).headers(Map.of("tenant", tenant)).build();
  }

  private EmbeddedBroker start() {
    return EmbeddedBroker.builder().data(data).start();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void sharesAreFoundAgainAfterARestart(String type) throws Exception {
    try (EmbeddedBroker broker = start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare(
          "q", true, false, false, Map.of("x-queue-type", type, "x-fair-by", "tenant"));
      channel.confirmSelect();
      for (int i = 0; i < FLOOD; i++) {
        channel.basicPublish("", "q", of("a"), Amqp.bytes("a" + i));
      }
      for (int i = 0; i < 3; i++) {
        channel.basicPublish("", "q", of("b"), Amqp.bytes("b" + i));
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);
      assertThat(got(channel, 3)).containsExactly("a0", "b0", "a1");
    }
    try (EmbeddedBroker broker = start();
        Connection connection = broker.factory().newConnection()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      await()
          .atMost(Patience.TIME)
          .until(() -> http.get("queues/%2F/q").json().path("fair_shares_unread").asInt(-1) == 0);
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.basicPublish("", "q", of("c"), Amqp.bytes("c0"));
      channel.waitForConfirmsOrDie(Patience.MILLIS);
      assertThat(got(channel, 6)).containsExactly("a2", "b1", "c0", "a3", "b2", "a4");
    }
  }

  private static List<String> got(Channel channel, int count) throws Exception {
    List<String> got = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      got.add(new String(channel.basicGet("q", true).getBody(), StandardCharsets.UTF_8));
    }
    return got;
  }
}
