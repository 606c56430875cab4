package io.mayflymq.it.durability;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.RestartedBroker.PERSISTENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Presence;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.RestartedTogether;
import io.mayflymq.it.harness.Time;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deadlines, deaths, leases and limits go on over the end of the broker, whichever end it was. */
@RestartedTogether
class DurableTimeIT {
  private RestartedBroker broker;

  @ParameterizedTest
  @EnumSource
  void messagesThatExpiredWhileTheBrokerWasDownAreDeadLetteredAtTheStart(Ending ending)
      throws Exception {
    broker.queue("dead");
    broker.queue("by queue", deadLetterTo("dead", Map.of("x-message-ttl", 1_500)));
    broker.queue("by message", deadLetterTo("dead", Map.of()));
    Instant before = Instant.now();
    for (int i = 0; i < 50; i++) {
      broker.publisher().basicPublish("", "by queue", PERSISTENT, bytes("q" + i));
      broker.publisher().basicPublish("", "by message", expiring(1_500), bytes("m" + i));
      broker.publisher().basicPublish("", "by message", PERSISTENT, bytes("stays" + i));
    }
    broker.awaitConfirms();
    Instant published = Instant.now();
    broker.end(ending);
    // On a busy machine some died before the end, which may have come between a dead letter and the
    // deletion of its message: then there is another one.
    boolean mayComeTwice = Instant.now().isAfter(before.plusMillis(1_500));
    awaitClock(published.plusMillis(1_600));
    broker.start();

    Instant started = Instant.now();
    Deliveries deaths = Deliveries.from(broker.channel(), "dead", true);
    List<String> byQueue = new ArrayList<>();
    List<String> byMessage = new ArrayList<>();
    while (byQueue.size() + byMessage.size() < 100) {
      Deliveries.Delivery deadLetter = deaths.next();
      boolean own = deadLetter.body().startsWith("m");
      List<String> bodies = own ? byMessage : byQueue;
      if (!mayComeTwice || !bodies.contains(deadLetter.body())) {
        bodies.add(deadLetter.body());
      }
      Map<String, Object> death = Headers.deaths(deadLetter.properties()).get(0);
      assertThat(death)
          .containsEntry("reason", "expired")
          .containsEntry("queue", own ? "by message" : "by queue")
          .containsEntry("count", 1L)
          .containsEntry("exchange", "")
          .containsEntry("routing-keys", List.of(own ? "by message" : "by queue"));
      assertThat(death.get("original-expiration")).isEqualTo(own ? "1500" : null);
      assertThat(deadLetter.properties().getExpiration()).isNull();
      assertThat(deadLetter.properties().getDeliveryMode()).isEqualTo(2);
      Instant died = ((Date) death.get("time")).toInstant();
      assertThat(died)
          .isBetween(before.plusMillis(500), Instant.now())
          .isBefore(started.plusMillis(5_000));
    }
    assertThat(byQueue).isEqualTo(numbered("q", 50));
    assertThat(byMessage).containsExactlyInAnyOrderElementsOf(numbered("m", 50));
    if (!mayComeTwice) {
      deaths.assertNothing();
    }
    assertThat(broker.bodies("by queue")).isEmpty();
    assertThat(broker.bodies("by message")).isEqualTo(numbered("stays", 50));
  }

  @ParameterizedTest
  @EnumSource
  void messagesThatExpiredWhileTheBrokerWasDownAreDroppedWithoutADeadLetterExchange(Ending ending)
      throws Exception {
    broker.queue("q");
    broker.publish("q", expiring(1_000), bytes("goes"));
    broker.publish("q", "stays");
    broker.publish("q", expiring(60_000), bytes("stays for now"));
    broker.publish("q", expiring(1_000), bytes("goes too"));
    Instant published = Instant.now();
    broker.end(ending);
    awaitClock(published.plusMillis(1_001));
    broker.start();
    assertThat(broker.bodies("q")).containsExactly("stays", "stays for now");
    broker.restart(ending);
  }

  @ParameterizedTest
  @EnumSource
  void deadlinesAreAbsoluteTimesAcrossARestart(Ending ending) throws Exception {
    int ttl = 16_000;
    broker.queue("dead");
    broker.queue("by queue", deadLetterTo("dead", Map.of("x-message-ttl", ttl)));
    broker.queue("by message", deadLetterTo("dead", Map.of()));
    broker.publish("by message", "stays in front");
    long earliest = System.nanoTime();
    broker.publish("by queue", "q");
    broker.publish("by message", expiring(ttl), bytes("m"));
    broker.end(ending);
    Time.pass(12_000);
    double started = Time.millisBetween(earliest, System.nanoTime());
    broker.start();
    broker.publish("by message", expiring(600_000), bytes("stays behind"));

    Deliveries deaths = Deliveries.from(broker.channel(), "dead", true);
    List<String> bodies = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Deliveries.Delivery deadLetter = deaths.next();
      bodies.add(deadLetter.body());
      // The clock of deadlines has whole milliseconds.
      assertThat(Time.millisBetween(earliest, deadLetter.nanos())).isGreaterThan(ttl - 2);
      // One that started anew would be as much later as the broker was down.
      assertThat(Time.millisBetween(earliest, deadLetter.nanos())).isLessThan(started + ttl);
    }
    assertThat(bodies).containsExactlyInAnyOrder("q", "m");
    assertThat(broker.bodies("by message")).containsExactly("stays in front", "stays behind");
  }

  @ParameterizedTest
  @EnumSource
  void leasesStartAgainAtTheStart(Ending ending) throws Exception {
    int lease = 3_000;
    broker.queue("leased", Map.of("x-expires", lease));
    broker.publish("leased", "m");
    // A queue with a consumer has no lease, which could otherwise end before the broker does.
    Deliveries.from(broker.channel(), "leased", false).next();
    broker.letSettle();
    broker.end(ending);
    Time.pass(lease);
    long start = System.nanoTime();
    broker.start();
    try (Amqp amqp = broker.amqp("leases")) {
      long gone = new Presence(amqp).awaitGone("leased");
      assertThat(Time.millisBetween(start, gone)).isGreaterThan(lease);
    }
    broker.letSettle();
    broker.restart(ending);
    broker.queue("leased");
    assertThat(broker.bodies("leased")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void deathHistorySurvivesARestart(Ending ending) throws Exception {
    broker.queue("retry", deadLetterTo("work", Map.of("x-message-ttl", 10)));
    broker.queue("work", deadLetterTo("retry", Map.of()));
    broker.publish("work", PERSISTENT.builder().expiration("60000").build(), bytes("m"));
    reject("work");
    awaitReady("work", 1);
    broker.letSettle();
    broker.restart(ending);

    reject("work");
    awaitReady("work", 1);
    broker.letSettle();
    broker.restart(ending);
    GetResponse got = broker.get("work");
    assertThat(Headers.history(got.getProps()))
        .containsExactly("expired retry 2", "rejected work 2");
    assertThat(Headers.of(got.getProps()))
        .containsEntry("x-first-death-queue", "work")
        .containsEntry("x-first-death-reason", "rejected")
        .containsEntry("x-last-death-queue", "retry")
        .containsEntry("x-last-death-reason", "expired");
    assertThat(Headers.deaths(got.getProps()).get(1)).containsEntry("original-expiration", "60000");
  }

  @ParameterizedTest
  @EnumSource
  void deadLettersOfPersistentMessagesSurviveAKill(Ending ending) throws Exception {
    broker.queue("dead");
    broker.queue("rejects", deadLetterTo("dead", Map.of()));
    broker.queue("short", deadLetterTo("dead", Map.of("x-max-length", 1)));
    broker.queue("brief", deadLetterTo("dead", Map.of("x-message-ttl", 1)));
    broker.publish("rejects", "rejected");
    reject("rejects");
    awaitReady("dead", 1);
    broker.publish("short", "over the limit", "within the limit");
    awaitReady("dead", 2);
    broker.publish("brief", "expired");
    awaitReady("dead", 3);
    broker.publish("brief", RestartedBroker.TRANSIENT, bytes("transient"));
    awaitReady("dead", 4);
    broker.letSettle();
    broker.restart(ending);

    List<String> deadLetters = new ArrayList<>();
    for (GetResponse got : broker.drain("dead")) {
      deadLetters.add(RestartedBroker.body(got) + ": " + Headers.history(got.getProps()));
    }
    assertThat(deadLetters)
        .containsExactly(
            "rejected: [rejected rejects 1]",
            "over the limit: [maxlen short 1]",
            "expired: [expired brief 1]");
    assertThat(broker.bodies("rejects")).isEmpty();
    assertThat(broker.bodies("brief")).isEmpty();
    assertThat(broker.bodies("short")).containsExactly("within the limit");
  }

  @ParameterizedTest
  @EnumSource
  void lengthLimitsApplyAfterARestart(Ending ending) throws Exception {
    broker.queue("count", Map.of("x-max-length", 3));
    broker.queue("bytes", Map.of("x-max-length-bytes", 9));
    broker.queue("rejecting", Map.of("x-max-length", 3, "x-overflow", "reject-publish"));
    for (String queue : List.of("count", "bytes")) {
      broker.publish(queue, "m-0", "m-1", "m-2", "m-3", "m-4");
    }
    broker.publish("rejecting", "m-0", "m-1", "m-2");
    broker.letSettle();
    broker.restart(ending);

    broker.publish("count", "m-5");
    broker.publish("bytes", "m-5");
    assertThat(accepted("rejecting")).isFalse();
    assertThat(broker.bodies("count")).containsExactly("m-3", "m-4", "m-5");
    assertThat(broker.bodies("bytes")).containsExactly("m-3", "m-4", "m-5");
    assertThat(broker.get("rejecting")).isNotNull();
    assertThat(accepted("rejecting")).isTrue();
    assertThat(accepted("rejecting")).isFalse();
    assertThat(broker.bodies("rejecting")).containsExactly("m-1", "m-2", "new");
  }

  /** What was unacknowledged counts again; only drop-head may drop messages for that. */
  @ParameterizedTest
  @EnumSource
  void requeuedMessagesCountForTheLimitAfterARestart(Ending ending) throws Exception {
    broker.queue("dropping", Map.of("x-max-length", 3));
    broker.queue("rejecting", Map.of("x-max-length", 3, "x-overflow", "reject-publish"));
    for (String queue : List.of("dropping", "rejecting")) {
      broker.publish(queue, "m-0", "m-1", "m-2");
      for (int i = 0; i < 3; i++) {
        broker.channel().basicGet(queue, false);
      }
      broker.publish(queue, "m-3", "m-4", "m-5");
    }
    broker.restart(ending);
    assertThat(accepted("rejecting")).isFalse();
    assertThat(broker.bodies("rejecting"))
        .containsExactly("m-0", "m-1", "m-2", "m-3", "m-4", "m-5");
    assertThat(broker.bodies("dropping")).containsExactly("m-3", "m-4", "m-5");
  }

  @ParameterizedTest
  @EnumSource
  void messageCountsAreCorrectAfterARestart(Ending ending) throws Exception {
    broker.queue("q");
    broker.publish("q", numbered("m", 100).toArray(String[]::new));
    for (int i = 0; i < 40; i++) {
      broker.get("q");
    }
    broker.letSettle();
    broker.restart(ending);
    assertThat(broker.channel().messageCount("q")).isEqualTo(60);
    assertThat(broker.channel().queuePurge("q").getMessageCount()).isEqualTo(60);
  }

  private boolean accepted(String queue) throws Exception {
    Channel channel = broker.connect().createChannel();
    channel.confirmSelect();
    channel.basicPublish("", queue, PERSISTENT, bytes("new"));
    return channel.waitForConfirms(Patience.MILLIS);
  }

  private void reject(String queue) throws Exception {
    GetResponse got = broker.channel().basicGet(queue, false);
    assertThat(got).isNotNull();
    broker.channel().basicReject(got.getEnvelope().getDeliveryTag(), false);
  }

  private void awaitReady(String queue, long count) throws Exception {
    try (Amqp amqp = broker.amqp("await")) {
      amqp.awaitReady(queue, count);
    }
  }

  private static BasicProperties expiring(long millis) {
    return PERSISTENT.builder().expiration(Long.toString(millis)).build();
  }

  private static void awaitClock(Instant instant) {
    Time.pass(Math.max(0, instant.toEpochMilli() - System.currentTimeMillis()));
  }

  private static List<String> numbered(String prefix, int count) {
    List<String> bodies = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      bodies.add(prefix + i);
    }
    return bodies;
  }
}
