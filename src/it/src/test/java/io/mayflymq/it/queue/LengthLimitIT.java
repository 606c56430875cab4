package io.mayflymq.it.queue;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Patience;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests length limits in messages and bytes in all overflow modes. */
@BlackBox
class LengthLimitIT {

  @Test
  void theOldestMessagesAreDroppedByDefault(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 3));
    for (int i = 0; i < 10; i++) {
      amqp.publish(queue, "m" + i);
      assertThat(amqp.ready(queue)).isEqualTo(Math.min(i + 1, 3));
    }
    assertThat(amqp.drain(queue)).containsExactly("m7", "m8", "m9");
  }

  @Test
  void droppedMessagesAreDeadLetteredInOrder(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue =
        amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 2, "x-overflow", "drop-head")));
    Deliveries deaths = amqp.consume(dead);
    for (int i = 0; i < 6; i++) {
      amqp.publish(queue, "m" + i);
    }
    assertThat(deaths.next(4)).containsExactly("m0", "m1", "m2", "m3");
    deaths.assertNothing();
  }

  @Test
  void theByteLimitCountsBodiesOnly(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length-bytes", 10));
    amqp.publish(queue, "aaaaa");
    amqp.publish(queue, Amqp.headers(Map.of("k", "x".repeat(500))), "bbbbb");
    assertThat(amqp.ready(queue)).as("exactly at the limit").isEqualTo(2);
    amqp.publish(queue, "c");
    assertThat(amqp.drain(queue)).containsExactly("bbbbb", "c");
  }

  @Test
  void oneMessageCanDropSeveral(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length-bytes", 10));
    for (String body : List.of("aaa", "bbb", "ccc")) {
      amqp.publish(queue, body);
    }
    amqp.publish(queue, "ddddd");
    assertThat(amqp.drain(queue)).containsExactly("ccc", "ddddd");
  }

  @Test
  void aBodyOverTheLimitEmptiesTheQueueAndIsDroppedItself(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-max-length-bytes", 10)));
    Deliveries deaths = amqp.consume(dead);
    amqp.publish(queue, "small");
    amqp.publish(queue, "far too large");
    assertThat(deaths.next(2)).containsExactly("small", "far too large");
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void theFirstOfTwoLimitsToBeReachedApplies(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 3, "x-max-length-bytes", 10));
    for (String body : List.of("a", "b", "c", "d")) {
      amqp.publish(queue, body);
    }
    assertThat(amqp.ready(queue)).isEqualTo(3);
    amqp.publish(queue, "123456789");
    assertThat(amqp.drain(queue)).containsExactly("d", "123456789");
  }

  @Test
  void aLimitOfZeroDeliversToAWaitingConsumerAndDropsTheRest(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 0));
    amqp.publish(queue, "dropped");
    Deliveries consumer = amqp.consume(queue);
    amqp.publish(queue, "taken");
    assertThat(consumer.next().body()).isEqualTo("taken");
  }

  @Test
  void onlyReadyMessagesCount(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 2));
    Channel channel = amqp.channel();
    Deliveries consumer = Deliveries.from(channel, queue, false);
    for (int i = 0; i < 5; i++) {
      amqp.publish(queue, "held" + i);
    }
    long last = 0;
    for (int i = 0; i < 5; i++) {
      last = consumer.next().tag();
    }
    consumer.cancel();
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    assertThat(amqp.ready(queue)).isEqualTo(2);
    channel.basicAck(last, true);
    assertThat(amqp.drain(queue)).containsExactly("a", "b");
  }

  @Test
  void aRequeueCanDropTheHead(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 2)));
    Deliveries deaths = amqp.consume(dead);
    Channel channel = amqp.channel();
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    GetResponse first = channel.basicGet(queue, false);
    amqp.publish(queue, "c");
    channel.basicReject(first.getEnvelope().getDeliveryTag(), true);
    assertThat(deaths.next().body()).isEqualTo("a");
    assertThat(amqp.drain(queue)).containsExactly("b", "c");
  }

  @ParameterizedTest
  @ValueSource(strings = {"reject-publish", "reject-publish-dlx"})
  void aFullQueueRefusesWithANack(String overflow, Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 2, "x-overflow", overflow));
    assertThat(confirms(amqp, "", queue, "a", "b", "c", "d"))
        .containsExactly(true, true, false, false);
    assertThat(amqp.get(queue)).isEqualTo("a");
    assertThat(confirms(amqp, "", queue, "e", "f")).containsExactly(true, false);
    assertThat(amqp.drain(queue)).containsExactly("b", "e");
  }

  @Test
  void aFullQueueRefusesByBytes(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length-bytes", 10, "x-overflow", "reject-publish"));
    assertThat(confirms(amqp, "", queue, "12345678901", "aaaaa", "bbbbbb", "ccccc", "d", ""))
        .containsExactly(false, true, false, true, false, true);
    assertThat(amqp.drain(queue)).containsExactly("aaaaa", "ccccc", "");
  }

  @Test
  void withoutConfirmsARefusedPublishGetsNoAnswer(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    Channel channel = amqp.channel();
    channel.addReturnListener(
        returned -> {
          throw new AssertionError("a refused message was returned");
        });
    for (int i = 0; i < 3; i++) {
      channel.basicPublish("", queue, true, PLAIN, bytes("m" + i));
    }
    amqp.awaitReady(queue, 1);
    assertThat(amqp.drain(queue)).containsExactly("m0");
  }

  @Test
  void aLimitOfZeroRefusesEverythingEvenWithAnIdleConsumer(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 0, "x-overflow", "reject-publish"));
    Deliveries consumer = amqp.consume(queue);
    assertThat(confirms(amqp, "", queue, "a")).containsExactly(false);
    consumer.assertNothing();
  }

  @Test
  void unacknowledgedMessagesDoNotCountAndCanBeRequeuedOverTheLimit(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 2, "x-overflow", "reject-publish"));
    Channel channel = amqp.channel();
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    channel.basicGet(queue, false);
    GetResponse second = channel.basicGet(queue, false);
    amqp.publish(queue, "c");
    amqp.publish(queue, "d");
    channel.basicNack(second.getEnvelope().getDeliveryTag(), true, true);
    amqp.awaitReady(queue, 4);
    assertThat(confirms(amqp, "", queue, "e")).containsExactly(false);
    assertThat(amqp.drain(queue)).containsExactly("a", "b", "c", "d");
  }

  @Test
  void aRefusalByOneFanoutQueueLeavesTheOthersAlone(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    String full = amqp.queue(Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    String free = amqp.queue();
    amqp.bind(full, exchange, "");
    amqp.bind(free, exchange, "");
    assertThat(confirms(amqp, exchange, "", "a", "b", "c")).containsExactly(true, false, false);
    assertThat(amqp.drain(full)).containsExactly("a");
    assertThat(amqp.drain(free)).containsExactly("a", "b", "c");
  }

  @Test
  void rejectPublishDlxDeadLettersRefusedMessages(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue =
        amqp.queue(
            deadLetterTo(dead, Map.of("x-max-length", 1, "x-overflow", "reject-publish-dlx")));
    Deliveries deaths = amqp.consume(dead);
    assertThat(confirms(amqp, "", queue, "kept", "refused")).containsExactly(true, false);
    Deliveries.Delivery death = deaths.next();
    assertThat(death.body()).isEqualTo("refused");
    assertThat(Headers.history(death.properties())).containsExactly("maxlen " + queue + " 1");
    assertThat(amqp.drain(queue)).containsExactly("kept");
  }

  @Test
  void rejectPublishDoesNotDeadLetter(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue =
        amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 1, "x-overflow", "reject-publish")));
    assertThat(confirms(amqp, "", queue, "kept", "refused")).containsExactly(true, false);
    assertThat(amqp.ready(dead)).isZero();
  }

  @Test
  void aRefusalInATransactionFailsTheCommit(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    Channel channel = amqp.channel();
    channel.txSelect();
    channel.basicPublish("", queue, PLAIN, bytes("a"));
    channel.basicPublish("", queue, PLAIN, bytes("b"));
    assertChannelError(
        channel, 406, "PRECONDITION_FAILED - partial tx completion", channel::txCommit);
    assertThat(amqp.drain(queue)).containsExactly("a");
  }

  @Test
  void theLimitIsExactWithManyPublishers(Amqp amqp) throws Exception {
    int limit = 500;
    String queue = amqp.queue(Map.of("x-max-length", limit, "x-overflow", "reject-publish"));
    AtomicInteger acks = new AtomicInteger();
    runTogether(
        4,
        () -> {
          Channel channel = amqp.target().factory().newConnection().createChannel();
          channel.confirmSelect();
          acks.addAndGet(countAcks(channel, queue, 1000));
          channel.getConnection().close();
          return null;
        });
    assertThat(acks).hasValue(limit);
    assertThat(amqp.ready(queue)).isEqualTo(limit);
  }

  @Test
  void withManyPublishersTheNewestMessagesStay(Amqp amqp) throws Exception {
    int limit = 100;
    String queue = amqp.queue(Map.of("x-max-length", limit));
    runTogether(
        4,
        () -> {
          Channel channel = amqp.target().factory().newConnection().createChannel();
          channel.confirmSelect();
          assertThat(countAcks(channel, queue, 1000)).isEqualTo(1000);
          channel.getConnection().close();
          return null;
        });
    amqp.publish(queue, "last");
    List<String> left = amqp.drain(queue);
    assertThat(left).hasSize(limit).endsWith("last");
  }

  @Test
  void badArgumentsAreRefused(Amqp amqp) throws Exception {
    for (String argument : List.of("x-max-length", "x-max-length-bytes")) {
      refuses(amqp, argument, -1, "{value_negative,-1}");
      refuses(amqp, argument, "5", "\"expected integer, got longstr\"");
      refuses(amqp, argument, 5.0d, "\"expected integer, got double\"");
    }
    refuses(amqp, "x-overflow", "drop-tail", "invalid_overflow");
    refuses(amqp, "x-overflow", 1, "{unacceptable_type,signedint}");
  }

  private static void refuses(Amqp amqp, String argument, Object value, String reason)
      throws Exception {
    Channel channel = amqp.newChannel();
    String name = amqp.name();
    Map<String, Object> arguments = new HashMap<>();
    arguments.put(argument, value);
    assertChannelError(
        channel,
        406,
        String.format(
            "PRECONDITION_FAILED - invalid arg '%s' for queue '%s' in vhost '/': %s",
            argument, name, reason),
        () -> channel.queueDeclare(name, false, false, false, arguments));
  }

  /** Publishes one by one; true for an ack, false for a nack. */
  private static List<Boolean> confirms(Amqp amqp, String exchange, String key, String... bodies)
      throws Exception {
    Channel channel = amqp.confirming();
    List<Boolean> confirms = new ArrayList<>();
    for (String body : bodies) {
      channel.basicPublish(exchange, key, PLAIN, bytes(body));
      confirms.add(channel.waitForConfirms(Patience.MILLIS));
    }
    return confirms;
  }

  /** Publishes without waiting in between, then waits for every confirm and counts the acks. */
  private static int countAcks(Channel channel, String queue, int count) throws Exception {
    Settlements settlements = new Settlements(count);
    channel.addConfirmListener(
        (tag, multiple) -> settlements.settle(tag, multiple, true),
        (tag, multiple) -> settlements.settle(tag, multiple, false));
    for (int i = 0; i < count; i++) {
      channel.basicPublish("", queue, PLAIN, bytes("m" + i));
    }
    assertThat(settlements.open.await(Patience.SECONDS, SECONDS)).as("all are confirmed").isTrue();
    return settlements.acks.get();
  }

  /** The confirms of one channel. Only the connection's reader thread changes them. */
  private static final class Settlements {
    private final AtomicInteger acks = new AtomicInteger();
    private final CountDownLatch open;
    private final boolean[] settled;

    Settlements(int count) {
      open = new CountDownLatch(count);
      settled = new boolean[count + 1];
    }

    void settle(long tag, boolean multiple, boolean ack) {
      for (int i = multiple ? 1 : (int) tag; i <= tag; i++) {
        if (!settled[i]) {
          settled[i] = true;
          if (ack) {
            acks.incrementAndGet();
          }
          open.countDown();
        }
      }
    }
  }

  private static void runTogether(int threads, Callable<Void> task) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Void>> running =
          IntStream.range(0, threads).mapToObj(i -> pool.submit(task)).toList();
      for (Future<Void> one : running) {
        one.get(30, SECONDS);
      }
    } finally {
      pool.shutdownNow();
    }
  }
}
