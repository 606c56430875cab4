package io.mayflymq.it.ttl;

import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.Amqp.expiring;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Lateness;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A message leaves at its own deadline, wherever it stands in the queue, as clients see it: a
 * consumer of the dead letter queue notes when each one comes. Nothing may be early. How late the
 * machine makes it is no matter here: {@code ExactTimeTest} holds the broker to the millisecond on
 * a clock of its own, and {@code src/bench/compare.py --rows k} measures it on a real one.
 */
@BlackBox
@MayflyOnly("RabbitMQ looks at the head of the queue only")
class ExactExpiryIT {
  private static final int BATCH = 500;

  @Test
  void messagesBehindALongLivedHeadExpireAtTheirDeadline(Amqp amqp) throws Exception {
    int count = 20_000;
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Lateness lateness = new Lateness(count);
    CountDownLatch open = consumeDeaths(amqp, dead, lateness, count);
    amqp.publishExpiring(queue, 600_000, "head");
    publish(amqp, queue, lateness, count, 1_000, 4_000);
    assertThat(open.await(Patience.SECONDS, SECONDS)).as("all have died").isTrue();
    lateness.assertNeitherEarlyNorLaterThan(Patience.FORGOTTEN_MILLIS);
    assertThat(amqp.drain(queue)).containsExactly("head");
  }

  @Test
  void messagesExpireOnTimeWhileTheConsumerIsAtItsPrefetchLimit(Amqp amqp) throws Exception {
    int count = 10_000;
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Lateness lateness = new Lateness(count);
    CountDownLatch open = consumeDeaths(amqp, dead, lateness, count);
    Channel channel = amqp.newChannel();
    channel.basicQos(1);
    Deliveries full = Deliveries.from(channel, queue, false);
    amqp.publishExpiring(queue, 600_000, "held");
    amqp.publishExpiring(queue, 600_000, "head");
    publish(amqp, queue, lateness, count, 500, 2_000);
    assertThat(open.await(Patience.SECONDS, SECONDS)).as("all have died").isTrue();
    lateness.assertNeitherEarlyNorLaterThan(Patience.FORGOTTEN_MILLIS);
    channel.basicAck(full.next().tag(), false);
    assertThat(full.next().body()).isEqualTo("head");
  }

  @Test
  void theMessageCountIsCorrectAtEveryMoment(Amqp amqp) throws Exception {
    int count = 2_000;
    String queue = amqp.queue();
    Lateness lateness = new Lateness(count);
    amqp.publishExpiring(queue, 600_000, "head");
    publish(amqp, queue, lateness, count, 500, 2_000);
    for (long ready = count + 1L; ready > 1; ) {
      long asked = System.nanoTime();
      ready = amqp.ready(queue);
      long answered = System.nanoTime();
      assertThat(ready)
          .isLessThanOrEqualTo(1 + count - lateness.surelyDead(asked, Patience.FORGOTTEN_MILLIS))
          .isGreaterThanOrEqualTo(1 + count - lateness.possiblyDead(answered));
      Time.pass(5);
    }
  }

  @Test
  void noMessageIsDeliveredAfterItsDeadlineOrLost(Amqp amqp) throws Exception {
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
    publish(amqp, queue, new Lateness[] {deaths, deliveries}, count, 100, 1_000);
    assertThat(open.await(Patience.SECONDS, SECONDS)).as("each is delivered or dead").isTrue();
    assertThat(delivered).as("some of each").hasValueBetween(1, count - 1);
    deaths.assertNeitherEarlyNorLaterThan(Patience.FORGOTTEN_MILLIS);
    deliveries.assertNoneLaterThan(Patience.FORGOTTEN_MILLIS);
    assertThat(deaths.count() + deliveries.count()).as("never both").isEqualTo(count);
  }

  private static CountDownLatch consumeDeaths(Amqp amqp, String dead, Lateness lateness, int count)
      throws Exception {
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

  private static void publish(
      Amqp amqp, String queue, Lateness lateness, int count, int fromMillis, int toMillis)
      throws Exception {
    publish(amqp, queue, new Lateness[] {lateness}, count, fromMillis, toMillis);
  }

  /**
   * Publishes numbered messages whose deadlines are spread at random over the given time from now.
   */
  private static void publish(
      Amqp amqp, String queue, Lateness[] notes, int count, int fromMillis, int toMillis)
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
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
      for (Lateness note : notes) {
        note.confirmed(from, to, System.nanoTime());
      }
    }
  }

  private static int number(byte[] body) {
    return ByteBuffer.wrap(body).getInt();
  }
}
