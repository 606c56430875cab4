package io.mayflymq.it.deadletter;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.Amqp.expiring;
import static io.mayflymq.it.harness.Amqp.headers;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.MayflyOnly;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Dead-lettering: what triggers it, where the message goes, and what is left of it there. */
@BlackBox
class DeadLetterIT {

  @Test
  void rejectAndNackWithoutRequeueDeadLetter(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Deliveries deaths = amqp.consume(dead);
    Channel channel = amqp.channel();
    amqp.publish(queue, "rejected");
    channel.basicReject(take(channel, queue), false);
    assertThat(Headers.history(deaths.next().properties()))
        .containsExactly("rejected " + queue + " 1");
    amqp.publish(queue, "nacked");
    channel.basicNack(take(channel, queue), false, false);
    assertThat(Headers.history(deaths.next().properties()))
        .containsExactly("rejected " + queue + " 1");
  }

  @Test
  void anAcknowledgedMessageIsNotDeadLettered(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Channel channel = amqp.channel();
    amqp.publish(queue, "acked");
    channel.basicAck(take(channel, queue), false);
    amqp.publish(queue, "rejected");
    channel.basicReject(take(channel, queue), false);
    amqp.awaitReady(dead, 1);
    assertThat(amqp.drain(dead)).containsExactly("rejected");
  }

  @Test
  void purgeDeleteAndRequeueDoNotDeadLetter(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Channel channel = amqp.channel();
    amqp.publish(queue, "a");
    channel.basicReject(take(channel, queue), true);
    assertThat(channel.queuePurge(queue).getMessageCount()).isEqualTo(1);
    amqp.publish(queue, "b");
    assertThat(channel.queueDelete(queue).getMessageCount()).isEqualTo(1);
    assertThat(amqp.ready(dead)).isZero();
  }

  @Test
  void deadLettersKeepBodyAndProperties(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 0)));
    Deliveries deaths = amqp.consume(dead);
    BasicProperties sent =
        new BasicProperties.Builder()
            .contentType("text/plain")
            .contentEncoding("utf-8")
            .deliveryMode(2)
            .priority(3)
            .correlationId("correlation")
            .replyTo("reply")
            .messageId("id")
            .timestamp(Date.from(Instant.ofEpochSecond(1_500_000_000)))
            .type("type")
            .userId("guest")
            .appId("app")
            .clusterId("cluster")
            .headers(Map.of("number", 42, "text", "value"))
            .build();
    amqp.publish(queue, sent, "the body");
    Delivery got = deaths.next();
    assertThat(got.body()).isEqualTo("the body");
    assertThat(got.redelivered()).isFalse();
    assertThat(Headers.of(got.properties()))
        .containsEntry("number", 42)
        .containsEntry("text", "value");
    assertThat(got.properties().builder().headers(null).build())
        .isEqualTo(sent.builder().headers(null).build());
  }

  @Test
  void theTtlOfTheDeadLetterQueueCountsFromTheArrivalThere(Amqp amqp) throws Exception {
    String end = amqp.queue();
    String dead = amqp.queue(deadLetterTo(end, Map.of("x-message-ttl", 300)));
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 200)));
    Deliveries deaths = amqp.consume(end);
    long start = System.nanoTime();
    amqp.publish(queue, "a");
    Delivery delivery = deaths.next();
    assertThat(delivery.nanos() - start).isGreaterThanOrEqualTo(498_000_000L);
    assertThat(Headers.history(delivery.properties()))
        .containsExactly("expired " + dead + " 1", "expired " + queue + " 1");
  }

  @Test
  void withoutADeadLetterRoutingKeyTheOriginalKeysAreUsed(Amqp amqp) throws Exception {
    String deadLetters = amqp.exchange(BuiltinExchangeType.DIRECT);
    String main = amqp.queue();
    String carbon = amqp.queue();
    String blind = amqp.queue();
    amqp.bind(main, deadLetters, "main");
    amqp.bind(carbon, deadLetters, "carbon");
    amqp.bind(blind, deadLetters, "blind");
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    String queue = amqp.queue(Map.of("x-dead-letter-exchange", deadLetters, "x-max-length", 0));
    amqp.bind(queue, exchange, "");
    Map<String, Object> copies = Map.of("CC", List.of("carbon"), "BCC", List.of("blind"));
    amqp.channel().basicPublish(exchange, "main", headers(copies), bytes("a"));

    for (String target : List.of(main, carbon, blind)) {
      Delivery delivery = amqp.consume(target).next();
      assertThat(delivery.envelope().getExchange()).isEqualTo(deadLetters);
      assertThat(delivery.envelope().getRoutingKey()).isEqualTo("main");
      assertThat(Headers.of(delivery.properties())).doesNotContainKey("BCC").containsKey("CC");
      assertThat(Headers.deaths(delivery.properties()).get(0))
          .containsEntry("routing-keys", List.of("main", "carbon"));
    }
  }

  @Test
  void aDeadLetterRoutingKeyReplacesAllKeys(Amqp amqp) throws Exception {
    String deadLetters = amqp.exchange(BuiltinExchangeType.DIRECT);
    String original = amqp.queue();
    String override = amqp.queue();
    amqp.bind(original, deadLetters, "main");
    amqp.bind(original, deadLetters, "carbon");
    amqp.bind(override, deadLetters, "override");
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    String queue =
        amqp.queue(
            Map.of(
                "x-dead-letter-exchange",
                deadLetters,
                "x-dead-letter-routing-key",
                "override",
                "x-max-length",
                0));
    amqp.bind(queue, exchange, "");
    amqp.channel()
        .basicPublish(exchange, "main", headers(Map.of("CC", List.of("carbon"))), bytes("a"));
    Delivery delivery = amqp.consume(override).next();
    assertThat(delivery.envelope().getRoutingKey()).isEqualTo("override");
    assertThat(Headers.deaths(delivery.properties()).get(0))
        .containsEntry("routing-keys", List.of("main", "carbon"));
    assertThat(amqp.ready(original)).isZero();
  }

  @Test
  @MayflyOnly("RabbitMQ drops CC with a routing key of its own before 3.13")
  void aDeadLetterRoutingKeyKeepsTheCcHeader(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 0)));
    amqp.publish(queue, headers(Map.of("CC", List.of("nowhere"))), "a");
    assertThat(Headers.of(amqp.consume(dead).next().properties()))
        .containsEntry("CC", List.of("nowhere"));
  }

  @Test
  @MayflyOnly("RabbitMQ drops CC with a routing key of its own before 3.13")
  void ccKeysAreNotUsedWhenAMessageIsDeadLetteredAgain(Amqp amqp) throws Exception {
    String copied = amqp.queue();
    String last = amqp.queue();
    String second = amqp.queue(deadLetterTo(last, Map.of("x-max-length", 0)));
    String first = amqp.queue(deadLetterTo(second, Map.of("x-max-length", 0)));
    amqp.publish(first, headers(Map.of("CC", List.of(copied))), "a");
    Delivery delivery = amqp.consume(last).next();
    assertThat(Headers.deaths(delivery.properties()).get(0))
        .containsEntry("routing-keys", List.of(second));
    assertThat(Headers.deaths(delivery.properties()).get(1))
        .containsEntry("routing-keys", List.of(first, copied));
    assertThat(amqp.ready(copied)).as("the copy that the publisher sent").isEqualTo(1);
  }

  @Test
  void deadLettersKeepTheirOrder(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Channel channel = amqp.channel();
    for (int i = 0; i < 500; i++) {
      channel.basicPublish("", queue, PLAIN, bytes("m" + i));
    }
    Deliveries consumer = Deliveries.from(channel, queue, false);
    long last = 0;
    for (int i = 0; i < 500; i++) {
      last = consumer.next().tag();
    }
    channel.basicNack(last, true, false);
    Deliveries deaths = amqp.consume(dead);
    for (int i = 0; i < 500; i++) {
      assertThat(deaths.next().body()).isEqualTo("m" + i);
    }
  }

  @Test
  void aMissingDeadLetterExchangeDropsTheMessage(Amqp amqp) throws Exception {
    String late = amqp.name();
    String dead = amqp.queue();
    String queue =
        amqp.queue(Map.of("x-dead-letter-exchange", late, "x-dead-letter-routing-key", "k"));
    Channel channel = amqp.channel();
    amqp.publish(queue, "lost");
    channel.basicReject(take(channel, queue), false);
    assertThat(channel.basicGet(queue, true)).isNull();

    channel.exchangeDeclare(late, BuiltinExchangeType.DIRECT);
    channel.queueBind(dead, late, "k");
    amqp.publish(queue, "kept");
    channel.basicReject(take(channel, queue), false);
    amqp.awaitReady(dead, 1);
    assertThat(amqp.drain(dead)).containsExactly("kept");
  }

  @Test
  void anUnroutableDeadLetterIsDropped(Amqp amqp) throws Exception {
    String deadLetters = amqp.exchange(BuiltinExchangeType.DIRECT);
    String queue = amqp.queue(Map.of("x-dead-letter-exchange", deadLetters));
    Channel channel = amqp.channel();
    amqp.publish(queue, "lost");
    channel.basicReject(take(channel, queue), false);
    assertThat(channel.queueDelete(queue).getMessageCount()).isZero();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void deadLettersFollowAlternateExchangesAndExchangeBindings(Amqp amqp) throws Exception {
    String alternate = amqp.exchange(BuiltinExchangeType.FANOUT);
    String deadLetters =
        amqp.exchange(BuiltinExchangeType.DIRECT, Map.of("alternate-exchange", alternate));
    String next = amqp.exchange(BuiltinExchangeType.FANOUT);
    amqp.channel().exchangeBind(next, deadLetters, "known");
    String viaBinding = amqp.queue();
    String viaAlternate = amqp.queue();
    amqp.bind(viaBinding, next, "");
    amqp.bind(viaAlternate, alternate, "");
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    String queue = amqp.queue(Map.of("x-dead-letter-exchange", deadLetters, "x-max-length", 0));
    amqp.bind(queue, exchange, "");
    amqp.channel().basicPublish(exchange, "known", PLAIN, bytes("a"));
    amqp.channel().basicPublish(exchange, "unknown", PLAIN, bytes("b"));
    assertThat(amqp.consume(viaBinding).next().body()).isEqualTo("a");
    assertThat(amqp.consume(viaAlternate).next().body()).isEqualTo("b");
  }

  @Test
  void anInternalExchangeCanBeADeadLetterExchange(Amqp amqp) throws Exception {
    String deadLetters = amqp.name();
    amqp.channel().exchangeDeclare(deadLetters, "fanout", false, false, true, Map.of());
    String dead = amqp.queue();
    amqp.bind(dead, deadLetters, "");
    String queue = amqp.queue(Map.of("x-dead-letter-exchange", deadLetters, "x-max-length", 0));
    amqp.publish(queue, "a");
    assertThat(amqp.consume(dead).next().body()).isEqualTo("a");
  }

  @Test
  void anExpiryCycleOfOneQueueDropsTheMessage(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-dead-letter-exchange", "", "x-message-ttl", 50));
    amqp.publish(queue, "a");
    amqp.awaitReady(queue, 0);
    Deliveries consumer = amqp.consume(queue);
    amqp.publish(queue, "b");
    assertThat(consumer.next().body()).isEqualTo("b");
    consumer.assertNothing();
  }

  @Test
  void anExpiryCycleExcludesOnlyTheQueueInTheCycle(Amqp amqp) throws Exception {
    String first = amqp.name();
    String fan = amqp.exchange(BuiltinExchangeType.FANOUT);
    String second = amqp.queue(Map.of("x-dead-letter-exchange", fan, "x-message-ttl", 20));
    amqp.queue(first, deadLetterTo(second, Map.of("x-message-ttl", 20)));
    String tap = amqp.queue();
    amqp.bind(first, fan, "");
    amqp.bind(tap, fan, "");
    Deliveries taps = amqp.consume(tap);
    amqp.publish(first, "a");
    assertThat(Headers.history(taps.next().properties()))
        .containsExactly("expired " + second + " 1", "expired " + first + " 1");
    taps.assertNothingFor(150);
    assertThat(amqp.ready(first)).isZero();
  }

  @Test
  void aCycleWithARejectionIsNotCut(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-dead-letter-exchange", ""));
    Channel channel = amqp.channel();
    Deliveries consumer = Deliveries.from(channel, queue, false);
    amqp.publish(queue, "a");
    for (long count = 1; count <= 5; count++) {
      channel.basicReject(consumer.next().tag(), false);
      if (count == 5) {
        assertThat(Headers.history(consumer.next().properties()))
            .containsExactly("rejected " + queue + " 5");
      }
    }
  }

  @Test
  void aTransientDeadLetterIsDroppedIfItsTargetRefusesIt(Amqp amqp) throws Exception {
    String dead = amqp.queue(Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 0)));
    amqp.publish(queue, "kept");
    amqp.awaitReady(dead, 1);
    amqp.publish(queue, "lost");
    amqp.publish(queue, "lost too");
    assertThat(amqp.drain(dead)).containsExactly("kept");
  }

  @Test
  void overflowOfTheDeadLetterQueueIsAddedToTheDeathHistory(Amqp amqp) throws Exception {
    String end = amqp.queue();
    String dead = amqp.queue(deadLetterTo(end, Map.of("x-max-length", 1)));
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 0)));
    Deliveries deaths = amqp.consume(end);
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    Delivery delivery = deaths.next();
    assertThat(delivery.body()).isEqualTo("a");
    assertThat(Headers.history(delivery.properties()))
        .containsExactly("maxlen " + dead + " 1", "maxlen " + queue + " 1");
  }

  @Test
  void aTransactionalRejectDeadLettersAtTheCommit(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    amqp.publish(queue, "a");
    Channel channel = amqp.channel();
    channel.txSelect();
    long tag = take(channel, queue);
    channel.basicReject(tag, false);
    assertThat(amqp.ready(dead)).isZero();
    channel.txCommit();
    amqp.awaitReady(dead, 1);
  }

  private static long take(Channel channel, String queue) throws Exception {
    GetResponse response = channel.basicGet(queue, false);
    assertThat(response).as("a message in " + queue).isNotNull();
    return response.getEnvelope().getDeliveryTag();
  }

  @Test
  void expiryInOneFanoutQueueLeavesTheOthersAlone(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    String mortal = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 30)));
    String other = amqp.queue();
    amqp.bind(mortal, exchange, "");
    amqp.bind(other, exchange, "");
    amqp.channel().basicPublish(exchange, "", expiring(60_000), bytes("a"));
    assertThat(amqp.consume(dead).next().properties().getExpiration()).isNull();
    BasicProperties untouched = amqp.consume(other).next().properties();
    assertThat(untouched.getExpiration()).isEqualTo("60000");
    assertThat(Headers.of(untouched)).isEmpty();
  }
}
