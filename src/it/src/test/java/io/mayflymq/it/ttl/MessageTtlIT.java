package io.mayflymq.it.ttl;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.Amqp.expiring;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Message TTL: per queue, per message, both; what is protected, what is refused. */
@BlackBox
class MessageTtlIT {
  private static final long TEN_YEARS = 315_360_000_000L;

  @Test
  void aQueueTtlRemovesMessagesWithoutAConsumer(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 150));
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    amqp.awaitReady(queue, 0);
    assertThat(amqp.get(queue)).isNull();
  }

  @Test
  void aMessageStaysUntilItsDeadline(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 20_000));
    amqp.publish(queue, "a");
    assertThat(amqp.ready(queue)).isEqualTo(1);
    assertThat(amqp.get(queue)).isEqualTo("a");
  }

  @Test
  void aMessageTtlRemovesOnlyThatMessage(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publishExpiring(queue, 100, "short");
    amqp.publish(queue, "forever");
    amqp.awaitReady(queue, 1);
    assertThat(amqp.drain(queue)).containsExactly("forever");
  }

  @ParameterizedTest
  @CsvSource({"100, 60000", "60000, 100", "100, 100"})
  void theLowerOfQueueAndMessageTtlApplies(int queueTtl, int messageTtl, Amqp amqp)
      throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", queueTtl));
    amqp.publishExpiring(queue, messageTtl, "a");
    amqp.awaitReady(queue, 0);
  }

  @Test
  void aHigherMessageTtlDoesNotRaiseTheQueueTtl(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 100)));
    Deliveries deaths = amqp.consume(dead);
    long start = System.nanoTime();
    amqp.publishExpiring(queue, 3_600_000, "a");
    assertThat(deaths.next().nanos() - start).isBetween(99_000_000L, 45_000_000_000L);
  }

  @Test
  void aQueueTtlOfZeroDropsMessagesWithoutAConsumer(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 0));
    Channel channel = amqp.confirming();
    channel.basicPublish("", queue, PLAIN, bytes("a"));
    assertThat(channel.waitForConfirms(Patience.MILLIS))
        .as("expired messages are confirmed")
        .isTrue();
    assertThat(amqp.get(queue)).isNull();
  }

  @Test
  void aQueueTtlOfZeroDeliversToAWaitingConsumer(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 0));
    Deliveries consumer = amqp.consume(queue);
    amqp.publish(queue, "a");
    assertThat(consumer.next().body()).isEqualTo("a");
  }

  @Test
  void aMessageTtlOfZeroDeliversToAWaitingConsumerAndIsNeverReturned(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.confirming();
    channel.addReturnListener(
        returned -> {
          throw new AssertionError("an expired message was returned");
        });
    channel.basicPublish("", queue, true, expiring(0), bytes("not consumed"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.ready(queue)).isZero();

    Deliveries consumer = amqp.consume(queue);
    channel.basicPublish("", queue, true, expiring(0), bytes("taken"));
    assertThat(consumer.next().body()).isEqualTo("taken");
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  @Test
  void aTtlOfZeroDeadLettersAsExpired(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 0)));
    Deliveries deaths = amqp.consume(dead);
    amqp.publish(queue, "a");
    assertThat(deaths.next().properties().getHeaders().get("x-first-death-reason"))
        .hasToString("expired");
  }

  @Test
  void aTtlOfZeroDropsIfTheConsumerIsAtItsPrefetchLimit(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 0));
    Channel channel = amqp.newChannel();
    channel.basicQos(1);
    Deliveries consumer = Deliveries.from(channel, queue, false);
    Channel publisher = amqp.confirming();
    publisher.basicPublish("", queue, PLAIN, bytes("taken"));
    publisher.basicPublish("", queue, PLAIN, bytes("dropped"));
    assertThat(publisher.waitForConfirms(Patience.MILLIS)).isTrue();
    channel.basicAck(consumer.next().tag(), false);
    publisher.basicPublish("", queue, PLAIN, bytes("taken again"));
    assertThat(consumer.next().body()).isEqualTo("taken again");
  }

  @Test
  void aDeliveredMessageDoesNotExpire(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 300));
    Channel channel = amqp.channel();
    amqp.publish(queue, "held");
    GetResponse held = channel.basicGet(queue, false);
    assertThat(held).isNotNull();
    amqp.publish(queue, "ready");
    amqp.awaitReady(queue, 0);
    channel.basicAck(held.getEnvelope().getDeliveryTag(), false);
    assertThat(amqp.drain(queue)).isEmpty();
    assertThat(channel.isOpen()).as("the tag was still known").isTrue();
  }

  @Test
  void aRequeuedMessageKeepsItsDeadline(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 400)));
    Deliveries deaths = amqp.consume(dead);
    Channel channel = amqp.channel();
    long start = System.nanoTime();
    amqp.publish(queue, "a");
    GetResponse got = channel.basicGet(queue, false);
    for (int i = 0; i < 50 && got != null; i++) {
      channel.basicNack(got.getEnvelope().getDeliveryTag(), false, true);
      got = channel.basicGet(queue, false);
    }
    if (got != null) {
      channel.basicNack(got.getEnvelope().getDeliveryTag(), false, true);
    }
    long died = deaths.next().nanos() - start;
    assertThat(died).isBetween(399_000_000L, 45_000_000_000L);
  }

  @Test
  void aMessageRequeuedAfterItsDeadlineExpiresImmediately(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 300)));
    Deliveries deaths = amqp.consume(dead);
    Channel channel = amqp.channel();
    amqp.publish(queue, "held");
    GetResponse held = channel.basicGet(queue, false);
    assertThat(held).isNotNull();
    amqp.publish(queue, "other");
    assertThat(deaths.next().body()).isEqualTo("other");
    channel.basicReject(held.getEnvelope().getDeliveryTag(), true);
    assertThat(channel.basicGet(queue, true)).as("never handed out again").isNull();
    Deliveries.Delivery death = deaths.next();
    assertThat(death.body()).isEqualTo("held");
    assertThat(death.properties().getHeaders().get("x-first-death-reason")).hasToString("expired");
  }

  @Test
  void overdueMessagesOfAClosedChannelExpireImmediately(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 300)));
    Deliveries deaths = amqp.consume(dead);
    Channel holder = amqp.newChannel();
    amqp.publish(queue, "held");
    assertThat(holder.basicGet(queue, false)).isNotNull();
    amqp.publish(queue, "other");
    assertThat(deaths.next().body()).isEqualTo("other");
    holder.close();
    assertThat(deaths.next().body()).isEqualTo("held");
  }

  @Test
  void messagesWithEqualTtlsExpireInQueueOrder(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 100)));
    Deliveries deaths = amqp.consume(dead);
    for (int i = 0; i < 200; i++) {
      amqp.publish(queue, "m" + i);
    }
    for (int i = 0; i < 200; i++) {
      assertThat(deaths.next().body()).isEqualTo("m" + i);
    }
  }

  @Test
  void expiredMessagesAreNotDeliveredToALateConsumer(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 100));
    for (int i = 0; i < 10; i++) {
      amqp.publish(queue, "old");
    }
    amqp.awaitReady(queue, 0);
    Deliveries consumer = amqp.consume(queue);
    amqp.publish(queue, "fresh");
    assertThat(consumer.next().body()).isEqualTo("fresh");
    consumer.assertNothing();
  }

  @Test
  void aSlowConsumerGetsOnlyUnexpiredMessages(Amqp amqp) throws Exception {
    int count = 30;
    int work = 100;
    int ttl = 10 * work;
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", ttl)));
    for (int i = 0; i < count; i++) {
      amqp.publish(queue, "order " + i);
    }
    List<String> handled = new CopyOnWriteArrayList<>();
    Channel channel = amqp.newChannel();
    channel.basicQos(1);
    channel.basicConsume(
        queue,
        false,
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, BasicProperties properties, byte[] body)
              throws IOException {
            handled.add(Amqp.text(body));
            Time.pass(work);
            channel.basicAck(envelope.getDeliveryTag(), false);
          }
        });
    await().atMost(Patience.TIME).until(() -> handled.size() + amqp.ready(dead) == count);
    assertThat(handled).as("handled in %d ms", ttl).hasSizeBetween(1, ttl / work + 1);
    assertThat(amqp.drain(dead))
        .hasSize(count - handled.size())
        .doesNotContainAnyElementsOf(handled);
  }

  @Test
  void eachFanoutQueueHasItsOwnDeadline(Amqp amqp) throws Exception {
    String quick = amqp.queue(Map.of("x-message-ttl", 100));
    String slow = amqp.queue(Map.of("x-message-ttl", 60_000));
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    amqp.bind(quick, exchange, "");
    amqp.bind(slow, exchange, "");
    Channel channel = amqp.confirming();
    channel.basicPublish(exchange, "", PLAIN, bytes("a"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    amqp.awaitReady(quick, 0);
    assertThat(amqp.get(slow)).isEqualTo("a");
  }

  @Test
  void theExpirationPropertyIsDeliveredUnchanged(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publishExpiring(queue, 60_000, "a");
    Deliveries consumer = amqp.consume(queue);
    assertThat(consumer.next().properties().getExpiration()).isEqualTo("60000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "abc|no_integer",
        "''|no_integer",
        "' 5'|no_integer",
        "10x|{leftover_string,\"x\"}",
        "1.5|{leftover_string,\".5\"}",
        "-1|{value_negative,-1}",
        "315360000001|{value_too_large,315360000001}",
      })
  void aBadExpirationClosesTheChannel(String expiration, String reason, Amqp amqp)
      throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    BasicProperties properties = new BasicProperties.Builder().expiration(expiration).build();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid expiration '" + expiration + "': " + reason,
        () -> channel.basicPublish("", queue, properties, bytes("a")));
    assertThat(amqp.ready(queue)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"+60000", "060000", "315360000000"})
  void aLeadingSignZeroesAndTenYearsAreAccepted(String expiration, Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.confirming();
    channel.basicPublish(
        "", queue, new BasicProperties.Builder().expiration(expiration).build(), bytes("a"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.get(queue)).isEqualTo("a");
  }

  @Test
  void aTtlCanHaveEveryIntegerType(Amqp amqp) throws Exception {
    for (Object ttl : List.of((byte) 100, (short) 1000, 1000, 1000L, TEN_YEARS, 0)) {
      amqp.queue(Map.of("x-message-ttl", ttl));
    }
  }

  @Test
  void aBadQueueTtlIsRefused(Amqp amqp) throws Exception {
    refuses(amqp, -1, "{value_negative,-1}");
    refuses(amqp, TEN_YEARS + 1, "{value_too_large,315360000001}");
    refuses(amqp, "1000", "\"expected integer, got longstr\"");
    refuses(amqp, true, "\"expected integer, got bool\"");
    refuses(amqp, 1000.0d, "\"expected integer, got double\"");
    refuses(amqp, List.of(1), "\"expected integer, got array\"");
    refuses(amqp, Map.of("a", 1), "\"expected integer, got table\"");
  }

  private static void refuses(Amqp amqp, Object ttl, String reason) throws Exception {
    Channel channel = amqp.newChannel();
    String name = amqp.name();
    Map<String, Object> arguments = new HashMap<>();
    arguments.put("x-message-ttl", ttl);
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid arg 'x-message-ttl' for queue '"
            + name
            + "' in vhost '/': "
            + reason,
        () -> channel.queueDeclare(name, false, false, false, arguments));
    assertThat(amqp.exists(name)).isFalse();
  }

  @Test
  @MayflyOnly("RabbitMQ looks at the head of the queue only")
  void aMessageBehindALongLivedOneExpiresOnTime(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publishExpiring(queue, 60_000, "first");
    amqp.publishExpiring(queue, 150, "short");
    amqp.publish(queue, "last");
    amqp.awaitReady(queue, 2);
    assertThat(amqp.drain(queue)).containsExactly("first", "last");
  }

  @Test
  @MayflyOnly("RabbitMQ looks at the head of the queue only")
  void midQueueExpiryIsDeadLetteredInDeadlineOrder(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Deliveries deaths = amqp.consume(dead);
    amqp.publishExpiring(queue, 60_000, "head");
    amqp.publishExpiring(queue, 300, "300");
    amqp.publishExpiring(queue, 100, "100");
    amqp.publishExpiring(queue, 200, "200");
    assertThat(deaths.next(3)).containsExactly("100", "200", "300");
    assertThat(amqp.drain(queue)).containsExactly("head");
  }

  @Test
  @MayflyOnly("RabbitMQ looks at the head of the queue only")
  void aMidQueueExpiryFreesSpaceUnderTheLengthLimit(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 2, "x-overflow", "reject-publish"));
    Channel channel = amqp.confirming();
    channel.basicPublish("", queue, expiring(60_000), bytes("head"));
    channel.basicPublish("", queue, expiring(150), bytes("short"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    amqp.awaitReady(queue, 1);
    channel.basicPublish("", queue, PLAIN, bytes("next"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.drain(queue)).containsExactly("head", "next");
  }

  @Test
  @MayflyOnly("RabbitMQ looks at the head of the queue only")
  void aRequeuedMessageExpiresBehindTheHead(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Deliveries deaths = amqp.consume(dead);
    Channel channel = amqp.channel();
    amqp.publishExpiring(queue, 60_000, "head");
    amqp.publishExpiring(queue, 300, "back");
    GetResponse head = channel.basicGet(queue, false);
    GetResponse back = channel.basicGet(queue, false);
    assertThat(back).isNotNull();
    channel.basicNack(back.getEnvelope().getDeliveryTag(), false, true);
    channel.basicNack(head.getEnvelope().getDeliveryTag(), false, true);
    assertThat(deaths.next().body()).isEqualTo("back");
    assertThat(amqp.drain(queue)).containsExactly("head");
  }
}
