package io.mayflymq.it.moving;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EarlierExport;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code docs/migrating.md} promises, as far as it can be tested without a RabbitMQ. */
@OwnBroker
class MigrationIT {
  private static final int MESSAGES = 20_000;

  /** An internal exchange: RabbitMQ exports its bindings, and not the exchange itself. */
  private static final String NOT_EXPORTED = "inner";

  /** The sections of definitions that both brokers have; users are compared by themselves. */
  private static final List<String> SECTIONS =
      List.of(
          "permissions",
          "topic_permissions",
          "parameters",
          "global_parameters",
          "policies",
          "exchanges",
          "queues",
          "bindings");

  @TempDir Path data;

  private static String exported() throws Exception {
    try (InputStream in = MigrationIT.class.getResourceAsStream("rabbitmq-3.10-definitions.json")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** An item without what only one of them writes, and with lists of pairs as objects. */
  private static JsonNode plain(String section, JsonNode item) {
    ObjectNode plain = item.deepCopy();
    if (section.equals("queues")) {
      plain.remove("type");
    }
    plain.remove("internal");
    JsonNode pairs = plain.path("value").path("definition");
    if (pairs.isArray()) {
      ObjectNode definition = ((ObjectNode) plain.path("value")).putObject("definition");
      pairs.forEach(pair -> definition.set(pair.get(0).asText(), pair.get(1)));
    }
    return plain;
  }

  private static List<JsonNode> items(JsonNode definitions, String section) {
    List<JsonNode> items = new ArrayList<>();
    for (JsonNode item : definitions.path(section)) {
      if (!item.path("destination").asText().equals(NOT_EXPORTED)) {
        items.add(plain(section, item));
      }
    }
    return items;
  }

  @Test
  void definitionsOfRabbitMqAreImportedAndExportedAgain() throws Exception {
    JsonNode definitions = EarlierExport.asToday(new ObjectMapper().readTree(exported()));
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      JsonNode report = http.post("definitions?report=true", exported()).json();
      assertThat(report.path("skipped"))
          .extracting(JsonNode::asText)
          .containsExactly(
              "binding of exchange '"
                  + NOT_EXPORTED
                  + "' to exchange 'events' in vhost '/':"
                  + " there is no such exchange");
      JsonNode back = EarlierExport.asToday(http.get("definitions").json());
      for (String section : SECTIONS) {
        assertThat(items(definitions, section)).as(section).isNotEmpty();
        assertThat(items(back, section)).as(section).containsAll(items(definitions, section));
      }
      assertThat(items(back, "users"))
          .extracting(user -> user.path("name").asText() + user.path("password_hash").asText())
          .containsAll(
              items(definitions, "users").stream()
                  .map(user -> user.path("name").asText() + user.path("password_hash").asText())
                  .toList());
      ConnectionFactory app = broker.factory();
      app.setUsername("app");
      app.setPassword("app-password");
      app.newConnection().close();
    }
  }

  /** The destination is killed meanwhile, as often as the shovel needs. */
  @Test
  void shovelLosesNothingWhenTheDestinationIsKilled() throws Exception {
    try (EmbeddedBroker source = EmbeddedBroker.builder().start();
        RestartedBroker destination = RestartedBroker.ended(data, Ending.KILL, 1).start();
        Connection connection = source.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("orders", true, false, false, null);
      destination.queue("orders");
      channel.confirmSelect();
      for (int i = 0; i < MESSAGES; i++) {
        channel.basicPublish(
            "", "orders", MessageProperties.PERSISTENT_BASIC, bytes(Integer.toString(i)));
      }
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();

      try (ShovelClient shovel =
          new ShovelClient(source.factory(), destination.process().factory(), "orders")) {
        await()
            .atMost(Patience.TIME)
            .until(() -> destination.channel().messageCount("orders") >= MESSAGES / 10);
        destination.restart(Ending.KILL);
        await().atMost(Patience.TIME).until(() -> !shovel.runs());
      }
      try (ShovelClient again =
          new ShovelClient(source.factory(), destination.process().factory(), "orders")) {
        await()
            .atMost(Patience.TIME)
            .until(
                () ->
                    !again.runs()
                        || Http.as(source.httpPort(), "guest", "guest")
                                .get("queues/%2F/orders")
                                .json()
                                .path("messages")
                                .asInt(-1)
                            == 0);
        assertThat(again.runs()).isTrue();
      }
      Set<String> moved = new HashSet<>(destination.bodies("orders"));
      assertThat(moved).hasSize(MESSAGES);
      assertThat(moved)
          .containsAll(IntStream.range(0, MESSAGES).mapToObj(Integer::toString).toList());
    }
  }

  /** The link of a federated queue is a consumer with a low priority, besides the local ones. */
  @Test
  void linkOfAFederatedQueueTakesWhatLocalConsumersLeave() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("orders", true, false, false, null);
      Channel linked = connection.createChannel();
      linked.basicQos(1000);
      Deliveries link = Deliveries.from(linked, "orders", false, false, Map.of("x-priority", -1));
      Channel local = connection.createChannel();
      local.basicQos(1);
      Deliveries consumer = Deliveries.from(local, "orders", false);
      for (String body : List.of("a", "b")) {
        channel.basicPublish("", "orders", MessageProperties.PERSISTENT_BASIC, bytes(body));
      }
      assertThat(consumer.next().body()).isEqualTo("a");
      assertThat(link.next().body()).isEqualTo("b");
    }
  }
}
