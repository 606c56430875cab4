package io.mayflymq.it.schedule;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.RestartedTogether;
import io.mayflymq.it.harness.Time;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Scheduled messages survive a restart: none is lost, early or duplicated. */
@RestartedTogether
class DurableScheduleIT {
  private static final String EXCHANGE = "later";

  private RestartedBroker broker;

  @BeforeEach
  void declare() throws Exception {
    broker
        .channel()
        .exchangeDeclare(
            EXCHANGE, "x-delayed-message", true, false, Map.of("x-delayed-type", "direct"));
  }

  private void queue(String name, Map<String, Object> arguments) throws Exception {
    broker.queue(name, arguments);
    broker.channel().queueBind(name, EXCHANGE, name);
  }

  private static BasicProperties delay(long millis) {
    return new BasicProperties.Builder().deliveryMode(2).headers(Map.of("x-delay", millis)).build();
  }

  private Http http() {
    return broker.http();
  }

  private int delayed(String queue) throws Exception {
    return http().get(broker.queues() + queue).json().get("messages_delayed").intValue();
  }

  @ParameterizedTest
  @EnumSource
  void scheduledMessagesStillWaitAfterARestart(Ending ending) throws Exception {
    queue("q", Map.of());
    List<Integer> delays = List.of(6_000, 4_000, 5_000, 4_000);
    long start = System.nanoTime();
    for (int delay : delays) {
      broker.publisher().basicPublish(EXCHANGE, "q", delay(delay), bytes("" + delay));
    }
    broker.publisher().basicPublish(EXCHANGE, "q", delay(3_600_000), bytes("much later"));
    broker.awaitConfirms();
    broker.restart(ending);
    assertThat(delayed("q")).isBetween(1, 5);
    Deliveries deliveries = Deliveries.from(broker.channel(), "q", true);
    for (int delay : delays.stream().sorted().toList()) {
      Delivery delivery = deliveries.next();
      assertThat(delivery.body()).isEqualTo("" + delay);
      assertThat((delivery.nanos() - start) / 1_000_000).isGreaterThanOrEqualTo(delay);
      assertThat(delivery.properties().getHeaders()).containsEntry("x-delay", (long) -delay);
    }
  }

  @ParameterizedTest
  @EnumSource
  void messagesThatWereDueWhileTheBrokerWasDownArriveAtTheStart(Ending ending) throws Exception {
    queue("q", Map.of());
    long start = System.nanoTime();
    for (int delay : List.of(1_000, 600, 800)) {
      broker.publisher().basicPublish(EXCHANGE, "q", delay(delay), bytes("" + delay));
    }
    broker.awaitConfirms();
    boolean dueInOrder = System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(200);
    broker.end(ending);
    Time.pass(1_100);
    broker.start();
    List<String> arrived = Deliveries.from(broker.channel(), "q", true).next(3);
    assertThat(arrived).containsExactlyInAnyOrder("600", "800", "1000");
    if (dueInOrder) {
      assertThat(arrived).containsExactly("600", "800", "1000");
    }
    assertThat(delayed("q")).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void messagesStillWaitForTheTimeInTheirHeader(Ending ending) throws Exception {
    broker.queue("q", Map.of("x-deliver-at-header", "x-deliver-at"));
    long start = System.currentTimeMillis();
    Map<String, Long> times =
        Map.of("second", start + 5_000, "first", start + 4_000, "over", start);
    for (String body : List.of("second", "over", "first")) {
      BasicProperties properties =
          delay(1).builder().headers(Map.of("x-deliver-at", times.get(body))).build();
      broker.publisher().basicPublish("", "q", properties, bytes(body));
    }
    broker.awaitConfirms();
    broker.restart(ending);
    Deliveries deliveries = Deliveries.from(broker.channel(), "q", true);
    for (String body : List.of("over", "first", "second")) {
      assertThat(deliveries.next().body()).isEqualTo(body);
      assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(times.get(body));
    }
    assertThat(delayed("q")).isZero();
  }

  @Test
  void cancelledPurgedAndDeletedScheduledMessagesStayDeleted() throws Exception {
    queue("cancelled", Map.of());
    queue("purged", Map.of());
    queue("deleted", Map.of());
    for (String queue : List.of("cancelled", "purged", "deleted")) {
      broker
          .publisher()
          .basicPublish(
              EXCHANGE, queue, delay(3_600_000).builder().messageId("m").build(), bytes("x"));
      broker.publisher().basicPublish(EXCHANGE, queue, delay(3_600_000), bytes("y"));
    }
    broker.awaitConfirms();
    assertThat(http().delete(broker.queues() + "cancelled/scheduled/m").status()).isEqualTo(204);
    assertThat(http().delete(broker.queues() + "purged/scheduled").status()).isEqualTo(204);
    broker.channel().queueDelete("deleted");
    broker.letSettle();
    broker.restart(Ending.KILL);
    assertThat(delayed("cancelled")).isEqualTo(1);
    assertThat(delayed("purged")).isZero();
    queue("deleted", Map.of());
    assertThat(delayed("deleted")).isZero();
  }

  /** Kills the broker during the deletion of a queue that dead-letters its scheduled messages. */
  @Test
  void messagesDeadLetteredWithTheirQueueSurviveAKill() throws Exception {
    int count = 30_000;
    boolean inTheMiddle = false;
    for (int round = 0; round < 10 && !inTheMiddle; round++) {
      String dead = broker.queue("dead" + round);
      String name = "going" + round;
      queue(name, deadLetterTo(dead, Map.of("x-dead-letter-on", "queue_deleted")));
      for (int i = 0; i < count; i++) {
        broker.publisher().basicPublish(EXCHANGE, name, delay(3_600_000 + i), bytes("" + i));
      }
      broker.awaitConfirms();
      broker.channel().asyncRpc(new AMQP.Queue.Delete.Builder().queue(name).build());
      Channel watch = broker.connect().createChannel();
      while (watch.messageCount(dead) == 0) {}
      broker.restart(Ending.KILL);

      inTheMiddle = broker.channel().messageCount(dead) > 0 && exists(name) && delayed(name) > 0;
      broker.channel().queueDelete(name);
      Deliveries deadLetters = Deliveries.from(broker.channel(), dead, true);
      Set<String> found = new HashSet<>();
      while (found.size() < count) {
        Delivery deadLetter = deadLetters.next();
        found.add(deadLetter.body());
        assertThat(Headers.deaths(deadLetter.properties()).get(0))
            .containsEntry("reason", "queue_deleted");
      }
    }
    assertThat(inTheMiddle).as("killed in the middle").isTrue();
  }

  private boolean exists(String queue) throws Exception {
    return http().get(broker.queues() + queue).status() == 200;
  }

  @Test
  @RestartedTogether.By(Ending.SIGTERM)
  void transientScheduledMessagesAreLostAtARestart() throws Exception {
    queue("durable", Map.of());
    BasicProperties transientDelay = delay(3_600_000).builder().deliveryMode(1).build();
    broker.publisher().basicPublish(EXCHANGE, "durable", transientDelay, bytes("x"));
    broker.awaitConfirms();
    assertThat(delayed("durable")).isEqualTo(1);
    broker.restart(Ending.SIGTERM);
    assertThat(delayed("durable")).isZero();
  }

  /** Kills the broker repeatedly while messages are published, wait, fall due and are delivered. */
  @Test
  void repeatedKillsLoseNoScheduledMessageAndDeliverNoneEarlyOrTwice() throws Exception {
    int rounds = Integer.getInteger("rounds", 3);
    queue("consumed", Map.of());
    queue("left", Map.of());
    Random random = new Random(rounds);
    Map<String, Long> dueNanos = new HashMap<>();
    Set<String> confirmed = new ConcurrentSkipListSet<>();
    for (int round = 0; round < rounds; round++) {
      Channel publisher = broker.connect().createChannel();
      publisher.confirmSelect();
      Map<Long, String> unconfirmed = new ConcurrentSkipListMap<>();
      publisher.addConfirmListener(new Confirms(unconfirmed, confirmed));
      Deliveries consumer = Deliveries.from(broker.connect().createChannel(), "consumed", false);
      for (int i = 0; i < 2_000; i++) {
        String queue = random.nextInt(3) == 0 ? "consumed" : "left";
        String body = queue + " " + round + " " + i;
        int delay = 1 + random.nextInt(random.nextBoolean() ? 300 : 3_000);
        unconfirmed.put(publisher.getNextPublishSeqNo(), body);
        dueNanos.put(body, System.nanoTime() + delay * 1_000_000L);
        publisher.basicPublish(EXCHANGE, queue, delay(delay), bytes(body));
      }
      int before = round * 100;
      await().atMost(Patience.TIME).until(() -> confirmed.size() > before);
      Time.pass(random.nextInt(400));
      broker.restart(Ending.KILL);
      Set<String> delivered = new HashSet<>();
      consumer.soFar().forEach(delivery -> take(delivery, dueNanos, delivered));
    }
    Set<String> found = new HashSet<>();
    for (String queue : List.of("consumed", "left")) {
      Deliveries rest = Deliveries.from(broker.connect().createChannel(), queue, false);
      while (!found.containsAll(of(queue, confirmed))) {
        take(rest.next(), dueNanos, found);
      }
      while (delayed(queue) > 0) {
        take(rest.next(), dueNanos, found);
      }
      rest.soFar().forEach(delivery -> take(delivery, dueNanos, found));
    }
  }

  private static Set<String> of(String queue, Set<String> bodies) {
    Set<String> ofQueue = new TreeSet<>(bodies);
    ofQueue.removeIf(body -> !body.startsWith(queue));
    return ofQueue;
  }

  private static void take(Delivery delivery, Map<String, Long> dueNanos, Set<String> taken) {
    assertThat(taken.add(delivery.body())).as("twice: %s", delivery.body()).isTrue();
    assertThat(delivery.nanos())
        .as("early: %s", delivery.body())
        .isGreaterThanOrEqualTo(dueNanos.get(delivery.body()));
  }

  private record Confirms(Map<Long, String> unconfirmed, Set<String> confirmed)
      implements ConfirmListener {
    @Override
    public void handleAck(long tag, boolean multiple) {
      for (Long each : List.copyOf(unconfirmed.keySet())) {
        if (each == tag || (multiple && each < tag)) {
          confirmed.add(unconfirmed.remove(each));
        }
      }
    }

    @Override
    public void handleNack(long tag, boolean multiple) {
      throw new AssertionError("refused");
    }
  }
}
