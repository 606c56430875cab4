package io.mayflymq.it.management.answer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * Compares the shape of each answer of the management API with that of RabbitMQ 4.3.6 in {@code
 * answers.txt}, on a broker that has one of everything.
 */
@BlackBox
class AnswersIT {
  /** The name of the virtual host, of its user, and part of all other names. */
  private static final String NAME = "answers";

  private static final String VHOST = "vhosts/" + NAME;

  private final AnswerTable table = AnswerTable.read();
  private Http http;
  private String node;
  private String connection;

  @Test
  void answersHaveTheKeysAndTypesOfRabbitMq(Target target) throws Exception {
    http = target.http();
    node = http.get("overview").json().path("node").asText();
    try (Connection open = fill(target)) {
      assertThat(open.isOpen()).isTrue();
      awaitStatistics();
      String directory = System.getProperty("mayfly.it.answers", "");
      if (directory.isBlank()) {
        // A queue has no past until the next sample.
        Awaitility.await("the answers")
            .atMost(Patience.TIME)
            .untilAsserted(() -> assertThat(misses(target.ours())).isEmpty());
      } else {
        for (String request : List.copyOf(table.requests())) {
          table.putIfAbsent(request, Shape.of(answer(request), node));
        }
        table.write(Path.of(directory));
      }
    } finally {
      clean();
    }
  }

  private List<String> misses(boolean ours) throws Exception {
    List<String> misses = new ArrayList<>();
    for (String request : table.requests()) {
      Shape wanted = table.shape(request);
      for (String miss : Shape.of(answer(request), node).missesOf(wanted)) {
        if (!ours || !table.differs(request, miss)) {
          misses.add(request + " " + miss);
        }
      }
    }
    return misses;
  }

  private JsonNode answer(String request) throws Exception {
    Http.Reply reply =
        http.get(
            request
                .replace("{V}", NAME)
                .replace("{U}", NAME)
                .replace("{N}", node)
                .replace("{C}", connection));
    ObjectNode shown = JsonNodeFactory.instance.objectNode();
    shown.put(reply.status() + "", true);
    shown.set("is", own(reply.json()));
    return shown;
  }

  /** Leaves out of a list, a page of one, and definitions what other tests have made. */
  private static JsonNode own(JsonNode json) {
    if (json.has("items") || json.has("rabbitmq_definition_format")) {
      ObjectNode own = json.deepCopy();
      own.properties().forEach(field -> field.setValue(own(field.getValue())));
      return own;
    }
    if (!json.isArray()) {
      return json;
    }
    ArrayNode own = JsonNodeFactory.instance.arrayNode();
    boolean named = StreamSupport.stream(json.spliterator(), false).anyMatch(AnswersIT::isNamed);
    json.forEach(
        element -> {
          if (named ? isNamed(element) : isOwn(element)) {
            own.add(element);
          }
        });
    return own;
  }

  /** Whether it is the virtual host, or a user or a global parameter of this test. */
  private static boolean isNamed(JsonNode element) {
    return !element.has("vhost") && element.path("name").asText().startsWith(NAME);
  }

  /** Whether it is of the virtual host, or of the user, if it is of any. */
  private static boolean isOwn(JsonNode element) {
    for (String key : List.of("vhost", "user")) {
      if (element.path(key).isTextual()) {
        return element.path(key).asText().equals(NAME);
      }
    }
    return true;
  }

  private void awaitStatistics() {
    Awaitility.await("statistics")
        .atMost(Patience.TIME)
        .until(
            () ->
                http.get("queues/" + NAME + "/" + NAME + "-classic")
                            .json()
                            .at("/message_stats/publish")
                            .asInt()
                        > 0
                    && http.get("queues/" + NAME + "/" + NAME + "-classic")
                            .json()
                            .path("consumer_details")
                            .size()
                        > 0
                    && http.get("channels/" + connection + "%20(1)")
                            .json()
                            .at("/message_stats/publish")
                            .asInt()
                        > 0
                    && http.get("connections/" + connection).json().path("recv_oct").asLong() > 0
                    && http.get("exchanges/" + NAME + "/topic")
                            .json()
                            .at("/message_stats/publish_in")
                            .asInt()
                        > 0);
  }

  private Connection fill(Target target) throws Exception {
    put(VHOST, "{'description': 'one of each', 'tags': 'test'}");
    put("users/" + NAME, "{'password': 'secret', 'tags': 'administrator'}");
    put("users/" + NAME + "-without", "{'password': 'secret', 'tags': ''}");
    put("permissions/" + NAME + "/" + NAME, "{'configure': '.*', 'write': '.*', 'read': '.*'}");
    put("permissions/" + NAME + "/guest", "{'configure': '.*', 'write': '.*', 'read': '.*'}");
    put(
        "topic-permissions/" + NAME + "/" + NAME,
        "{'exchange': 'amq.topic', 'write': '.*', 'read': '.*'}");
    put("user-limits/" + NAME + "/max-connections", "{'value': 100}");
    put("vhost-limits/" + NAME + "/max-queues", "{'value': 100}");
    put("global-parameters/" + NAME, "{'value': {'a': 1}}");
    put(
        "policies/" + NAME + "/limits",
        "{'pattern': '-classic$', 'definition': {'max-length': 10}, 'priority': 1, 'apply-to': 'queues'}");
    put(
        "operator-policies/" + NAME + "/limits",
        "{'pattern': '-classic$', 'definition': {'max-length-bytes': 1000}, 'priority': 1, 'apply-to': 'queues'}");
    ConnectionFactory factory = target.factory();
    factory.setVirtualHost(NAME);
    factory.setUsername(NAME);
    factory.setPassword("secret");
    Connection open = factory.newConnection(NAME);
    Channel channel = open.createChannel();
    channel.exchangeDeclare("unused", "fanout", true);
    channel.exchangeDeclare("topic", "topic", true, false, Map.of("alternate-exchange", "unused"));
    channel.exchangeDeclare("inner", BuiltinExchangeType.DIRECT, true, true, true, null);
    channel.exchangeBind("inner", "topic", "b", Map.of("x", 1));
    channel.queueDeclare(NAME + "-classic", true, false, false, Map.of("x-message-ttl", 60_000));
    channel.queueDeclare(NAME + "-plain", true, false, false, Map.of());
    for (String type : List.of("quorum", "stream")) {
      channel.queueDeclare(NAME + "-" + type, true, false, false, Map.of("x-queue-type", type));
    }
    channel.queueDeclare(NAME + "-exclusive", false, true, true, Map.of());
    channel.queueDeclare(
        NAME + "-single", true, false, false, Map.of("x-single-active-consumer", true));
    channel.queueBind(NAME + "-classic", "topic", "a.#", Map.of("x", "y"));
    channel.confirmSelect();
    channel.basicQos(5);
    for (String queue : List.of("-quorum", "-stream", "-exclusive", "-single")) {
      consume(channel, NAME + queue);
      channel.basicPublish("", NAME + queue, Amqp.PLAIN, Amqp.bytes("m"));
    }
    consume(channel, NAME + "-single");
    for (int i = 0; i < 3; i++) {
      channel.basicPublish("topic", "a.b", Amqp.PLAIN, Amqp.bytes("m"));
    }
    channel.waitForConfirms(Patience.MILLIS);
    channel.basicAck(
        channel.basicGet(NAME + "-classic", false).getEnvelope().getDeliveryTag(), false);
    consume(channel, NAME + "-classic");
    connection = name(open);
    return open;
  }

  private static void consume(Channel channel, String queue) throws IOException {
    channel.basicConsume(queue, false, (tag, delivery) -> {}, tag -> {});
  }

  /** What the broker calls a connection, in a path. */
  private String name(Connection open) {
    int port = ((com.rabbitmq.client.impl.AMQConnection) open).getLocalPort();
    List<String> names = new ArrayList<>();
    Awaitility.await("the connection to be listed")
        .atMost(Patience.TIME)
        .until(
            () -> {
              for (JsonNode listed : http.get("connections").json()) {
                if (listed.path("peer_port").asInt() == port) {
                  names.add(listed.path("name").asText());
                }
              }
              return !names.isEmpty();
            });
    return names.get(0).replace(" ", "%20").replace(">", "%3E");
  }

  private void put(String path, String json) throws Exception {
    assertThat(http.put(path, json.replace('\'', '"')).status()).as(path).isIn(201, 204);
  }

  private void clean() throws Exception {
    for (String path :
        List.of(
            VHOST, "users/" + NAME, "users/" + NAME + "-without", "global-parameters/" + NAME)) {
      http.delete(path);
    }
  }
}
