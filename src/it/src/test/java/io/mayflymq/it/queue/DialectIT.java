package io.mayflymq.it.queue;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.ChannelErrors.assertConnectionError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The release of RabbitMQ that the broker, or a virtual host, follows. */
@BlackBox
@OwnBroker
class DialectIT {
  private static final Map<String, Object> QUORUM = Map.of("x-queue-type", "quorum");

  /** How the deliveries of a message end, one after the other. */
  private enum End {
    NACK,
    REJECT,
    RECOVER,
    CHANNEL
  }

  private static Connection connect(EmbeddedBroker broker, String vhost) throws Exception {
    ConnectionFactory factory = broker.factory();
    factory.setVirtualHost(vhost);
    return factory.newConnection();
  }

  /** Gets a message when it is there, and gives it back. @return its headers */
  private static Map<String, Object> tried(Connection connection, String queue, End end)
      throws Exception {
    Channel channel = connection.createChannel();
    GetResponse got =
        Awaitility.await()
            .atMost(Patience.TIME)
            .until(() -> channel.basicGet(queue, false), Objects::nonNull);
    long tag = got.getEnvelope().getDeliveryTag();
    switch (end) {
      case NACK -> channel.basicNack(tag, false, true);
      case REJECT -> channel.basicReject(tag, true);
      case RECOVER -> channel.basicRecover(true);
      case CHANNEL -> {}
    }
    channel.close();
    BasicProperties properties = got.getProps();
    return properties.getHeaders() == null ? Map.of() : new HashMap<>(properties.getHeaders());
  }

  /** The counts that RabbitMQ 4.3.6 was seen to send. */
  @Test
  void onlyFailedDeliveriesCountTowardsTheLimitByDefault() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        Connection connection = connect(broker, "/")) {
      assertThat(connection.getServerProperties().get("version")).hasToString("4.3.6");
      connection.createChannel().queueDeclare("q", true, false, false, QUORUM);
      connection.createChannel().basicPublish("", "q", null, Amqp.bytes("m"));
      assertThat(tried(connection, "q", End.NACK)).isEmpty();
      assertThat(tried(connection, "q", End.REJECT)).isEqualTo(Map.of("x-acquired-count", 1L));
      assertThat(tried(connection, "q", End.CHANNEL)).isEqualTo(counts(2, 1));
      assertThat(tried(connection, "q", End.RECOVER)).isEqualTo(counts(3, 2));
      assertThat(tried(connection, "q", End.REJECT)).isEqualTo(counts(4, 2));
    }
  }

  private static Map<String, Object> counts(long acquired, long failed) {
    return Map.of("x-acquired-count", acquired, "x-delivery-count", failed);
  }

  @Test
  void theTwentyFirstFailureIsTheLastByDefault() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        Connection connection = connect(broker, "/")) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("dead", true, false, false, null);
      channel.queueDeclare("q", true, false, false, Amqp.deadLetterTo("dead", QUORUM));
      channel.basicPublish("", "q", null, Amqp.bytes("m"));
      for (int i = 0; i <= 20; i++) {
        tried(connection, "q", End.REJECT);
      }
      assertThat(tried(connection, "dead", End.NACK).get("x-first-death-reason"))
          .hasToString("delivery_limit");
    }
  }

  @Test
  void aBrokerFollowsTheReleaseThatItsConfigurationNames() throws Exception {
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder().set("compatibility.rabbitmq", "3.13").start();
        Connection connection = connect(broker, "/")) {
      assertThat(connection.getServerProperties().get("version")).hasToString("3.13.7");
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(http.get("overview").json().path("rabbitmq_version").asText()).isEqualTo("3.13.7");
      assertThat(http.get("definitions").json().path("rabbitmq_version").asText())
          .isEqualTo("3.13.7");
      assertThat(http.get("vhosts/%2F").json().path("compatibility").asText()).isEqualTo("3.13");
      connection.createChannel().queueDeclare("q", true, false, false, QUORUM);
      connection.createChannel().basicPublish("", "q", null, Amqp.bytes("m"));
      for (long returns = 0; returns <= 25; returns++) {
        assertThat(tried(connection, "q", returns % 2 == 0 ? End.NACK : End.REJECT))
            .isEqualTo(Map.of("x-delivery-count", returns));
      }
    }
  }

  @Test
  void aVirtualHostFollowsAnotherReleaseThanTheBroker() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(http.put("vhosts/old", "{\"compatibility\":\"3.13\"}").status()).isEqualTo(201);
      assertThat(http.put("vhosts/old", "{\"description\":\"kept as it is\"}").status())
          .isEqualTo(204);
      try (Connection connection = connect(broker, "old")) {
        connection.createChannel().queueDeclare("q", true, false, false, QUORUM);
        connection.createChannel().basicPublish("", "q", null, Amqp.bytes("m"));
        assertThat(tried(connection, "q", End.NACK)).isEqualTo(Map.of("x-delivery-count", 0L));
        assertThat(tried(connection, "q", End.NACK)).isEqualTo(Map.of("x-delivery-count", 1L));

        assertThat(http.put("vhosts/old/compatibility", "{\"value\":\"4.3\"}").status())
            .isEqualTo(204);
        awaitLimit(http, "20");
        assertThat(tried(connection, "q", End.NACK)).isEqualTo(counts(2, 2));
        assertThat(tried(connection, "q", End.NACK)).isEqualTo(counts(3, 2));

        assertThat(http.put("vhosts/old/compatibility", "{\"value\":\"3.13\"}").status())
            .isEqualTo(204);
        awaitLimit(http, "");
        assertThat(tried(connection, "q", End.NACK)).isEqualTo(Map.of("x-delivery-count", 2L));
      }
      assertThat(definition(http)).isEqualTo("3.13");
      assertThat(http.delete("vhosts/old/compatibility").status()).isEqualTo(204);
      assertThat(definition(http)).isEmpty();
      assertThat(http.get("vhosts/old").json().path("compatibility").asText()).isEqualTo("4.3");
    }
  }

  private static void awaitLimit(Http http, String limit) {
    Awaitility.await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              for (var setting : http.get("queues/old/q/effective").json().path("settings")) {
                if (setting.path("key").asText().equals("delivery-limit")) {
                  return setting.path("value").asText().equals(limit);
                }
              }
              return limit.isEmpty();
            });
  }

  /** The release that the exported definition of the virtual host names. */
  private static String definition(Http http) throws Exception {
    for (var vhost : http.get("definitions").json().path("vhosts")) {
      if (vhost.path("name").asText().equals("old")) {
        return vhost.path("metadata").path("compatibility").asText();
      }
    }
    return null;
  }

  @Test
  void nackOfAMessageOfAStreamIsRefusedIn313() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder().set("compatibility.rabbitmq", "3.13").start()) {
      Connection connection = connect(broker, "/");
      Channel channel = connection.createChannel();
      channel.queueDeclare("s", true, false, false, Map.of("x-queue-type", "stream"));
      channel.basicPublish("", "s", null, Amqp.bytes("m"));
      channel.basicQos(1);
      Deliveries deliveries =
          Deliveries.from(channel, "s", false, false, Map.of("x-stream-offset", "first"));
      long tag = deliveries.next().tag();
      assertConnectionError(
          connection,
          540,
          "NOT_IMPLEMENTED - basic.nack and basic.reject not supported by stream queues queue 's'"
              + " in vhost '/'",
          () -> channel.basicNack(tag, false, true));
    }
  }

  @Test
  void definitionsNameTheReleaseOfAVirtualHost() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      String imported =
          "{\"vhosts\":[{\"name\":\"old\",\"metadata\":{\"description\":\"\",\"tags\":[],\"compatibility\":\"%s\"}}]}";
      Http.Reply refused = http.post("definitions?strict=true", imported.formatted("3.12"));
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.raw().body())
          .contains("Unsupported compatibility '3.12': expected 3.13 or 4.3");
      assertThat(http.post("definitions", imported.formatted("3.13")).status()).isEqualTo(204);
      assertThat(definition(http)).isEqualTo("3.13");
      assertThat(http.put("vhosts/old/compatibility", "{\"value\":\"5\"}").status()).isEqualTo(400);
    }
  }

  @Test
  void timeoutsAndRetriesAreComparedInRedeclarationsFrom43On() throws Exception {
    Map<String, Object> other = Map.of("x-queue-type", "quorum", "x-delayed-retry-min", 100);
    for (String dialect : new String[] {"3.13", "4.3"}) {
      try (EmbeddedBroker broker =
              EmbeddedBroker.builder().set("compatibility.rabbitmq", dialect).start();
          Connection connection = connect(broker, "/")) {
        Channel channel = connection.createChannel();
        channel.queueDeclare("timeout", true, false, false, timingOut(60_000));
        channel.queueDeclare("retry", true, false, false, QUORUM);
        if (dialect.equals("3.13")) {
          channel.queueDeclare("timeout", true, false, false, timingOut(70_000));
          channel.queueDeclare("retry", true, false, false, other);
          continue;
        }
        assertChannelError(
            channel,
            406,
            "PRECONDITION_FAILED - inequivalent arg 'x-consumer-timeout' for queue 'timeout' in vhost"
                + " '/': received '70000' but current is '60000'",
            () -> channel.queueDeclare("timeout", true, false, false, timingOut(70_000)));
        Channel next = connection.createChannel();
        assertChannelError(
            next,
            406,
            "PRECONDITION_FAILED - inequivalent arg 'x-delayed-retry-min' for queue 'retry' in vhost"
                + " '/': received the value '100' of type 'signedint' but current is none",
            () -> next.queueDeclare("retry", true, false, false, other));
      }
    }
  }

  @Test
  void errorsAboutConsumersNameTheQueueFrom43On() throws Exception {
    for (String dialect : new String[] {"3.13", "4.3"}) {
      try (EmbeddedBroker broker =
              EmbeddedBroker.builder().set("compatibility.rabbitmq", dialect).start();
          Connection connection = connect(broker, "/")) {
        Channel channel = connection.createChannel();
        channel.queueDeclare("q", true, false, false, null);
        Deliveries none = Deliveries.from(connection.createChannel(), "q", true);
        assertChannelError(
            channel,
            406,
            "PRECONDITION_FAILED - invalid arg 'x-priority'%s: \"expected integer, got longstr\""
                .formatted(dialect.equals("3.13") ? "" : " for queue 'q' in vhost '/'"),
            () ->
                channel.basicConsume(
                    "q", true, "", false, false, Map.of("x-priority", "high"), none));
      }
    }
  }

  /**
   * The time of a consumer is its own, or else the lower one of its queue's argument and policy, or
   * else that of the configuration, as in RabbitMQ 4.3.6.
   */
  @Test
  void theTimeoutOfAConsumerComesFromTheNearestSource() throws Exception {
    String never = "3600000";
    try (EmbeddedBroker broker = EmbeddedBroker.builder().set("consumer_timeout", "200").start();
        Connection connection = connect(broker, "/")) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      Channel channel = connection.createChannel();
      String policy =
          "{\"pattern\":\"^%s$\",\"definition\":{\"consumer-timeout\":%s},\"apply-to\":\"queues\"}";
      http.put("policies/%2F/low", policy.formatted("policy", "200"));
      http.put("policies/%2F/high", policy.formatted("argument", never));
      channel.queueDeclare("configuration", true, false, false, QUORUM);
      channel.queueDeclare("policy", true, false, false, timingOut(Long.parseLong(never)));
      channel.queueDeclare("argument", true, false, false, timingOut(200));
      for (String queue : new String[] {"configuration", "policy", "argument"}) {
        Deliveries own =
            Deliveries.from(
                connection.createChannel(),
                queue,
                false,
                false,
                Map.of("x-consumer-timeout", Long.parseLong(never)));
        Deliveries plain = Deliveries.from(connection.createChannel(), queue, false);
        channel.basicPublish("", queue, null, Amqp.bytes("first"));
        channel.basicPublish("", queue, null, Amqp.bytes("second"));
        assertThat(own.next().body()).isEqualTo("first");
        assertThat(plain.next().body()).isEqualTo("second");
        plain.awaitCancel();
        assertThat(own.next().body()).as("%s: goes on", queue).isEqualTo("second");
      }
    }
  }

  private static Map<String, Object> timingOut(long millis) {
    return Map.of("x-queue-type", "quorum", "x-consumer-timeout", millis);
  }
}
