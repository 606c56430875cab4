package io.mayflymq.it.consume;

import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.PolicyFixture;
import io.mayflymq.it.harness.Time;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Deliveries that are not acknowledged in time, where that does not close the channel. */
@BlackBox
@MayflyOnly("RabbitMQ closes the channel")
class LockIT extends PolicyFixture {
  private static final int LOCK = 3_000;
  private static final Map<String, Object> LOCKED = Map.of("x-lock-duration", LOCK);

  private static Map<String, Object> with(String action) {
    return Map.of("x-consumer-timeout", LOCK, "x-consumer-timeout-action", action);
  }

  @Test
  void aMessageIsRequeuedWhenItsLockEndsAndTheConsumerContinues(Amqp amqp) throws Exception {
    String queue = amqp.queue(LOCKED);
    Channel channel = amqp.newChannel();
    channel.basicQos(1);
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    long before = System.nanoTime();
    amqp.publish(queue, "m");
    Deliveries.Delivery first = deliveries.next();
    Deliveries.Delivery second = deliveries.next();

    assertThat(Time.millisBetween(before, second.nanos())).isGreaterThanOrEqualTo(LOCK - 1.0);
    assertThat(second.redelivered()).isTrue();
    channel.basicAck(first.tag(), false);
    channel.basicAck(second.tag(), false);
    amqp.publish(queue, "next");
    assertThat(deliveries.next().body()).isEqualTo("next");
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void settlingADeliveryWithAnEndedLockIsIgnoredOnce(Amqp amqp) throws Exception {
    String queue = amqp.queue(LOCKED);
    Channel channel = amqp.newChannel();
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    GetResponse a = channel.basicGet(queue, false);
    GetResponse b = channel.basicGet(queue, false);
    amqp.awaitReady(queue, 2);

    channel.basicNack(a.getEnvelope().getDeliveryTag(), false, false);
    GetResponse again = channel.basicGet(queue, false);
    assertThat(Amqp.text(again.getBody())).as("it did not die").isEqualTo("a");
    channel.basicAck(again.getEnvelope().getDeliveryTag(), true);
    amqp.awaitReady(queue, 1);

    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - unknown delivery tag " + b.getEnvelope().getDeliveryTag(),
        () -> channel.basicAck(b.getEnvelope().getDeliveryTag(), false));
    assertThat(amqp.get(queue)).isEqualTo("b");
  }

  @Test
  void multipleUpToADeliveryWithAnEndedLockSettlesThoseBefore(Amqp amqp) throws Exception {
    String free = amqp.queue();
    String queue = amqp.queue(LOCKED);
    Channel channel = amqp.newChannel();
    amqp.publish(free, "kept");
    amqp.publish(queue, "lost");
    channel.basicGet(free, false);
    GetResponse lost = channel.basicGet(queue, false);
    amqp.awaitReady(queue, 1);

    channel.basicAck(lost.getEnvelope().getDeliveryTag(), true);
    channel.basicRecover(true);

    assertThat(amqp.ready(free)).isZero();
    assertThat(amqp.get(queue)).isEqualTo("lost");
  }

  @Test
  void aCommitIgnoresDeliveriesWhoseLockHasEnded(Amqp amqp) throws Exception {
    String queue = amqp.queue(LOCKED);
    Channel channel = amqp.newChannel();
    channel.txSelect();
    amqp.publish(queue, "m");
    GetResponse got = channel.basicGet(queue, false);
    channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
    amqp.awaitReady(queue, 1);
    channel.txCommit();

    assertThat(channel.isOpen()).isTrue();
    assertThat(amqp.get(queue)).isEqualTo("m");
  }

  @Test
  void timeoutActionCancelCancelsTheConsumerAndRequeuesItsMessages(Amqp amqp) throws Exception {
    String queue = amqp.queue(with("cancel"));
    Channel channel = amqp.newChannel();
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    Deliveries.Delivery a = deliveries.next();
    deliveries.next();
    deliveries.awaitCancel();
    amqp.awaitReady(queue, 2);

    channel.basicAck(a.tag(), false);
    assertThat(amqp.drain(queue)).containsExactly("a", "b");
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void timeoutActionDeadLetterDeadLettersAnOverdueDelivery(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, with("dead-letter")));
    Deliveries deliveries = Deliveries.from(amqp.newChannel(), queue, false);
    amqp.publish(queue, "m");
    deliveries.next();
    amqp.awaitReady(dead, 1);

    GetResponse deadLetter = amqp.channel().basicGet(dead, true);
    assertThat(deadLetter.getProps().getHeaders().get("x-first-death-reason"))
        .hasToString("rejected");
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void aLockThatEndsCountsAsAReturn(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    Map<String, Object> arguments = new HashMap<>(deadLetterTo(dead, LOCKED));
    arguments.put("x-delivery-limit", 1);
    String queue = amqp.queue(arguments);
    Deliveries deliveries = Deliveries.from(amqp.newChannel(), queue, false);
    amqp.publish(queue, "m");
    deliveries.next();
    assertThat(deliveries.next().properties().getHeaders()).containsEntry("x-delivery-count", 1L);
    amqp.awaitReady(dead, 1);

    GetResponse deadLetter = amqp.channel().basicGet(dead, true);
    assertThat(deadLetter.getProps().getHeaders().get("x-first-death-reason"))
        .hasToString("delivery_limit");
  }

  @Test
  void anExpiredLockedMessageCanBeAcknowledgedOrExpiresWithItsLock(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, LOCKED));
    Channel channel = amqp.newChannel();
    for (String body : new String[] {"handled", "lost"}) {
      amqp.publish(queue, new BasicProperties.Builder().expiration("1000").build(), body);
      GetResponse got = channel.basicGet(queue, false);
      Time.pass(1_200);
      assertThat(amqp.ready(dead)).as("protected").isZero();
      if (body.equals("handled")) {
        channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
      }
    }
    amqp.awaitReady(dead, 1);

    GetResponse deadLetter = channel.basicGet(dead, true);
    assertThat(Amqp.text(deadLetter.getBody())).isEqualTo("lost");
    assertThat(deadLetter.getProps().getHeaders().get("x-first-death-reason"))
        .hasToString("expired");
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void aConsumerArgumentSetsItsTimeout(Amqp amqp) throws Exception {
    String queue =
        amqp.queue(Map.of("x-consumer-timeout", 3_600_000, "x-consumer-timeout-action", "requeue"));
    Channel channel = amqp.newChannel();
    Deliveries other = Deliveries.from(amqp.newChannel(), amqp.queue(), true);
    channel.basicConsume(queue, false, "", false, false, Map.of("x-consumer-timeout", LOCK), other);
    long before = System.nanoTime();
    amqp.publish(queue, "m");
    assertThat(other.next().redelivered()).isFalse();
    assertThat(Time.millisBetween(before, other.next().nanos())).isGreaterThanOrEqualTo(LOCK - 1.0);
  }

  @Test
  void theTimeoutArgumentOfAConsumerIsChecked(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Deliveries none = Deliveries.from(amqp.newChannel(), amqp.queue(), true);
    Channel first = amqp.newChannel();
    assertChannelError(
        first,
        406,
        "PRECONDITION_FAILED - invalid arg 'x-consumer-timeout' for queue '%s' in vhost '/': {value_negative,-1}"
            .formatted(queue),
        () ->
            first.basicConsume(
                queue, true, "", false, false, Map.of("x-consumer-timeout", -1), none));
    Channel second = amqp.newChannel();
    assertChannelError(
        second,
        406,
        "PRECONDITION_FAILED - invalid arg 'x-consumer-timeout' for queue '%s' in vhost '/': \"expected integer, got longstr\""
            .formatted(queue),
        () ->
            second.basicConsume(
                queue, true, "", false, false, Map.of("x-consumer-timeout", "1"), none));
  }

  @Test
  void aPolicySetsLocksForLaterDeliveries(Amqp amqp) throws Exception {
    String queue = amqp.queue(name, Map.of());
    http.put("policies/%2F/" + name, policy(name, "{\"lock-duration\":" + LOCK + "}"));
    amqp.publish(queue, "m");
    long before = System.nanoTime();
    Deliveries deliveries = Deliveries.from(amqp.newChannel(), queue, false);
    assertThat(deliveries.next().redelivered()).isFalse();
    assertThat(Time.millisBetween(before, deliveries.next().nanos()))
        .isGreaterThanOrEqualTo(LOCK - 1.0);
  }
}
