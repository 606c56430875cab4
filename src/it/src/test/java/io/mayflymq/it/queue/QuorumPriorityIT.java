package io.mayflymq.it.queue;

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
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Priorities of quorum queues, as RabbitMQ 4.3 has them. */
@BlackBox
@OwnBroker
class QuorumPriorityIT {
  private static final Map<String, Object> QUORUM = Map.of("x-queue-type", "quorum");

  /** As 4.3.6 was seen to deliver them: absent is 4, and all above 31 are 31. */
  private static final String[] PUBLISHED = {
    "none1", "0", "4", "31", "32", "200", "5", "3", "none2", "255"
  };

  private static final String[] DELIVERED = {
    "31", "32", "200", "255", "5", "none1", "4", "none2", "3", "0"
  };

  private static Connection connect(EmbeddedBroker broker, String vhost) throws Exception {
    ConnectionFactory factory = broker.factory();
    factory.setVirtualHost(vhost);
    return factory.newConnection();
  }

  private static void publish(Channel channel, String... bodies) throws Exception {
    channel.confirmSelect();
    for (String body : bodies) {
      publish(channel, body, null);
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  /** The body is the priority, and may have a letter behind it; or "none" and anything. */
  private static void publish(Channel channel, String body, String expiration) throws Exception {
    BasicProperties.Builder properties =
        new BasicProperties.Builder().deliveryMode(2).expiration(expiration);
    if (!body.startsWith("none")) {
      properties.priority(Integer.parseInt(body.replaceAll("[^0-9]", "")));
    }
    channel.basicPublish("", "q", properties.build(), body.getBytes(StandardCharsets.UTF_8));
  }

  private static List<String> drain(Channel channel) throws Exception {
    List<String> bodies = new ArrayList<>();
    for (GetResponse got = channel.basicGet("q", true);
        got != null;
        got = channel.basicGet("q", true)) {
      bodies.add(Amqp.text(got.getBody()));
    }
    return bodies;
  }

  private static Map<String, Object> with(Object... more) {
    Map<String, Object> arguments = new HashMap<>(QUORUM);
    for (int i = 0; i < more.length; i += 2) {
      arguments.put((String) more[i], more[i + 1]);
    }
    return arguments;
  }

  @Test
  void messagesAreDeliveredByTheirPriorityAndThenInOrder() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        Connection connection = connect(broker, "/")) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, QUORUM);
      publish(channel, PUBLISHED);
      assertThat(drain(channel)).containsExactly(DELIVERED);
    }
  }

  @Test
  void priorityAndReturnsSurviveARestart(@TempDir Path data) throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start()) {
      try (Connection connection = connect(broker, "/")) {
        Channel channel = connection.createChannel();
        channel.queueDeclare("q", true, false, false, QUORUM);
        publish(channel, PUBLISHED);
      }
      broker.stop();
    }
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start();
        Connection connection = connect(broker, "/")) {
      Channel channel = connection.createChannel();
      Awaitility.await().atMost(Patience.TIME).until(() -> channel.messageCount("q") == 10);
      assertThat(drain(channel)).containsExactly(DELIVERED);
    }
  }

  @Test
  void returnedMessagesAreTheFirstOfTheirPriority() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        Connection connection = connect(broker, "/")) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, QUORUM);
      publish(channel, "9a", "9b", "2a", "2b");
      List<Long> tags = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        tags.add(channel.basicGet("q", false).getEnvelope().getDeliveryTag());
      }
      publish(channel, "9c", "2c", "5");
      channel.basicNack(tags.get(2), false, true); // 2a
      channel.basicNack(tags.get(1), false, true); // 9b
      channel.basicNack(tags.get(0), false, true); // 9a
      assertThat(drain(channel)).containsExactly("9b", "9a", "9c", "5", "2a", "2b", "2c");
    }
  }

  @Test
  void messagesExpireBehindOthersOfEachPriority() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        Connection connection = connect(broker, "/")) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("dead", true, false, false, null);
      channel.queueDeclare("q", true, false, false, Amqp.deadLetterTo("dead", QUORUM));
      publish(channel, "7a", "none1", "1a");
      for (String body : List.of("7b", "none2", "1b")) {
        publish(channel, body, "30");
      }
      publish(channel, "7c", "none3", "1c");
      Awaitility.await().atMost(Patience.TIME).until(() -> channel.messageCount("dead") == 3);
      assertThat(drain(channel)).containsExactly("7a", "7c", "none1", "none3", "1a", "1c");
    }
  }

  /** What 4.3.6 was seen to leave; in 3.13 quorum queues have no priorities. */
  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.13"})
  void lengthLimitDropsTheHighestPriorityUnlessToldOtherwise(String dialect) throws Exception {
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder().set("compatibility.rabbitmq", dialect).start();
        Connection connection = connect(broker, "/")) {
      Channel channel = connection.createChannel();
      String[] bodies = {"1", "9", "5", "0", "9b", "2"};
      boolean hasPriorities = dialect.equals("4.3");
      List<String> quorum = hasPriorities ? List.of("2", "1", "0") : List.of("0", "9b", "2");
      List<String> lowestOfQuorum = hasPriorities ? List.of("9", "9b", "5") : quorum;
      Map<String, Object> classic = Map.of("x-max-length", 3, "x-max-priority", 10);
      Map<String, Object> lowest = new HashMap<>(classic);
      lowest.put("x-max-length-drop", "lowest-priority");
      Map<Map<String, Object>, List<String>> left =
          Map.of(
              with("x-max-length", 3),
              quorum,
              with("x-max-length", 3, "x-max-length-drop", "highest-priority"),
              quorum,
              with("x-max-length", 3, "x-max-length-drop", "lowest-priority"),
              lowestOfQuorum,
              classic,
              List.of("2", "1", "0"),
              lowest,
              List.of("9", "9b", "5"));
      for (Map.Entry<Map<String, Object>, List<String>> expected : left.entrySet()) {
        channel.queueDeclare("q", true, false, false, expected.getKey());
        publish(channel, bodies);
        assertThat(drain(channel)).as("%s", expected.getKey()).isEqualTo(expected.getValue());
        channel.queueDelete("q");
      }
    }
  }

  @Test
  void policySaysWhichPriorityIsDropped() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        Connection connection = connect(broker, "/")) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      String policy =
          "{\"pattern\":\"^q$\",\"apply-to\":\"queues\","
              + "\"definition\":{\"max-length\":2,\"max-length-drop\":\"%s\"}}";
      Http.Reply refused = http.put("policies/%2F/p", policy.formatted("oldest"));
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.raw().body()).contains("is not one of: highest-priority, lowest-priority");
      assertThat(http.put("policies/%2F/p", policy.formatted("lowest-priority")).status())
          .isEqualTo(201);
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, QUORUM);
      publish(channel, "1", "9", "none", "0");
      assertThat(drain(channel)).containsExactly("9", "none");
    }
  }

  @Test
  void virtualHostThatFollows313IgnoresPrioritiesUntilItFollows43() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(http.put("vhosts/old", "{\"compatibility\":\"3.13\"}").status()).isEqualTo(201);
      try (Connection connection = connect(broker, "old")) {
        Channel channel = connection.createChannel();
        channel.queueDeclare("q", true, false, false, QUORUM);
        publish(channel, PUBLISHED);
        assertThat(queue(http, "old").has("messages_by_priority")).isFalse();
        List<String> inOrder = List.of("none1", "0");
        for (String body : inOrder) {
          assertThat(Amqp.text(channel.basicGet("q", true).getBody())).isEqualTo(body);
        }
        assertThat(http.put("vhosts/old/compatibility", "{\"value\":\"4.3\"}").status())
            .isEqualTo(204);
        Awaitility.await()
            .atMost(Patience.TIME)
            .until(() -> queue(http, "old").has("messages_by_priority"));
        assertThat(Amqp.text(channel.basicGet("q", true).getBody())).isEqualTo("31");
        assertThat(http.put("vhosts/old/compatibility", "{\"value\":\"3.13\"}").status())
            .isEqualTo(204);
        Awaitility.await()
            .atMost(Patience.TIME)
            .until(() -> !queue(http, "old").has("messages_by_priority"));
        assertThat(drain(channel)).containsExactly("4", "32", "200", "5", "3", "none2", "255");
      }
    }
  }

  private static JsonNode queue(Http http, String vhost) throws Exception {
    return http.get("queues/" + vhost + "/q").json();
  }

  @Test
  void apiHasTheNumberOfEachPriority() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        Connection connection = connect(broker, "/")) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, QUORUM);
      publish(channel, PUBLISHED);
      long first = channel.basicGet("q", false).getEnvelope().getDeliveryTag();
      channel.basicGet("q", false);
      channel.basicNack(first, false, true);
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      Awaitility.await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () -> {
                JsonNode queue = queue(http, "%2F");
                assertThat(queue.path("messages_by_priority").toString())
                    .isEqualTo("{\"0\":1,\"3\":1,\"4\":3,\"5\":1,\"31\":3}");
                assertThat(queue.path("messages_active_priorities").asInt()).isEqualTo(5);
                assertThat(queue.path("messages_ready_returned").asInt()).isOne();
              });
    }
  }
}
