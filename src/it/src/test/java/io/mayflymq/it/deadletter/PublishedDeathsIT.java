package io.mayflymq.it.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The x-death header that a publisher sets, where the rules of 3.13 apply. */
@BlackBox
@OwnBroker
class PublishedDeathsIT {
  private static final Map<String, Object> PUBLISHED =
      Map.of("x-death", List.of(DeathHistoryIT.death("q", "rejected", 5)), "mine", 7);

  private static void declare(Channel channel, String type) throws Exception {
    Map<String, Object> arguments = Map.of("x-queue-type", type);
    channel.queueDeclare("q", true, false, false, Amqp.deadLetterTo("dead", arguments));
    channel.queueDeclare("dead", true, false, false, arguments);
  }

  private static void publish(Channel channel) throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder().deliveryMode(2).headers(PUBLISHED).build();
    channel.confirmSelect();
    channel.basicPublish("", "q", properties, Amqp.bytes("m"));
    channel.waitForConfirmsOrDie();
  }

  private static GetResponse take(Channel channel, String queue) {
    return Awaitility.await()
        .atMost(Patience.TIME)
        .until(() -> channel.basicGet(queue, false), Objects::nonNull);
  }

  /** Rejects the message of q, and takes it from dead. @return its history there */
  private static List<String> rejected(Channel channel) throws Exception {
    channel.basicReject(take(channel, "q").getEnvelope().getDeliveryTag(), false);
    GetResponse dead = take(channel, "dead");
    channel.basicAck(dead.getEnvelope().getDeliveryTag(), false);
    return Headers.history(dead.getProps());
  }

  @Test
  void itIsContinuedIn313() throws Exception {
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder().set("compatibility.rabbitmq", "3.13").start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      declare(channel, "classic");
      publish(channel);
      assertThat(rejected(channel)).containsExactly("rejected q 6");
    }
  }

  /** A publisher must not choose where a redrive sends its message. */
  @Test
  void itTellsARedriveWhereAMessageDiedIn313Only() throws Exception {
    for (String dialect : new String[] {"4.3", "3.13"}) {
      try (EmbeddedBroker broker =
              EmbeddedBroker.builder().set("compatibility.rabbitmq", dialect).start();
          Connection connection = broker.factory().newConnection()) {
        Http http = Http.as(broker.httpPort(), "guest", "guest");
        Channel channel = connection.createChannel();
        declare(channel, "classic");
        BasicProperties properties = new BasicProperties.Builder().headers(PUBLISHED).build();
        channel.confirmSelect();
        channel.basicPublish("", "dead", properties, Amqp.bytes("m"));
        channel.waitForConfirmsOrDie();

        assertThat(redriven(http, "{\"filter\":{\"reason\":\"rejected\"}}"))
            .isEqualTo(dialect.equals("3.13") ? "moved 1 {}" : "moved 0 {\"not_wanted\":1}");
        assertThat(redriven(http, "{}"))
            .isEqualTo(dialect.equals("3.13") ? "moved 1 {}" : "moved 0 {\"no_history\":1}");
        assertThat(redriven(http, "{\"to\":\"q\"}")).isEqualTo("moved 1 {}");
      }
    }
  }

  /** What a redrive of the queue dead would do. */
  private static String redriven(Http http, String body) throws Exception {
    JsonNode report = http.post("queues/%2F/dead/redrive/dry-run", body).json();
    return "moved " + report.path("moved").asInt() + " " + report.path("skipped_because");
  }

  @Test
  void aChangeOfTheDialectAppliesToMessagesThatAreThere() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(http.put("vhosts/old", "{}").status()).isEqualTo(201);
      ConnectionFactory factory = broker.factory();
      factory.setVirtualHost("old");
      try (Connection connection = factory.newConnection()) {
        Channel channel = connection.createChannel();
        declare(channel, "classic");
        publish(channel);
        publish(channel);
        assertThat(rejected(channel)).containsExactly("rejected q 1");
        assertThat(http.put("vhosts/old/compatibility", "{\"value\":\"3.13\"}").status())
            .isEqualTo(204);
        Awaitility.await()
            .atMost(Patience.TIME)
            .until(
                () -> {
                  publish(channel);
                  return rejected(channel).equals(List.of("rejected q 6"));
                });
      }
    }
  }
}
