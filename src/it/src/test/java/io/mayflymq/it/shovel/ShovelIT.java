package io.mayflymq.it.shovel;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shovels as parameters, from a broker to itself and to another one. */
@OwnBroker
class ShovelIT {
  private static final String VHOST = "%2F";
  private static final int MANY = 20_000;

  private static EmbeddedBroker broker;
  private static EmbeddedBroker other;
  private static Http http;
  private static int metricsPort;

  @TempDir Path data;

  private Connection connection;
  private Channel channel;
  private int named;

  @BeforeAll
  static void start() {
    metricsPort = Broker.freePort();
    broker = EmbeddedBroker.builder().set("prometheus.tcp.port", metricsPort).start();
    other = EmbeddedBroker.builder().start();
    http = Http.as(broker.httpPort(), "guest", "guest");
  }

  @AfterAll
  static void stop() {
    broker.close();
    other.close();
  }

  @BeforeEach
  void connect() throws Exception {
    connection = broker.factory().newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  @AfterEach
  void clear() throws Exception {
    for (JsonNode parameter : http.get("parameters/shovel").json()) {
      http.delete("parameters/shovel/" + VHOST + "/" + parameter.path("name").asText());
    }
    await().atMost(Patience.TIME).until(() -> http.get("shovels").json().isEmpty());
    connection.close();
  }

  private String queue(Map<String, Object> arguments) throws IOException {
    String name = "q" + System.nanoTime() + "-" + named++;
    channel.queueDeclare(name, true, false, false, arguments);
    return name;
  }

  private void publish(String queue, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      channel.basicPublish(
          "", queue, MessageProperties.PERSISTENT_BASIC, bytes(Integer.toString(i)));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  private static String uri(Broker of) {
    return "amqp://guest:guest@127.0.0.1:" + of.port();
  }

  private static void shovel(String name, String more) throws Exception {
    Http.Reply reply =
        http.put(
            "parameters/shovel/" + VHOST + "/" + name,
            "{\"value\":{\"src-uri\":\"amqp://\",%s}}".formatted(more));
    assertThat(reply.status()).as(reply.raw().body()).isIn(201, 204);
  }

  private static JsonNode status(String name) throws Exception {
    for (JsonNode shovel : http.get("shovels").json()) {
      if (shovel.path("name").asText().equals(name)) {
        return shovel;
      }
    }
    return http.get("shovels?name=none").json();
  }

  private static void awaitState(String name, String state) {
    await().atMost(Patience.TIME).until(() -> status(name).path("state").asText().equals(state));
  }

  private static void awaitForwarded(String name, long count) {
    await().atMost(Patience.TIME).until(() -> status(name).path("forwarded").asLong() >= count);
  }

  private static void awaitGone(String name) {
    await()
        .atMost(Patience.TIME)
        .until(() -> http.get("parameters/shovel/" + VHOST + "/" + name).status() == 404);
  }

  private static List<String> bodies(Channel from, String queue) throws IOException {
    List<String> bodies = new ArrayList<>();
    GetResponse got = from.basicGet(queue, true);
    while (got != null) {
      bodies.add(new String(got.getBody(), java.nio.charset.StandardCharsets.UTF_8));
      got = from.basicGet(queue, true);
    }
    return bodies;
  }

  private static List<String> numbers(int count) {
    return IntStream.range(0, count).mapToObj(Integer::toString).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"on-confirm", "on-publish", "no-ack"})
  void messagesMoveWithinTheBrokerInOrder(String ackMode) throws Exception {
    String from = queue(null);
    String to = queue(null);
    publish(from, 3_000);
    shovel(
        "within",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"%s\",\"ack-mode\":\"%s\""
            .formatted(from, to, ackMode));
    awaitForwarded("within", 3_000);
    assertThat(status("within").path("state").asText()).isEqualTo("running");
    assertThat(status("within").path("blocked_status").asText()).isEqualTo("running");
    await().atMost(Patience.TIME).until(() -> channel.messageCount(to) == 3_000);
    assertThat(bodies(channel, to)).isEqualTo(numbers(3_000));
    http.delete("parameters/shovel/" + VHOST + "/within");
    await().atMost(Patience.TIME).until(() -> http.get("shovels").json().isEmpty());
    assertThat(channel.messageCount(from)).isZero();
  }

  @Test
  void messagesMoveToAnotherBrokerWithTheirPropertiesAndWhatTellsOfTheShovel() throws Exception {
    String from = queue(null);
    channel.basicPublish(
        "",
        from,
        new BasicProperties.Builder()
            .messageId("m")
            .correlationId("c")
            .deliveryMode(2)
            .priority(3)
            .expiration("600000")
            .headers(Map.of("k", "v", "CC", List.of("elsewhere")))
            .build(),
        bytes("b"));
    shovel(
        "out",
        "\"src-queue\":\"%s\",\"dest-uri\":\"%s\",\"dest-queue\":\"%s\",\"dest-add-forward-headers\":true,"
                .formatted(from, uri(other), from)
            + "\"dest-add-timestamp-header\":true,\"dest-publish-properties\":{\"app_id\":\"a\"}");
    awaitForwarded("out", 1);
    try (Connection there = other.factory().newConnection()) {
      GetResponse got = there.createChannel().basicGet(from, true);
      BasicProperties properties = got.getProps();
      assertThat(got.getEnvelope().getRoutingKey()).isEqualTo(from);
      assertThat(properties.getMessageId()).isEqualTo("m");
      assertThat(properties.getCorrelationId()).isEqualTo("c");
      assertThat(properties.getDeliveryMode()).isEqualTo(2);
      assertThat(properties.getPriority()).isEqualTo(3);
      assertThat(properties.getExpiration()).isEqualTo("600000");
      assertThat(properties.getAppId()).isEqualTo("a");
      assertThat(properties.getHeaders())
          .containsKeys("k", "x-original-cc", "x-shovelled-timestamp")
          .doesNotContainKey("CC");
      Map<?, ?> stamp = (Map<?, ?>) ((List<?>) properties.getHeaders().get("x-shovelled")).get(0);
      assertThat(stamp.get("shovel-name")).hasToString("out");
      assertThat(stamp.get("src-queue")).hasToString(from);
      assertThat(stamp.get("dest-uri")).hasToString("amqp://127.0.0.1:" + other.port());
    }
  }

  /** The time that a message has spent at the source counts, also that by the queue's TTL. */
  @ParameterizedTest
  @CsvSource({"true, 0, 590000", "false, 600000, 600000"})
  void messagesLiveNoLongerThanAtTheSourceIfAsked(boolean keeps, long least, long most)
      throws Exception {
    String from = queue(Map.of("x-message-ttl", 590_000));
    String to = queue(null);
    channel.basicPublish(
        "", from, new BasicProperties.Builder().expiration("600000").build(), bytes("e"));
    shovel(
        "mortal",
        "\"src-queue\":\"%s\",\"dest-uri\":\"%s\",\"dest-queue\":\"%s\",\"dest-keep-ttl\":%s"
            .formatted(from, uri(other), to, keeps));
    awaitForwarded("mortal", 1);
    try (Connection there = other.factory().newConnection()) {
      GetResponse got = there.createChannel().basicGet(to, true);
      assertThat(Long.parseLong(got.getProps().getExpiration())).isBetween(least, most);
    }
  }

  @Test
  void exchangesAreSourcesAndDestinationsAndAKeyIsReplaced() throws Exception {
    channel.exchangeDeclare("events", "topic", true);
    channel.exchangeDeclare("copies", "direct", true);
    String to = queue(null);
    channel.queueBind(to, "copies", "new");
    shovel(
        "copy",
        "\"src-exchange\":\"events\",\"dest-uri\":\"amqp://\",\"dest-exchange\":\"copies\","
            + "\"dest-exchange-key\":\"new\"");
    awaitState("copy", "running");
    await()
        .atMost(Patience.TIME)
        .until(() -> http.get("exchanges/" + VHOST + "/events/bindings/source").json().size() == 1);
    channel.basicPublish("events", "any.key", null, bytes("e"));
    awaitForwarded("copy", 1);
    assertThat(bodies(channel, to)).containsExactly("e");
    http.delete("parameters/shovel/" + VHOST + "/copy");
    channel.exchangeDelete("events");
    channel.exchangeDelete("copies");
  }

  @ParameterizedTest
  @CsvSource({"\"queue-length\", 50", "20, 20", "0, 0"})
  void shovelEndsAfterSoManyMessages(String deleteAfter, int moved) throws Exception {
    String from = queue(null);
    String to = queue(null);
    publish(from, 50);
    shovel(
        "some",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"%s\",\"src-delete-after\":%s"
            .formatted(from, to, deleteAfter));
    awaitGone("some");
    await().atMost(Patience.TIME).until(() -> http.get("shovels").json().isEmpty());
    assertThat(bodies(channel, to)).isEqualTo(numbers(moved));
    await().atMost(Patience.TIME).until(() -> channel.messageCount(from) == 50 - moved);
  }

  /** RabbitMQ's wait for each other's messages for ever. */
  @Test
  void twoShovelsForTheLengthOfAQueueBothEnd() throws Exception {
    String from = queue(null);
    String to = queue(null);
    publish(from, 2_000);
    for (String name : List.of("one", "two")) {
      shovel(
          name,
          "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"%s\",".formatted(from, to)
              + "\"src-delete-after\":\"queue-length\",\"src-prefetch-count\":20");
    }
    awaitGone("one");
    awaitGone("two");
    assertThat(bodies(channel, to)).hasSize(2_000);
  }

  @Test
  void shovelEndsAfterSomeTime() throws Exception {
    String from = queue(null);
    shovel(
        "brief",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"%s\","
                .formatted(from, queue(null))
            + "\"src-delete-after-duration\":1");
    awaitGone("brief");
  }

  @Test
  void nothingIsLostWhenTheDestinationIsKilledAndItGoesOnByItself() throws Exception {
    String from = queue(null);
    publish(from, MANY);
    try (RestartedBroker destination = RestartedBroker.ended(data, Ending.KILL, 1).start()) {
      destination.queue("to");
      shovel(
          "killed",
          "\"src-queue\":\"%s\",\"dest-uri\":\"%s\",\"dest-queue\":\"to\",\"reconnect-delay\":0.2,"
                  .formatted(from, uri(destination.process()))
              + "\"src-prefetch-count\":200");
      await()
          .atMost(Patience.TIME)
          .until(() -> destination.channel().messageCount("to") >= MANY / 10);
      destination.restart(Ending.KILL);
      // The destination may come back at another port.
      shovel(
          "killed",
          "\"src-queue\":\"%s\",\"dest-uri\":\"%s\",\"dest-queue\":\"to\",\"reconnect-delay\":0.2"
              .formatted(from, uri(destination.process())));
      await()
          .atMost(Patience.TIME)
          .until(
              () -> http.get("queues/" + VHOST + "/" + from).json().path("messages").asInt() == 0);
      Set<String> moved = new HashSet<>(destination.bodies("to"));
      assertThat(moved).hasSize(MANY).containsAll(numbers(MANY));
    }
  }

  @Test
  void shovelWaitsForADestinationThatIsNotThere() throws Exception {
    String from = queue(null);
    publish(from, 1);
    int port = Broker.freePort();
    shovel(
        "early",
        "\"src-queue\":\"%s\",\"dest-uri\":[\"amqp://guest:guest@127.0.0.1:%d\"],"
                .formatted(from, port)
            + "\"dest-queue\":\"to\",\"reconnect-delay\":0.2");
    awaitState("early", "terminated");
    assertThat(status("early").path("reason").asText())
        .startsWith("failed to connect to destination, amqp://127.0.0.1:" + port);
    try (EmbeddedBroker late = EmbeddedBroker.builder().port(port).start()) {
      awaitState("early", "running");
      awaitForwarded("early", 1);
      // And again, of its own accord, when the connection is lost.
      Http there = Http.as(late.httpPort(), "guest", "guest");
      await().atMost(Patience.TIME).until(() -> there.get("connections").json().size() == 1);
      String name = there.get("connections").json().get(0).path("name").asText();
      assertThat(name).isNotEmpty();
      there.delete("connections/" + name.replace(" ", "%20").replace(">", "%3E"));
      publish(from, 2);
      awaitForwarded("early", 3);
    }
  }

  @Test
  void wrongPasswordIsToldAndShownNowhere() throws Exception {
    String secret = "hunter-" + System.nanoTime();
    String from = queue(null);
    shovel(
        "secretive",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://guest:%s@127.0.0.1:%d\",\"dest-queue\":\"to\""
            .formatted(from, secret, other.port()));
    awaitState("secretive", "terminated");
    assertThat(status("secretive").path("reason").asText()).contains("ACCESS_REFUSED");
    ControlCommand command = ControlCommand.of(broker);
    for (String shown :
        List.of(
            http.get("shovels").raw().body(),
            http.get("shovels/" + VHOST).raw().body(),
            http.get("shovels/vhost/" + VHOST + "/secretive").raw().body(),
            http.get("parameters").raw().body(),
            http.get("parameters/shovel/" + VHOST).raw().body(),
            command.run("shovel_status").text(),
            command.run("list_shovels").text(),
            command.run("list_parameters").text())) {
      assertThat(shown).contains("secretive").doesNotContain(secret);
    }
    // What administrators need to take it elsewhere.
    assertThat(http.get("parameters/shovel/" + VHOST + "/secretive").raw().body()).contains(secret);
    assertThat(http.get("definitions").raw().body()).contains(secret);
    http.put("users/maker", "{\"password\":\"p\",\"tags\":\"policymaker\"}");
    http.put(
        "permissions/" + VHOST + "/maker",
        "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}");
    Http maker = Http.as(broker.httpPort(), "maker", "p");
    assertThat(maker.get("parameters/shovel/" + VHOST + "/secretive").raw().body())
        .contains("guest:***@")
        .doesNotContain(secret);
    assertThat(maker.get("shovels").status()).isEqualTo(401);
    // Nor does a shovel lead to a virtual host that its maker may not use.
    http.put("vhosts/foreign", "{}");
    Http.Reply refused =
        maker.put(
            "parameters/shovel/" + VHOST + "/spy",
            "{\"value\":{\"src-uri\":\"amqp:///foreign\",\"src-queue\":\"a\","
                + "\"dest-uri\":\"amqp://\",\"dest-queue\":\"b\"}}");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.reason()).contains("there is no vhost \"foreign\" that you may use");
    http.delete("vhosts/foreign");
    http.delete("users/maker");
    assertThat(String.join("\n", broker.output())).contains("secretive").doesNotContain(secret);
    assertThat(String.join("\n", other.output())).doesNotContain(secret);
  }

  @Test
  void refusedMessagesStayAndAreNotTriedWithoutAPause() throws Exception {
    String from = queue(null);
    String to = queue(Map.of("x-max-length", 10, "x-overflow", "reject-publish"));
    publish(from, 100);
    shovel(
        "full",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"%s\",\"reconnect-delay\":0.2"
            .formatted(from, to));
    await()
        .atMost(Patience.TIME)
        .until(() -> status("full").path("reason").asText().contains("refused"));
    assertThat(status("full").path("forwarded").asLong()).isBetween(10L, 12L);
    List<String> moved = new ArrayList<>();
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              moved.addAll(bodies(channel, to));
              return moved.size() == 100;
            });
    assertThat(moved).containsExactlyInAnyOrderElementsOf(numbers(100));
  }

  @Test
  void messageThatNoQueueTakesStays() throws Exception {
    String from = queue(null);
    String to = queue(null);
    channel.exchangeDeclare("routes", "topic", true);
    publish(from, 1);
    shovel(
        "astray",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-exchange\":\"routes\","
                .formatted(from)
            + "\"reconnect-delay\":0.2");
    await()
        .atMost(Patience.TIME)
        .until(() -> status("astray").path("reason").asText().contains("NO_ROUTE"));
    assertThat(status("astray").path("forwarded").asLong()).isZero();
    channel.queueBind(to, "routes", "#");
    awaitForwarded("astray", 1);
    assertThat(bodies(channel, to)).containsExactly("0");
    channel.queueUnbind(to, "routes", "#");
    shovel(
        "astray",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-exchange\":\"routes\","
                .formatted(from)
            + "\"dest-unroutable\":\"drop\"");
    publish(from, 1);
    awaitForwarded("astray", 1);
    await().atMost(Patience.TIME).until(() -> channel.messageCount(from) == 0);
    http.delete("parameters/shovel/" + VHOST + "/astray");
    channel.exchangeDelete("routes");
  }

  @Test
  void queueThatIsDeletedIsDeclaredAgain() throws Exception {
    String from = queue(null);
    String to = queue(null);
    shovel(
        "again",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"%s\",\"reconnect-delay\":0.2"
            .formatted(from, to));
    awaitState("again", "running");
    channel.queueDelete(to);
    publish(from, 1);
    awaitForwarded("again", 1);
    assertThat(bodies(channel, to)).containsExactly("0");
    channel.queueDelete(from);
    await()
        .atMost(Patience.TIME)
        .until(() -> http.get("queues/" + VHOST + "/" + from).status() == 200);
  }

  @Test
  void messagesOfAnotherUserMoveWithoutTheirUserId() throws Exception {
    Http there = Http.as(other.httpPort(), "guest", "guest");
    there.put("users/mover", "{\"password\":\"p\",\"tags\":\"\"}");
    there.put(
        "permissions/" + VHOST + "/mover",
        "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}");
    String from = queue(null);
    channel.basicPublish(
        "", from, new BasicProperties.Builder().userId("guest").build(), bytes("u"));
    shovel(
        "mover",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://mover:p@127.0.0.1:%d\",\"dest-queue\":\"%s\""
            .formatted(from, other.port(), from));
    awaitForwarded("mover", 1);
    try (Connection connected = other.factory().newConnection()) {
      GetResponse got = connected.createChannel().basicGet(from, true);
      assertThat(got.getProps().getUserId()).isNull();
    }
  }

  @Test
  void shovelThatGetsNoAnswerHoldsUpNoOther() throws Exception {
    String from = queue(null);
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      silent.setSoTimeout(Patience.MILLIS);
      shovel(
          "stuck",
          "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://127.0.0.1:%d\",\"dest-queue\":\"to\""
              .formatted(from, silent.getLocalPort()));
      try (Socket never = silent.accept()) {
        http.delete("parameters/shovel/" + VHOST + "/stuck");
        shovel(
            "next",
            "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"%s\""
                .formatted(from, queue(null)));
        awaitState("next", "running");
        assertThat(String.join("\n", broker.output()))
            .as("while %s is silent", never)
            .doesNotContain("shovel 'stuck' in vhost '/' has stopped");
      }
    }
  }

  @Test
  void metricsCountThemByWhatTheyDo() throws Exception {
    assertThat(metrics()).doesNotContain("rabbitmq_shovel");
    String from = queue(null);
    for (String name : List.of("one", "two")) {
      shovel(
          name,
          "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"%s\""
              .formatted(from, queue(null)));
      awaitState(name, "running");
    }
    shovel(
        "astray",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://127.0.0.1:%d\",\"dest-queue\":\"to\""
            .formatted(from, Broker.freePort()));
    awaitState("astray", "terminated");
    assertThat(metrics())
        .contains("rabbitmq_shovel_dynamic{status=\"running\"} 2")
        .contains("rabbitmq_shovel_dynamic{status=\"terminated\"} 1");
  }

  private static String metrics() throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + metricsPort + "/metrics"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void commandsRestartAndDelete() throws Exception {
    String from = queue(null);
    shovel(
        "handled",
        "\"src-queue\":\"%s\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"%s\""
            .formatted(from, queue(null)));
    awaitState("handled", "running");
    publish(from, 5);
    awaitForwarded("handled", 5);
    ControlCommand command = ControlCommand.of(broker);
    assertThat(command.run("list_shovels").text())
        .contains("handled\trunning\tamqp://\tamqp://\t5");
    assertThat(command.run("restart_shovel", "handled").exit()).isZero();
    awaitState("handled", "running");
    assertThat(status("handled").path("forwarded").asInt()).isZero();
    assertThat(command.run("restart_shovel", "missing").exit()).isEqualTo(69);
    assertThat(command.run("delete_shovel", "handled").exit()).isZero();
    assertThat(command.run("delete_shovel", "handled").exit()).isEqualTo(69);
    assertThat(http.get("shovels/vhost/" + VHOST + "/handled").status()).isEqualTo(404);
    assertThat(http.delete("shovels/vhost/" + VHOST + "/handled").status()).isEqualTo(204);
    assertThat(http.delete("shovels/vhost/" + VHOST + "/handled/restart").status()).isEqualTo(404);
  }

  @Test
  void shovelsBeginWithTheBrokerAndAreInDefinitions() throws Exception {
    try (RestartedBroker restarted = RestartedBroker.ended(data, Ending.SIGTERM, 1).start()) {
      Http there = restarted.http();
      String definitions =
          "{\"parameters\":[{\"component\":\"shovel\",\"vhost\":\"/\",\"name\":\"kept\",\"value\":"
              + "{\"src-uri\":\"amqp://\",\"src-queue\":\"a\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"b\"}}]}";
      assertThat(there.post("definitions", definitions).status()).isEqualTo(204);
      restarted.queue("a");
      restarted.restart(Ending.SIGTERM);
      restarted.publish("a", "1", "2");
      await()
          .atMost(Patience.TIME)
          .until(
              () -> restarted.http().get("shovels").json().path(0).path("forwarded").asInt() == 2);
      assertThat(restarted.bodies("b")).containsExactly("1", "2");
    }
  }

  @Test
  void invalidDefinitionsAreRefusedWithAllReasons() throws Exception {
    Http.Reply reply =
        http.put(
            "parameters/shovel/" + VHOST + "/wrong",
            "{\"value\":{\"src-uri\":\"http://x:secret@y\",\"src-prefetch-count\":-1,\"foo\":1}}");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason())
        .startsWith("Validation failed\n\n")
        .contains(
            "Unrecognised term foo in wrong\n",
            "src-uri: \"http://y\" not a valid URI",
            "Key \"dest-uri\" not found in wrong\n",
            "Must specify 'src-exchange' or 'src-queue'\n",
            "src-prefetch-count should be a number, 0 to 65535, actually was -1\n")
        .doesNotContain("secret");
  }
}
