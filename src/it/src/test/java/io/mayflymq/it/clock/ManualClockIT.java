package io.mayflymq.it.clock;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.Amqp.expiring;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that time passes when the clock is moved, and not before; that what is due happens in the
 * order of its time; and that all of it has happened when the call returns.
 */
@OwnBroker
class ManualClockIT {
  private static final long HOUR = Duration.ofHours(1).toMillis();
  private static final int NUMBER = 2_000;

  private static EmbeddedBroker broker;
  private static Http http;
  private static int queues;

  private Connection connection;
  private Channel channel;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.builder().set("clock", "manual").start();
    http = broker.http();
  }

  @AfterAll
  static void stop() {
    assertThat(broker.stop()).isZero();
    assertThat(broker.complaints()).isEmpty();
  }

  @BeforeEach
  void connect() throws Exception {
    connection = broker.factory().newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  @AfterEach
  void disconnect() throws IOException {
    connection.close();
  }

  private static long advance(long millis) throws Exception {
    return moved("{\"advance_ms\":%d}".formatted(millis)).path("now_ms").asLong();
  }

  private static JsonNode moved(String how) throws Exception {
    Http.Reply reply = http.post("clock", how);
    assertThat(reply.status()).as("%s", reply.json()).isEqualTo(200);
    return reply.json();
  }

  private String queue(Map<String, Object> arguments) throws IOException {
    String name = "q" + queues++;
    return channel.queueDeclare(name, true, false, false, arguments).getQueue();
  }

  private void publish(String queue, BasicProperties properties, String body) throws Exception {
    channel.basicPublish("", queue, properties, bytes(body));
    channel.waitForConfirms(10_000);
  }

  private long ready(String queue) throws IOException {
    return channel.messageCount(queue);
  }

  private static long unacknowledged(String queue) throws Exception {
    return http.get("queues/%2F/" + queue).json().path("messages_unacknowledged").asLong();
  }

  @Test
  void aMessageExpiresAtItsDeadlineAndNotAMillisecondBefore() throws Exception {
    String queue = queue(Map.of());
    publish(queue, expiring(HOUR), "m");
    advance(HOUR - 1);
    assertThat(ready(queue)).isEqualTo(1);
    advance(1);
    assertThat(ready(queue)).isZero();
  }

  @Test
  void aDeadLetterHasItsWholeTimeToLiveFromTheMomentOfItsDeath() throws Exception {
    String end = queue(Map.of());
    String second = queue(deadLetterTo(end, Map.of("x-message-ttl", 2 * HOUR)));
    String first = queue(deadLetterTo(second, Map.of()));
    long published = http.get("clock").json().path("now_ms").asLong();
    publish(first, expiring(HOUR), "m");
    advance(3 * HOUR - 1);
    assertThat(List.of(ready(first), ready(second), ready(end))).containsExactly(0L, 1L, 0L);
    long now = advance(10 * HOUR);
    GetResponse dead = channel.basicGet(end, true);
    assertThat(now - published).isEqualTo(13 * HOUR - 1);
    List<?> deaths = (List<?>) dead.getProps().getHeaders().get("x-death");
    assertThat(deaths)
        .extracting(death -> ((Date) ((Map<?, ?>) death).get("time")).toInstant().toEpochMilli())
        .containsExactly(seconds(published + 3 * HOUR), seconds(published + HOUR));
  }

  private static long seconds(long millis) {
    return millis / 1000 * 1000;
  }

  @Test
  void whatIsDueHappensInTheOrderOfItsTime() throws Exception {
    String dead = queue(Map.of());
    List<String> queues = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      queues.add(queue(deadLetterTo(dead, Map.of())));
    }
    Random random = new Random(1);
    List<Long> ttls = IntStream.range(0, NUMBER).mapToObj(i -> random.nextLong(1, HOUR)).toList();
    for (int i = 0; i < NUMBER; i++) {
      channel.basicPublish(
          "", queues.get(i % 20), persistentOrNot(ttls.get(i)), bytes("" + ttls.get(i)));
    }
    channel.waitForConfirms(30_000);
    Deliveries deliveries = Deliveries.from(channel, dead, true);
    advance(HOUR);
    assertThat(deliveries.next(NUMBER))
        .hasSize(NUMBER)
        .isSortedAccordingTo(Comparator.comparingLong(Long::parseLong));
  }

  private static BasicProperties persistentOrNot(long ttl) {
    return expiring(ttl).builder().deliveryMode(ttl % 2 == 0 ? 2 : 1).build();
  }

  @Test
  void aLeaseEndsOnceItsTimeHasPassed() throws Exception {
    String leased = queue(Map.of("x-expires", (int) HOUR));
    advance(HOUR - 1);
    assertThat(http.get("queues/%2F/" + leased).status()).isEqualTo(200);
    advance(1);
    assertThat(http.get("queues/%2F/" + leased).status()).isEqualTo(404);
  }

  @Test
  void scheduledMessagesAndRetriesComeAtTheirTime() throws Exception {
    String queue =
        queue(
            Map.of(
                "x-queue-type", "quorum",
                "x-delayed-retry-type", "all",
                "x-delayed-retry-min", (int) HOUR));
    channel.exchangeDeclare(
        "delayed", "x-delayed-message", true, false, Map.of("x-delayed-type", "fanout"));
    channel.queueBind(queue, "delayed", "");
    channel.basicPublish(
        "delayed",
        "",
        new BasicProperties.Builder().headers(Map.of("x-delay", (int) (2 * HOUR))).build(),
        bytes("m"));
    channel.waitForConfirms(10_000);
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    advance(2 * HOUR - 1);
    deliveries.assertNothing();
    moved("{\"to_next\":true}");
    Delivery first = deliveries.next();
    channel.basicReject(first.tag(), true);
    await().until(() -> http.get("clock").json().path("next_ms").asLong() > 0);
    long before = http.get("clock").json().path("now_ms").asLong();
    JsonNode after = moved("{\"to_next\":true}");
    assertThat(after.path("now_ms").asLong() - before).isEqualTo(HOUR);
    assertThat(deliveries.next().body()).isEqualTo("m");
  }

  @Test
  void aConsumerThatDoesNotAcknowledgeIsTimedOut() throws Exception {
    String queue = queue(Map.of("x-queue-type", "quorum", "x-consumer-timeout", (int) HOUR));
    publish(queue, MessageProperties.PERSISTENT_BASIC, "m");
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    deliveries.next();
    advance(HOUR - 1);
    assertThat(http.get("queues/%2F/" + queue).json().path("messages_unacknowledged").asInt())
        .isEqualTo(1);
    advance(1);
    deliveries.awaitCancel();
  }

  @Test
  void whatClientsSendMeanwhileComesBeforeOrAfterwards() throws Exception {
    String dead = queue(Map.of());
    String queue = queue(deadLetterTo(dead, Map.of("x-message-ttl", HOUR)));
    for (int i = 0; i < NUMBER; i++) {
      channel.basicPublish("", queue, expiring(1 + i * HOUR / NUMBER), bytes("m"));
    }
    channel.waitForConfirms(30_000);
    long start = http.get("clock").json().path("now_ms").asLong();
    CompletableFuture<Long> advanced =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return advance(24 * HOUR);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    int later = 0;
    while (!advanced.isDone() || later < 10) {
      channel.basicPublish("", queue, null, bytes("later"));
      later++;
    }
    channel.waitForConfirms(30_000);
    long end = advanced.get();
    advance(HOUR);
    assertThat(ready(dead)).isEqualTo(NUMBER + later);
    Set<Long> deaths = new HashSet<>();
    Deliveries deliveries = Deliveries.from(channel, dead, true);
    for (int i = 0; i < NUMBER + later; i++) {
      Delivery death = deliveries.next();
      if (death.body().equals("later")) {
        List<?> history = (List<?>) death.properties().getHeaders().get("x-death");
        deaths.add(((Date) ((Map<?, ?>) history.get(0)).get("time")).toInstant().toEpochMilli());
      }
    }
    assertThat(deaths).isSubsetOf(seconds(start + HOUR), seconds(end + HOUR));
  }

  @Test
  void theClockStandsWhileRealTimePasses() throws Exception {
    String queue = queue(Map.of());
    publish(queue, expiring(1), "m");
    long now = http.get("clock").json().path("now_ms").asLong();
    await().pollDelay(Duration.ofMillis(300)).until(() -> true);
    assertThat(ready(queue)).isEqualTo(1);
    assertThat(http.get("clock").json().path("now_ms").asLong()).isEqualTo(now);
    assertThat(http.get("overview").json().path("manual_clock_ms").asLong()).isEqualTo(now);
    advance(1);
  }

  @Test
  void theControlCommandMovesTheClock() {
    ControlCommand control = ControlCommand.of(broker);
    assertThat(control.run("-q", "advance_clock", "1h30m").text())
        .matches("manual: \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z, .*");
    assertThat(control.run("advance_clock", "soon").err())
        .anyMatch(line -> line.contains("time 'soon': expected a number with ms, s, m, h or d"));
    assertThat(control.run("advance_clock", "next").exit()).isZero();
    assertThat(control.run("status").text()).contains("Clock: moved by hand, stands at ");
    assertThat(control.run("-q", "clock").text()).startsWith("manual: ");
  }

  @Test
  void publishersAreRefusedAndAcksAreKeptBackUntilATestSaysOtherwise() throws Exception {
    String queue = queue(Map.of());
    assertThat(http.put("faults", "{\"confirms\":\"refused\"}").json().path("acks").asText())
        .isEqualTo("handled");
    channel.basicPublish("", queue, null, bytes("m"));
    assertThat(channel.waitForConfirms()).isFalse();
    assertThat(ready(queue)).isZero();

    ControlCommand control = ControlCommand.of(broker);
    assertThat(control.run("-q", "set_fault", "confirms", "sent").text())
        .isEqualTo("confirms: sent, acks: handled");
    publish(queue, null, "m");
    assertThat(http.put("faults", "{\"acks\":\"delayed\"}").status()).isEqualTo(200);
    channel.basicAck(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false);
    channel.queueDeclarePassive(queue);
    assertThat(unacknowledged(queue)).isEqualTo(1);
    assertThat(http.put("faults", "{\"acks\":\"handled\"}").status()).isEqualTo(200);
    await().until(() -> unacknowledged(queue) == 0);
    assertThat(ready(queue)).isZero();
    assertThat(control.run("-q", "faults").text()).isEqualTo("confirms: sent, acks: handled");
  }

  @Test
  void aWrongFaultIsRefusedInWords() throws Exception {
    assertThat(http.put("faults", "{\"confirms\":\"lost\"}").reason())
        .isEqualTo("confirms is 'lost': expected one of sent, refused, delayed, dropped");
    assertThat(http.put("faults", "{\"acks\":\"sent\"}").reason())
        .isEqualTo("acks is 'sent': expected one of handled, delayed, dropped");
    assertThat(http.put("faults", "{}").reason()).isEqualTo("expected confirms, acks or both");
    assertThat(http.get("faults").json().path("confirms").asText()).isEqualTo("sent");
  }

  @Test
  void aWrongMoveIsRefusedInWords() throws Exception {
    assertThat(http.post("clock", "{\"advance_ms\":-1}").reason())
        .isEqualTo("advance_ms is -1: expected 0 or more, as the clock does not go back");
    assertThat(http.post("clock", "{\"advance_ms\":9000000000000000000}").reason())
        .matches(
            "advance_ms is 9000000000000000000: expected \\d+ at most, as the clock ends at"
                + " 2199-12-31T23:59:59.999Z");
    assertThat(http.post("clock", "{}").reason())
        .isEqualTo("expected one of advance_ms, to_ms and to_next");
    assertThat(http.post("clock", "{\"to_ms\":5}").reason())
        .startsWith("to_ms is 5: expected ")
        .endsWith(" or more, as the clock does not go back");
    assertThat(http.post("clock", "{\"to_next\":false}").reason())
        .isEqualTo("to_next is false: expected true");
  }

  @Test
  void dataThatWereThereAreLeftAloneUnlessTheConfigurationSaysSo(@TempDir Path data)
      throws Exception {
    try (EmbeddedBroker real = EmbeddedBroker.builder().data(data).start()) {
      assertThat(real.http().get("clock").json().path("mode").asText()).isEqualTo("real");
      assertThat(real.http().put("faults", "{\"acks\":\"dropped\"}").reason())
          .startsWith("faults are for tests: expected a broker with clock = manual");
      assertThat(real.http().post("clock", "{\"to_next\":true}").reason())
          .isEqualTo(
              "the clock of this broker is that of the machine, and is not moved: expected a broker"
                  + " with clock = manual");
      assertThat(real.stop()).isZero();
    }
    try (EmbeddedBroker refused =
        EmbeddedBroker.builder().data(data).set("clock", "manual").launch()) {
      assertThat(refused.awaitExit()).isEqualTo(78);
      assertThat(refused.output())
          .anyMatch(line -> line.contains("has been used before, and what is in it may expire"));
    }
    try (EmbeddedBroker told =
        EmbeddedBroker.builder()
            .data(data)
            .set("clock", "manual")
            .set("clock.on_old_data", true)
            .set("clock.start", "2030-01-01T00:00:00Z")
            .start()) {
      assertThat(told.http().get("clock").json().path("now").asText())
          .isEqualTo("2030-01-01T00:00:00Z");
      assertThat(told.output())
          .anyMatch(
              line -> line.contains("clock = manual: the clock of this broker stands at 2030"));
      assertThat(told.stop()).isZero();
    }
  }
}
