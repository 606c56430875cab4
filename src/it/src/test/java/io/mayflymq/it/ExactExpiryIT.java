package io.mayflymq.it;

import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.Amqp.expiring;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Lateness;
import io.mayflymq.it.harness.Machine;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Target;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The promise in the broker's name: a message leaves at its own deadline, wherever it stands in the
 * queue. Seen through a dead-letter queue whose consumer notes when each one comes.
 *
 * <p>Nothing may ever be early, nor late beyond reason. The bound of ten milliseconds is met if one
 * of three rounds meets it: a small machine may well pause for longer than that, but a broker that
 * is late by design is late in every round. On a machine that was busy with other work in all of
 * them, the bound says nothing about the broker and the test is given up.
 */
@Isolated("it measures time")
@MayflyOnly("RabbitMQ looks at the head of the queue only")
class ExactExpiryIT {
  private static final double P99_MILLIS = 10;
  private static final double MAXIMUM_MILLIS = 5_000;

  /** The share of the processors that other work may take for a round to count. */
  private static final double QUIET = 0.1;

  private static final int ROUNDS = 3;
  private static final int BATCH = 500;

  /** Without the leak detector, which costs more time than what is measured here. */
  private static Target target;

  private Amqp amqp;

  @BeforeAll
  static void start() {
    Integer running = Target.runningPort();
    target =
        running == null
            ? Target.start(BrokerProcess.builder())
            : new Target(running, null, "MayflyMQ");
  }

  @AfterAll
  static void stop() {
    target.close();
  }

  @BeforeEach
  void connect(TestInfo test) {
    amqp = new Amqp(target, "ExactExpiryIT." + test.getTestMethod().orElseThrow().getName());
  }

  @AfterEach
  void disconnect() throws Exception {
    amqp.close();
  }

  @Test
  @Timeout(120)
  void aHundredThousandDeadlinesBehindALongLivedHead() throws Exception {
    exactInOneOf(ROUNDS, () -> deathsBehindAHead(100_000, 4_000, 10_000));
  }

  private Lateness deathsBehindAHead(int count, int fromMillis, int toMillis) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Lateness lateness = new Lateness(count);
    CountDownLatch open = consumeDeaths(dead, lateness, count);
    amqp.publishExpiring(queue, 60_000, "head");
    publish(queue, lateness, count, fromMillis, toMillis);
    assertThat(open.await(30, SECONDS)).as("all have died").isTrue();
    assertThat(amqp.drain(queue)).containsExactly("head");
    return lateness;
  }

  @Test
  void deadlinesAreKeptWhileTheConsumerIsFull() throws Exception {
    exactInOneOf(ROUNDS, this::deathsBehindAFullConsumer);
  }

  private Lateness deathsBehindAFullConsumer() throws Exception {
    int count = 10_000;
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Lateness lateness = new Lateness(count);
    CountDownLatch open = consumeDeaths(dead, lateness, count);
    Channel channel = amqp.newChannel();
    channel.basicQos(1);
    Deliveries full = Deliveries.from(channel, queue, false);
    amqp.publishExpiring(queue, 60_000, "held");
    amqp.publishExpiring(queue, 60_000, "head");
    publish(queue, lateness, count, 500, 2_000);
    assertThat(open.await(30, SECONDS)).as("all have died").isTrue();
    channel.basicAck(full.next().tag(), false);
    assertThat(full.next().body()).isEqualTo("head");
    return lateness;
  }

  private static void exactInOneOf(int rounds, Callable<Lateness> round) throws Exception {
    List<String> tried = new ArrayList<>();
    int judged = 0;
    while (tried.size() < rounds) {
      Machine machine = Machine.watch(target.process());
      Lateness lateness = round.call();
      double others = machine.others();
      lateness.assertNeitherEarlyNorLaterThan(MAXIMUM_MILLIS);
      if (lateness.percentile(0.99) <= P99_MILLIS) {
        return;
      }
      judged += others <= QUIET ? 1 : 0;
      tried.add(String.format("%s, while others used %.0f %%", lateness, others * 100));
    }
    assumeThat(judged).as("rounds on a quiet machine: %s", tried).isPositive();
    fail("p99 over %.0f ms in every round: %s", P99_MILLIS, tried);
  }

  @Test
  void theCountIsRightAtEveryMoment() throws Exception {
    int count = 2_000;
    String queue = amqp.queue();
    Lateness lateness = new Lateness(count);
    amqp.publishExpiring(queue, 60_000, "head");
    publish(queue, lateness, count, 500, 2_000);
    for (long ready = count + 1L; ready > 1; ) {
      long asked = System.nanoTime();
      ready = amqp.ready(queue);
      long answered = System.nanoTime();
      assertThat(ready)
          .isLessThanOrEqualTo(1 + count - lateness.surelyDead(asked, 500))
          .isGreaterThanOrEqualTo(1 + count - lateness.possiblyDead(answered));
      Time.pass(5);
    }
  }

  @Test
  void nothingIsHandedOutPastItsDeadlineAndNothingIsLost() throws Exception {
    int count = 3_000;
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Lateness deaths = new Lateness(count);
    Lateness deliveries = new Lateness(count);
    CountDownLatch open = new CountDownLatch(count);
    AtomicInteger delivered = new AtomicInteger();
    consumeNumbers(amqp.newConnection().createChannel(), dead, deaths, open);
    Channel slow = amqp.newConnection().createChannel();
    slow.basicQos(1);
    slow.basicConsume(
        queue,
        false,
        new DefaultConsumer(slow) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, BasicProperties properties, byte[] body)
              throws IOException {
            if (deliveries.seen(number(body), System.nanoTime())) {
              open.countDown();
            }
            delivered.incrementAndGet();
            Time.pass(1);
            slow.basicAck(envelope.getDeliveryTag(), false);
          }
        });
    publish(queue, new Lateness[] {deaths, deliveries}, count, 100, 1_000);
    assertThat(open.await(30, SECONDS)).as("each is delivered or dead").isTrue();
    assertThat(delivered).as("some of each").hasValueBetween(1, count - 1);
    deaths.assertNeitherEarlyNorLaterThan(MAXIMUM_MILLIS);
    deliveries.assertNoneLaterThan(MAXIMUM_MILLIS);
    assertThat(deaths.count() + deliveries.count()).as("never both").isEqualTo(count);
  }

  private CountDownLatch consumeDeaths(String dead, Lateness lateness, int count) throws Exception {
    CountDownLatch open = new CountDownLatch(count);
    consumeNumbers(amqp.newConnection().createChannel(), dead, lateness, open);
    return open;
  }

  private static void consumeNumbers(
      Channel channel, String queue, Lateness lateness, CountDownLatch open) throws Exception {
    channel.basicConsume(
        queue,
        true,
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            if (lateness.seen(number(body), System.nanoTime())) {
              open.countDown();
            }
          }
        });
  }

  private void publish(String queue, Lateness lateness, int count, int fromMillis, int toMillis)
      throws Exception {
    publish(queue, new Lateness[] {lateness}, count, fromMillis, toMillis);
  }

  /**
   * Publishes numbered messages whose deadlines are spread at random over the given time from now.
   */
  private void publish(String queue, Lateness[] notes, int count, int fromMillis, int toMillis)
      throws Exception {
    Random random = new Random(count);
    Channel channel = amqp.newConnection().createChannel();
    channel.confirmSelect();
    long start = System.nanoTime();
    for (int from = 0; from < count; from += BATCH) {
      int to = Math.min(from + BATCH, count);
      for (int i = from; i < to; i++) {
        long now = System.nanoTime();
        long wanted = (long) fromMillis + random.nextInt(toMillis - fromMillis);
        long ttl = Math.max(fromMillis / 2, wanted - (now - start) / 1_000_000);
        for (Lateness note : notes) {
          note.published(i, now, ttl);
        }
        byte[] body = ByteBuffer.allocate(4).putInt(i).array();
        channel.basicPublish("", queue, expiring(ttl), body);
      }
      assertThat(channel.waitForConfirms(10_000)).isTrue();
      for (Lateness note : notes) {
        note.confirmed(from, to, System.nanoTime());
      }
    }
  }

  private static int number(byte[] body) {
    return ByteBuffer.wrap(body).getInt();
  }
}
