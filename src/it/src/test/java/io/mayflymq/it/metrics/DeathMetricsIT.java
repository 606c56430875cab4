package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Metrics of deadlines, deaths and dead letters. */
@BlackBox
@OwnBroker
class DeathMetricsIT {
  private static final String LATENESS = "mayfly_expiry_lateness_seconds";
  private static final String ARRIVAL = "mayfly_dead_letter_arrival_seconds";

  private static EmbeddedBroker broker;
  private static Connection connection;
  private static Channel channel;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    port = Broker.freePort();
    broker =
        EmbeddedBroker.builder()
            .set("prometheus.tcp.ip", "127.0.0.1")
            .set("prometheus.tcp.port", port)
            .start();
    connection = broker.factory().newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  @AfterAll
  static void stop() throws Exception {
    connection.close();
    broker.close();
  }

  private static ScrapedText scrape() throws Exception {
    return ScrapedText.of(port, "/metrics", "text/plain;version=0.0.4");
  }

  private static void declare(String name, Map<String, Object> arguments) throws Exception {
    channel.queueDeclare(name, true, false, false, arguments);
  }

  private static void publish(String queue) throws Exception {
    channel.basicPublish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[] {'x'});
    channel.waitForConfirms(Patience.MILLIS);
  }

  private static void reject(String queue) throws Exception {
    GetResponse got = channel.basicGet(queue, false);
    channel.basicReject(got.getEnvelope().getDeliveryTag(), false);
  }

  private static String died(String reason, String type, String strategy) {
    return "rabbitmq_global_messages_dead_lettered_%s_total{dead_letter_strategy=\"%s\",queue_type=\"rabbit_%s_queue\"}"
        .formatted(reason, strategy, type);
  }

  @Test
  void whatIsLetGoBeforeItsTimeIsCounted() throws Exception {
    ScrapedText before = scrape();
    declare("recoverable", Map.of("x-recoverable", 3_600_000, "x-recoverable-bytes", 150));
    for (int i = 0; i < 3; i++) {
      publish("recoverable");
    }
    channel.queuePurge("recoverable");
    awaitGrowth(before, "mayfly_recoverable_messages_let_go_total{cause=\"bytes\"}", 2);
    awaitGrowth(before, "mayfly_recoverable_bytes_let_go_total{cause=\"bytes\"}", 202);
    awaitGrowth(before, "mayfly_recoverable_messages_let_go_total{cause=\"disk\"}", 0);
    awaitGrowth(before, "mayfly_recoverable_bytes_let_go_total{cause=\"disk\"}", 0);
  }

  private static void awaitGrowth(ScrapedText before, String sample, int by) {
    await()
        .atMost(Patience.TIME)
        .untilAsserted(
            () ->
                assertThat(scrape().value(sample) - before.value(sample)).as(sample).isEqualTo(by));
  }

  @Test
  void expiryAndArrivalOfTheDeadLetterAreMeasured() throws Exception {
    ScrapedText before = scrape();
    declare("expired", Map.of());
    declare(
        "expiring",
        Map.of(
            "x-message-ttl", 1,
            "x-dead-letter-exchange", "",
            "x-dead-letter-routing-key", "expired"));
    publish("expiring");
    publish("expiring");
    awaitGrowth(before, LATENESS + "_count", 2);
    awaitGrowth(before, ARRIVAL + "_count", 2);
    awaitGrowth(before, died("expired", "classic", "at_most_once"), 2);
    ScrapedText after = scrape();
    assertThat(after.value(LATENESS + "_sum") - before.value(LATENESS + "_sum"))
        .isBetween(0.0, (double) Patience.SECONDS);
    assertThat(after.value(LATENESS + "_bucket{le=\"+Inf\"}"))
        .isEqualTo(after.value(LATENESS + "_count"));
    assertThat(after.samples(LATENESS + "_bucket"))
        .contains(LATENESS + "_bucket{le=\"0.001\"}", LATENESS + "_bucket{le=\"1\"}");
  }

  @Test
  void deathsAreCountedByWhatTheQueueDoesWithDeadMessages() throws Exception {
    ScrapedText before = scrape();
    declare("dropping", Map.of());
    publish("dropping");
    reject("dropping");
    declare("kept", Map.of());
    declare(
        "careful",
        Map.of(
            "x-queue-type", "quorum",
            "x-dead-letter-exchange", "",
            "x-dead-letter-routing-key", "kept",
            "x-dead-letter-strategy", "at-least-once",
            "x-overflow", "reject-publish"));
    publish("careful");
    reject("careful");
    awaitGrowth(before, died("rejected", "classic", "disabled"), 1);
    awaitGrowth(before, died("rejected", "quorum", "at_least_once"), 1);
    awaitGrowth(before, died("confirmed", "quorum", "at_least_once"), 1);
    assertThat(scrape().value(died("rejected", "classic", "at_most_once")))
        .isEqualTo(before.value(died("rejected", "classic", "at_most_once")));
  }

  /** A dead letter that waits has not arrived. */
  @Test
  void arrivalOfADeadLetterThatHadToWaitIsMeasuredWhenItArrives() throws Exception {
    declare("full", Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    declare(
        "patient",
        Map.of(
            "x-queue-type", "quorum",
            "x-dead-letter-exchange", "",
            "x-dead-letter-routing-key", "full",
            "x-dead-letter-strategy", "at-least-once",
            "x-overflow", "reject-publish"));
    publish("full");
    ScrapedText before = scrape();
    publish("patient");
    reject("patient");
    awaitGrowth(before, "mayfly_dead_letters_waiting", 1);
    assertThat(scrape().value(ARRIVAL + "_count")).isEqualTo(before.value(ARRIVAL + "_count"));
    channel.basicGet("full", true);
    awaitGrowth(before, ARRIVAL + "_count", 1);
    awaitGrowth(before, died("confirmed", "quorum", "at_least_once"), 1);
    awaitGrowth(before, "mayfly_dead_letters_waiting", 0);
    assertThat(scrape().value(ARRIVAL + "_sum")).isGreaterThan(before.value(ARRIVAL + "_sum"));
  }

  @Test
  void endOfALeaseIsCounted() throws Exception {
    ScrapedText before = scrape();
    declare("leased", Map.of("x-expires", 1));
    awaitGrowth(before, "mayfly_queue_leases_ended_total", 1);
  }

  @Test
  void persistentMessagesAreForcedToTheDisk() throws Exception {
    declare("forced", Map.of());
    ScrapedText before = scrape();
    publish("forced");
    ScrapedText after = scrape();
    String forced = "mayfly_forced_write_seconds_count{log=\"messages\"}";
    assertThat(after.value(forced)).isGreaterThan(before.value(forced));
    assertThat(after.value("mayfly_log_bytes{log=\"messages\",state=\"live\"}")).isPositive();
  }

  /** A shard that has worked has a burst behind it. */
  @Test
  void burstsAreMeasuredForEachShard() throws Exception {
    declare("bursts", Map.of());
    ScrapedText scrape = scrape();
    assertThat(scrape.samples("mayfly_event_loop_backlog_tasks"))
        .contains("mayfly_event_loop_backlog_tasks{shard=\"0\"}");
    assertThat(scrape.values("mayfly_event_loop_burst_seconds_count", Map.of()))
        .allMatch(count -> count > 0);
    assertThat(scrape.values("mayfly_event_loop_burst_seconds_sum", Map.of()))
        .allMatch(seconds -> seconds > 0);
  }
}
