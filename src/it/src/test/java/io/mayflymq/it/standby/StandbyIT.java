package io.mayflymq.it.standby;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two brokers, of which one is the standby of the other; either is killed. */
@OwnBroker
@Order(1)
class StandbyIT {
  private static final Map<String, Object> QUORUM = Map.of("x-queue-type", "quorum");

  @TempDir Path directory;

  private final int port = Broker.freePort();
  private final int httpPort = Broker.freePort();
  private BrokerProcess primary;
  private BrokerProcess standby;
  private Connection connection;
  private Channel channel;

  @BeforeEach
  void start() throws Exception {
    primary = startPrimary("primary");
    connect();
    standby = startStandby("guest");
  }

  @AfterEach
  void stop() {
    if (connection != null) {
      connection.abort();
    }
    standby.close();
    primary.close();
  }

  private BrokerProcess startPrimary(String data) {
    return BrokerProcess.builder()
        .port(port)
        .httpPort(httpPort)
        .data(directory.resolve(data))
        .start();
  }

  private BrokerProcess startStandby(String password) {
    return BrokerProcess.builder()
        .data(directory.resolve("standby"))
        .set("standby.primary.uri", "http://guest:%s@127.0.0.1:%d".formatted(password, httpPort))
        .set("standby.interval", 50)
        .set("prometheus.tcp.port", "none")
        .start();
  }

  private void connect() throws Exception {
    connection = primary.factory().newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  private void restartPrimary() throws Exception {
    connection.abort();
    primary.kill();
    primary = startPrimary("primary");
    connect();
  }

  private void publish(String queue, BasicProperties properties, String... bodies)
      throws Exception {
    for (String body : bodies) {
      channel.basicPublish("", queue, properties, bytes(body));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  private void publish(String queue, String... bodies) throws Exception {
    publish(queue, MessageProperties.PERSISTENT_BASIC, bodies);
  }

  private static String[] numbers(int from, int end) {
    return IntStream.range(from, end).mapToObj(Integer::toString).toArray(String[]::new);
  }

  private JsonNode status() throws IOException, InterruptedException {
    return standby.http().get("standby").json();
  }

  /** Waits until a round has been complete that began after this call. */
  private void awaitRound() throws Exception {
    long rounds = status().path("complete_rounds").asLong();
    await()
        .atMost(Patience.TIME)
        .until(() -> status().path("complete_rounds").asLong() >= rounds + 2);
  }

  private Outcome promote(String... options) {
    List<String> arguments = new ArrayList<>(List.of("promote"));
    arguments.addAll(List.of(options));
    return ControlCommand.of(standby).run(arguments.toArray(String[]::new));
  }

  private void killPrimaryAndPromote() {
    connection.abort();
    primary.kill();
    Outcome outcome = promote();
    assertThat(outcome.exit()).as(outcome.toString()).isZero();
  }

  private static List<GetResponse> drain(Channel from, String queue) throws IOException {
    List<GetResponse> all = new ArrayList<>();
    for (GetResponse next = from.basicGet(queue, true);
        next != null;
        next = from.basicGet(queue, true)) {
      all.add(next);
    }
    return all;
  }

  private static List<String> bodies(Channel from, String queue) throws IOException {
    return drain(from, queue).stream()
        .map(each -> new String(each.getBody(), StandardCharsets.UTF_8))
        .toList();
  }

  private static long deadlineAt(Http broker, int position) throws Exception {
    return broker
        .get("queues/%2F/orders/messages?from=" + position + "&count=1")
        .json()
        .path("items")
        .path(0)
        .path("deadline")
        .asLong();
  }

  @Test
  void definitionsAndMessagesFollowAndAreThereAfterAPromotion() throws Exception {
    Http here = primary.http();
    here.put("vhosts/shop", "{}");
    here.put("users/clerk", "{\"password\":\"secret\",\"tags\":\"monitoring\"}");
    here.put("policies/%2F/p", "{\"pattern\":\"^orders$\",\"definition\":{\"max-length\":100000}}");
    here.put(
        "vhost-policies/many",
        "{\"vhosts\":\"^shop\",\"pattern\":\"\",\"definition\":{\"max-length\":5}}");
    channel.exchangeDeclare("events", "topic", true);
    channel.queueDeclare("orders", true, false, false, Map.of());
    channel.queueDeclare("agreed", true, false, false, QUORUM);
    channel.queueDeclare("gone", true, false, false, Map.of());
    channel.queueBind("orders", "events", "order.*");
    publish("orders", numbers(0, 3_000));
    publish("agreed", numbers(0, 500));
    publish("gone", "no more");
    awaitRound();
    assertThat(status().path("messages").asLong()).isEqualTo(3_501);
    BasicProperties rich =
        new BasicProperties.Builder()
            .deliveryMode(2)
            .contentType("text/plain")
            .messageId("id-1")
            .expiration("3600000")
            .headers(Map.of("customer", 17))
            .build();
    publish("orders", rich, "rich");
    for (int i = 0; i < 1_000; i++) {
      channel.basicGet("orders", true);
    }
    // Unacknowledged ones are still the primary's.
    channel.basicGet("orders", false);
    channel.queueDelete("gone");
    here.delete("users/clerk");
    awaitRound();
    assertThat(status().path("messages").asLong()).isEqualTo(2_501);
    assertThat(status().path("lag_messages").asLong()).isZero();
    assertThat(status().path("state").asText()).isEqualTo("following");
    assertThat(standby.http().get("queues/%2F/gone").status()).isEqualTo(404);
    assertThat(standby.http().get("users/clerk").status()).isEqualTo(404);
    long deadline = deadlineAt(here, 1_999);
    assertThat(deadline).isPositive();
    killPrimaryAndPromote();
    assertThat(standby.http().get("vhosts/shop").status()).isEqualTo(200);
    assertThat(standby.http().get("vhost-policies/many").status()).isEqualTo(200);
    assertThat(standby.http().get("policies/shop/many").status()).isEqualTo(404);
    assertThat(deadlineAt(standby.http(), 2_000)).isEqualTo(deadline);
    try (Connection after = standby.factory().newConnection()) {
      Channel taking = after.createChannel();
      List<GetResponse> orders = drain(taking, "orders");
      assertThat(orders)
          .extracting(each -> new String(each.getBody(), StandardCharsets.UTF_8))
          .containsExactly(
              IntStream.rangeClosed(1_000, 3_000)
                  .mapToObj(i -> i == 3_000 ? "rich" : Integer.toString(i))
                  .toArray(String[]::new));
      assertThat(orders).allMatch(each -> each.getEnvelope().isRedeliver());
      BasicProperties last = orders.get(2_000).getProps();
      assertThat(last.getMessageId()).isEqualTo("id-1");
      assertThat(last.getContentType()).isEqualTo("text/plain");
      assertThat(last.getHeaders()).containsEntry("customer", 17);
      assertThat(last.getExpiration()).isEqualTo("3600000");
      assertThat(bodies(taking, "agreed")).containsExactly(numbers(0, 500));
      taking.basicPublish("events", "order.new", null, bytes("next"));
      await().atMost(Patience.TIME).until(() -> taking.messageCount("orders") == 1);
    }
  }

  @Test
  void clientsAreRefused() throws Exception {
    String text =
        "this broker is the standby of http://127.0.0.1:%d and takes no clients; mayflyctl promote"
                .formatted(httpPort)
            + " makes it the first";
    assertThatThrownBy(() -> standby.factory().newConnection())
        .satisfies(
            refused ->
                assertThat(refused.getCause() == null ? refused : refused.getCause())
                    .isInstanceOf(ShutdownSignalException.class)
                    .hasMessageContaining(text));
    channel.queueDeclare("orders", true, false, false, Map.of());
    awaitRound();
    Http.Reply refused =
        standby
            .http()
            .post(
                "exchanges/%2F/amq.default/publish",
                "{\"routing_key\":\"orders\",\"properties\":{},\"payload\":\"x\","
                    + "\"payload_encoding\":\"string\"}");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.reason()).isEqualTo(text);
    assertThat(standby.http().get("health/checks/alarms").status()).isEqualTo(200);
    primary.http().put("users/plain", "{\"password\":\"p\",\"tags\":\"management\"}");
    Http plain = Http.as(httpPort, "plain", "p");
    assertThat(plain.get("standby").status()).isEqualTo(401);
    assertThat(plain.get("standby/queues").status()).isEqualTo(401);
    assertThat(plain.get("standby/queues/%2F/orders").status()).isEqualTo(401);
    assertThat(plain.post("standby", "{}").status()).isEqualTo(401);
    assertThat(primary.http().get("standby").json().path("state").asText()).isEqualTo("none");
    assertThat(primary.http().post("standby", "{}").reason())
        .isEqualTo("this broker is no standby: key 'standby.primary.uri' is not set");
  }

  @Test
  void promotionIsRefusedWhileThePrimaryAnswers() throws Exception {
    channel.queueDeclare("orders", true, false, false, Map.of());
    publish("orders", "one", "two");
    awaitRound();
    Outcome refused = promote();
    assertThat(refused.exit()).isNotZero();
    assertThat(String.join("\n", refused.err()))
        .contains(
            "the primary http://127.0.0.1:%d still answers: stop it first".formatted(httpPort));
    publish("orders", "three");
    Outcome forced = promote("--force");
    assertThat(forced.exit()).as(forced.toString()).isZero();
    assertThat(forced.text()).contains("This broker is the first now, with 3 messages");
    publish("orders", "is with the old one");
    standby.kill();
    standby = startStandby("guest");
    assertThat(status().path("state").asText()).isEqualTo("first");
    assertThat(String.join("\n", promote("--force").err()))
        .contains("this broker is the first already");
    try (Connection after = standby.factory().newConnection()) {
      assertThat(bodies(after.createChannel(), "orders")).containsExactly("one", "two", "three");
    }
    assertThat(ControlCommand.of(standby).run("standby_status").text()).contains("state: first");
  }

  @Test
  void goesOnAfterItWasKilled() throws Exception {
    channel.queueDeclare("orders", true, false, false, Map.of());
    publish("orders", numbers(0, 5_000));
    awaitRound();
    standby.kill();
    for (int i = 0; i < 100; i++) {
      channel.basicGet("orders", true);
    }
    publish("orders", numbers(5_000, 5_100));
    standby = startStandby("guest");
    awaitRound();
    assertThat(status().path("copied_messages").asLong()).isEqualTo(100);
    assertThat(status().path("messages").asLong()).isEqualTo(5_000);
    killPrimaryAndPromote();
    try (Connection after = standby.factory().newConnection()) {
      assertThat(bodies(after.createChannel(), "orders")).containsExactly(numbers(100, 5_100));
    }
  }

  /** After a crash of the primary numbers of transient messages are given to other messages. */
  @Test
  void numbersThatWereLostWithThePrimaryAreOfOtherMessages() throws Exception {
    channel.queueDeclare("orders", true, false, false, Map.of());
    publish("orders", numbers(0, 50));
    publish("orders", MessageProperties.BASIC, numbers(1_000, 1_050));
    awaitRound();
    assertThat(status().path("messages").asLong()).isEqualTo(100);
    restartPrimary();
    publish("orders", numbers(50, 120));
    awaitRound();
    assertThat(status().path("messages").asLong()).isEqualTo(120);
    killPrimaryAndPromote();
    try (Connection after = standby.factory().newConnection()) {
      assertThat(bodies(after.createChannel(), "orders")).containsExactly(numbers(0, 120));
    }
  }

  /** Wherever a promotion is interrupted: it goes on, and each message is there once. */
  @Test
  void interruptedPromotionGoesOn() throws Exception {
    channel.queueDeclare("orders", true, false, false, Map.of());
    channel.queueDeclare("agreed", true, false, false, QUORUM);
    publish("orders", numbers(0, 20_000));
    publish("agreed", numbers(0, 20_000));
    awaitRound();
    connection.abort();
    primary.kill();
    assertThat(standby.http().post("standby", "{}").status()).isEqualTo(200);
    for (long moved : new long[] {0, 10_000, 30_000}) {
      await()
          .pollInSameThread()
          .pollInterval(Duration.ofMillis(1))
          .atMost(Patience.TIME)
          .until(
              () ->
                  status().path("moved_messages").asLong() >= moved
                      || status().path("state").asText().equals("first"));
      standby.kill();
      standby = startStandby("guest");
    }
    await().atMost(Patience.TIME).until(() -> status().path("state").asText().equals("first"));
    try (Connection after = standby.factory().newConnection()) {
      Channel taking = after.createChannel();
      assertThat(bodies(taking, "orders")).containsExactly(numbers(0, 20_000));
      assertThat(bodies(taking, "agreed")).containsExactly(numbers(0, 20_000));
    }
  }

  @Test
  void messagesThatWaitForTheirTimeFollow() throws Exception {
    channel.exchangeDeclare(
        "later", "x-delayed-message", true, false, Map.of("x-delayed-type", "direct"));
    channel.queueDeclare("orders", true, false, false, Map.of());
    channel.queueBind("orders", "later", "k");
    BasicProperties hour =
        new BasicProperties.Builder().deliveryMode(2).headers(Map.of("x-delay", 3_600_000)).build();
    channel.basicPublish("later", "k", hour, bytes("in an hour"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    awaitRound();
    assertThat(status().path("messages").asLong()).isEqualTo(1);
    killPrimaryAndPromote();
    assertThat(standby.http().get("queues/%2F/orders").json().path("messages_delayed").asLong())
        .isEqualTo(1);
  }

  /** The queue of dead letters stays when its queue loses the setting. */
  @Test
  void deadLettersThatAreLeftOverFollow() throws Exception {
    standby.close();
    primary
        .http()
        .put(
            "policies/%2F/p",
            "{\"pattern\":\"^orders$\",\"definition\":{\"dead-letter-queue\":\"auto\"}}");
    channel.queueDeclare("orders", true, false, false, Map.of());
    publish("orders", "dead", "alive");
    channel.basicReject(channel.basicGet("orders", false).getEnvelope().getDeliveryTag(), false);
    await().atMost(Patience.TIME).until(() -> channel.messageCount("orders.$dlq") == 1);
    primary.http().delete("policies/%2F/p");
    standby = startStandby("guest");
    awaitRound();
    assertThat(status().path("messages").asLong()).isEqualTo(2);
    killPrimaryAndPromote();
    try (Connection after = standby.factory().newConnection()) {
      assertThat(bodies(after.createChannel(), "orders.$dlq")).containsExactly("dead");
      assertThat(bodies(after.createChannel(), "orders")).containsExactly("alive");
    }
  }

  @Test
  void tellsWhyItIsNotComplete() throws Exception {
    standby.close();
    standby = startStandby("wrong");
    await()
        .atMost(Patience.TIME)
        .until(() -> status().path("last_failure").asText().contains("401"));
    assertThat(status().path("lag_seconds").isNull()).isTrue();
    assertThat(status().path("last_failure").asText())
        .contains(
            "http://127.0.0.1:%d answers GET /api/standby/queues with 401".formatted(httpPort))
        .contains("needs the tag administrator")
        .doesNotContain("wrong@");
    assertThat(String.join("\n", promote().err())).contains("still answers");
    standby.close();
    connection.abort();
    primary.kill();
    standby = startStandby("guest");
    await()
        .atMost(Patience.TIME)
        .until(() -> status().path("last_failure").asText().contains("cannot connect"));
    assertThat(String.join("\n", promote().err())).contains("nothing was copied completely");
    assertThat(ControlCommand.of(standby).run("standby_status").text())
        .contains("state: following", "behind by: all", "cannot connect to http://127.0.0.1");
    primary = startPrimary("primary");
    awaitRound();
    assertThat(status().path("lag_seconds").isNumber()).isTrue();
  }

  /** The disk of the primary was lost, and it begins anew: that is no reason to remove copies. */
  @Test
  void copiesStayIfThePrimaryHasLostItsData() throws Exception {
    channel.queueDeclare("orders", true, false, false, Map.of());
    publish("orders", "one", "two");
    awaitRound();
    connection.abort();
    primary.kill();
    primary = startPrimary("empty");
    await()
        .atMost(Patience.TIME)
        .until(() -> status().path("last_failure").asText().contains("is another broker"));
    assertThat(status().path("messages").asLong()).isEqualTo(2);
    Outcome outcome = promote("--force");
    assertThat(outcome.exit()).as(outcome.toString()).isZero();
    try (Connection after = standby.factory().newConnection()) {
      assertThat(bodies(after.createChannel(), "orders")).containsExactly("one", "two");
    }
  }

  @Test
  void brokerWithMessagesOfItsOwnIsNoStandby() throws Exception {
    channel.queueDeclare("orders", true, false, false, Map.of());
    publish("orders", "one");
    connection.abort();
    primary.terminate();
    primary.awaitExit();
    BrokerProcess refused =
        BrokerProcess.builder()
            .data(directory.resolve("primary"))
            .set("standby.primary.uri", "http://guest:guest@127.0.0.1:1")
            .launch();
    try {
      assertThat(refused.awaitExit()).isNotZero();
      assertThat(String.join("\n", refused.output()))
          .contains("key 'standby.primary.uri' is set, and this broker has 1 messages of its own");
    } finally {
      refused.close();
    }
  }

  /** Whatever happens at the primary: after a round the copies are what it has. */
  @Test
  void copiesAreWhatThePrimaryHasAfterARound() throws Exception {
    Random random = new Random(19);
    List<String> queues = List.of("a", "b", "c", "d");
    channel.queueDeclare("a", true, false, false, Map.of());
    channel.queueDeclare("b", true, false, false, QUORUM);
    channel.queueDeclare("c", true, false, false, Map.of("x-max-length", 20));
    channel.queueDeclare("d", true, false, false, Map.of("x-max-priority", 5));
    int published = 0;
    for (int round = 0; round < 15; round++) {
      for (int step = 0; step < 20; step++) {
        String queue = queues.get(random.nextInt(queues.size()));
        switch (random.nextInt(6)) {
          case 0, 1, 2 -> {
            int more = 1 + random.nextInt(30);
            for (int i = 0; i < more; i++) {
              BasicProperties properties =
                  new BasicProperties.Builder()
                      .deliveryMode(1 + random.nextInt(2))
                      .priority(random.nextInt(6))
                      .expiration(random.nextInt(4) == 0 ? "1" : null)
                      .build();
              channel.basicPublish("", queue, properties, bytes(Integer.toString(published++)));
            }
          }
          case 3 -> {
            for (int i = random.nextInt(40); i > 0; i--) {
              GetResponse got = channel.basicGet(queue, false);
              if (got != null && random.nextInt(3) > 0) {
                channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
              } else if (got != null && random.nextBoolean()) {
                channel.basicReject(got.getEnvelope().getDeliveryTag(), true);
              }
            }
          }
          case 4 -> channel.basicRecover(true);
          default -> {
            if (random.nextInt(8) == 0) {
              channel.queuePurge(queue);
            }
          }
        }
      }
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
      if (round % 5 == 4) {
        restartPrimary();
      }
      awaitRound();
      long total = 0;
      for (String queue : queues) {
        total += primary.http().get("queues/%2F/" + queue).json().path("messages").asLong();
      }
      long expected = total;
      await()
          .atMost(Patience.TIME)
          .untilAsserted(() -> assertThat(status().path("messages").asLong()).isEqualTo(expected));
    }
    channel.basicRecover(true);
    awaitRound();
    standby.close();
    // What is taken after the last round comes twice: it is there again.
    Map<String, List<String>> before = new HashMap<>();
    for (String queue : queues) {
      before.put(queue, bodies(channel, queue));
    }
    connection.abort();
    primary.kill();
    assertThat(before.values()).anyMatch(each -> !each.isEmpty());
    standby = startStandby("guest");
    assertThat(promote().exit()).isZero();
    try (Connection after = standby.factory().newConnection()) {
      Channel taking = after.createChannel();
      for (String queue : queues) {
        assertThat(bodies(taking, queue))
            .as(queue)
            .containsExactlyInAnyOrderElementsOf(before.get(queue));
      }
    }
  }
}
