package io.mayflymq.it.queue;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import io.mayflymq.it.harness.Target;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues of the type quorum: what they are like to clients. */
@BlackBox
class QuorumQueueIT {
  @Test
  void aMessageOverTheDeliveryLimitIsDeadLettered(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    Channel channel = amqp.newChannel();
    String queue = declare(amqp, Amqp.deadLetterTo(dead, Map.of("x-delivery-limit", 2)));
    amqp.publish(queue, "poison");
    for (long returns = 0; returns <= 2; returns++) {
      amqp.awaitReady(queue, 1);
      assertThat(returned(channel, queue)).isEqualTo(returns);
    }
    amqp.awaitReady(dead, 1);
    GetResponse deadLetter = channel.basicGet(dead, true);
    assertThat(Amqp.text(deadLetter.getBody())).isEqualTo("poison");
    assertThat(deadLetter.getProps().getHeaders().get("x-first-death-reason"))
        .hasToString("delivery_limit");
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void aSingleActiveConsumerForbidsGet(Amqp amqp) throws Exception {
    String queue = declare(amqp, Map.of("x-single-active-consumer", true));
    amqp.publish(queue, "m");
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        405,
        "RESOURCE_LOCKED - cannot obtain access to locked queue '"
            + queue
            + "' in vhost '/'. basic.get operations are not supported by quorum queues with single"
            + " active consumer",
        () -> channel.basicGet(queue, true));
    assertThat(Deliveries.from(amqp.newChannel(), queue, false).next().body()).isEqualTo("m");
  }

  @Test
  @MayflyOnly("RabbitMQ has it since 4.0")
  void aConsumerOfAHigherPriorityBecomesTheActiveOne(Amqp amqp) throws Exception {
    String queue = declare(amqp, Map.of("x-single-active-consumer", true));
    Channel first = amqp.newChannel();
    Deliveries low = Deliveries.from(first, queue, false);
    amqp.publish(queue, "1");
    Deliveries.Delivery taken = low.next();
    Deliveries high =
        Deliveries.from(amqp.newChannel(), queue, false, false, Map.of("x-priority", 10));
    amqp.publish(queue, "2");
    amqp.awaitReady(queue, 1);
    first.basicAck(taken.tag(), false);
    assertThat(high.next().body()).isEqualTo("2");
    amqp.publish(queue, "3");
    assertThat(high.next().body()).isEqualTo("3");
  }

  /** Gets a message and rejects it. @return how often it had come back before */
  private static long returned(Channel channel, String queue) throws Exception {
    GetResponse response = channel.basicGet(queue, false);
    channel.basicReject(response.getEnvelope().getDeliveryTag(), true);
    long returns = (long) Headers.of(response.getProps()).getOrDefault("x-delivery-count", 0L);
    assertThat(response.getEnvelope().isRedeliver()).isEqualTo(returns > 0);
    return returns;
  }

  @Test
  void redeliveriesHaveADeliveryCount(Amqp amqp) throws Exception {
    String queue = declare(amqp, Map.of());
    amqp.publish(queue, "m");
    Channel channel = amqp.newChannel();
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    Deliveries.Delivery first = deliveries.next();
    assertThat(first.properties().getHeaders()).isNull();
    channel.basicReject(first.tag(), true);
    Deliveries.Delivery second = deliveries.next();
    assertThat(second.redelivered()).isTrue();
    assertThat(second.properties().getHeaders()).containsEntry("x-delivery-count", 1L);
  }

  @Test
  void aNegativeDeliveryLimitIsNone(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    String queue = declare(amqp, Map.of("x-delivery-limit", -1));
    amqp.publish(queue, "m");
    for (long returns = 0; returns < 25; returns++) {
      amqp.awaitReady(queue, 1);
      assertThat(returned(channel, queue)).isEqualTo(returns);
    }
  }

  @Test
  void returnedMessagesAreDeliveredFirstInTheOrderOfTheirReturn(Amqp amqp) throws Exception {
    assertThat(afterReturns(amqp, Map.of("x-delivery-limit", 5)))
        .containsExactly("c", "a", "b", "d");
  }

  @Test
  @MayflyOnly("without a limit RabbitMQ puts what is returned behind everything else")
  void returnedMessagesAreDeliveredFirstWithoutADeliveryLimitToo(Amqp amqp) throws Exception {
    assertThat(afterReturns(amqp, Map.of())).containsExactly("c", "a", "b", "d");
  }

  @Test
  void messagesOfAClosedChannelAreDeliveredFirst(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    String queue = declare(amqp, Map.of());
    publishFour(amqp, queue);
    for (int i = 0; i < 3; i++) {
      channel.basicGet(queue, false);
    }
    channel.close();
    amqp.awaitReady(queue, 4);
    assertThat(amqp.drain(queue)).containsExactly("a", "b", "c", "d");
  }

  /** What is in a queue where a, b and c were taken of four, and returned as c, a, b. */
  private static List<String> afterReturns(Amqp amqp, Map<String, Object> arguments)
      throws Exception {
    Channel channel = amqp.newChannel();
    String queue = declare(amqp, arguments);
    publishFour(amqp, queue);
    long[] tags = new long[3];
    for (int i = 0; i < 3; i++) {
      tags[i] = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    }
    for (int i : new int[] {2, 0, 1}) {
      channel.basicNack(tags[i], false, true);
    }
    amqp.awaitReady(queue, 4);
    return amqp.drain(queue);
  }

  private static void publishFour(Amqp amqp, String queue) throws Exception {
    for (String body : List.of("a", "b", "c", "d")) {
      amqp.publish(queue, body);
    }
  }

  @Test
  void aPolicySetsTheDeliveryLimitAndTheLowerApplies(Target target, Amqp amqp) throws Exception {
    String name = amqp.name();
    String path = "policies/%2F/" + name;
    String policy = PolicyFixture.policy(name, "{\"delivery-limit\":1}");
    assertThat(target.http().put(path, policy).status()).isEqualTo(201);
    try {
      Channel channel = amqp.newChannel();
      for (Map<String, Object> arguments :
          List.<Map<String, Object>>of(Map.of(), Map.of("x-delivery-limit", 5))) {
        channel.queueDeclare(name, true, false, false, quorum(arguments));
        amqp.publish(name, "m");
        for (long returns = 0; returns <= 1; returns++) {
          amqp.awaitReady(name, 1);
          assertThat(returned(channel, name)).isEqualTo(returns);
        }
        amqp.awaitReady(name, 0);
        channel.queueDelete(name);
      }
    } finally {
      target.http().delete(path);
    }
  }

  @MayflyOnly("RabbitMQ answers 540 and closes the connection")
  @Test
  void aDeletionMayDependOnMessagesAndConsumers(Amqp amqp) throws Exception {
    String queue = declare(amqp, Map.of());
    amqp.publish(queue, "m");
    amqp.awaitReady(queue, 1);
    Channel full = amqp.newChannel();
    assertChannelError(
        full,
        406,
        "PRECONDITION_FAILED - queue '" + queue + "' in vhost '/' not empty",
        () -> full.queueDelete(queue, false, true));
    Deliveries.from(amqp.newChannel(), queue, false).next();
    Channel used = amqp.newChannel();
    assertChannelError(
        used,
        406,
        "PRECONDITION_FAILED - queue '" + queue + "' in vhost '/' in use",
        () -> used.queueDelete(queue, true, false));
    String free = declare(amqp, Map.of());
    assertThat(amqp.newChannel().queueDelete(free, true, true).getMessageCount()).isZero();
  }

  @MayflyOnly("RabbitMQ lets others consume beside an exclusive consumer of a quorum queue")
  @Test
  void anExclusiveConsumerIsTheOnlyOne(Amqp amqp) throws Exception {
    String queue = declare(amqp, Map.of());
    Channel first = amqp.newChannel();
    String tag = first.basicConsume(queue, false, "", false, true, Map.of(), new Ignoring(first));
    assertInExclusiveUse(amqp, queue, false);
    first.basicCancel(tag);
    first.basicConsume(queue, new Ignoring(first));
    assertInExclusiveUse(amqp, queue, true);
  }

  private static void assertInExclusiveUse(Amqp amqp, String queue, boolean exclusive)
      throws Exception {
    Channel other = amqp.newChannel();
    assertChannelError(
        other,
        403,
        "ACCESS_REFUSED - queue '" + queue + "' in vhost '/' in exclusive use",
        () ->
            other.basicConsume(queue, false, "", false, exclusive, Map.of(), new Ignoring(other)));
  }

  private static final class Ignoring extends DefaultConsumer {
    Ignoring(Channel channel) {
      super(channel);
    }
  }

  @MayflyOnly("RabbitMQ counts properties and headers in quorum queues")
  @Test
  void aLimitInBytesCountsBodiesOnly(Amqp amqp) throws Exception {
    String queue = declare(amqp, Map.of("x-max-length-bytes", 1000));
    Channel channel = amqp.confirming();
    for (int i = 0; i < 20; i++) {
      channel.basicPublish("", queue, Amqp.headers(Map.of("h", "x".repeat(300))), new byte[200]);
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.ready(queue)).isEqualTo(5);
  }

  /** In RabbitMQ 4.3 a dead letter is marked if its message had been rejected. */
  @MayflyOnly("RabbitMQ marks the dead letters of basic.reject")
  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void aDeadLetterIsNotRedelivered(String type, Amqp amqp) throws Exception {
    String dead = amqp.name();
    Channel channel = amqp.newChannel();
    channel.queueDeclare(dead, true, false, false, Map.of("x-queue-type", type));
    Map<String, Object> arguments = Map.of("x-queue-type", type, "x-delivery-limit", 0);
    String queue = amqp.name();
    channel.queueDeclare(queue, true, false, false, Amqp.deadLetterTo(dead, arguments));
    for (int how = 0; how < 3; how++) {
      amqp.publish(queue, "m");
      amqp.awaitReady(queue, 1);
      long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
      switch (how) {
        case 0 -> channel.basicReject(tag, false);
        case 1 -> channel.basicNack(tag, false, false);
        default -> channel.basicReject(tag, true);
      }
      amqp.awaitReady(dead, 1);
      assertThat(channel.basicGet(dead, true).getEnvelope().isRedeliver()).isFalse();
    }
    channel.queueDelete(queue);
    channel.queueDelete(dead);
  }

  /** In RabbitMQ a quorum queue takes reject-publish-dlx for drop-head. */
  @MayflyOnly("RabbitMQ drops the oldest message")
  @ParameterizedTest
  @ValueSource(strings = {"argument", "policies", "operator-policies"})
  void rejectPublishDlxDeadLettersWhatIsRefused(String by, Target target, Amqp amqp)
      throws Exception {
    String dead = amqp.queue();
    String name = amqp.name();
    Map<String, Object> arguments = new HashMap<>(Map.of("x-max-length", 1));
    String path = by + "/%2F/" + name;
    if (by.equals("argument")) {
      arguments.put("x-overflow", "reject-publish-dlx");
    } else {
      String policy = PolicyFixture.policy(name, "{\"overflow\":\"reject-publish-dlx\"}");
      assertThat(target.http().put(path, policy).status()).isEqualTo(201);
    }
    try {
      Channel channel = amqp.confirming();
      channel.queueDeclare(name, true, false, false, quorum(Amqp.deadLetterTo(dead, arguments)));
      channel.basicPublish("", name, Amqp.PLAIN, Amqp.bytes("kept"));
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
      channel.basicPublish("", name, Amqp.PLAIN, Amqp.bytes("refused"));
      assertThat(channel.waitForConfirms(Patience.MILLIS)).as("acknowledged").isFalse();
      amqp.awaitReady(dead, 1);
      GetResponse death = channel.basicGet(dead, true);
      assertThat(Amqp.text(death.getBody())).isEqualTo("refused");
      assertThat(Headers.history(death.getProps())).containsExactly("maxlen " + name + " 1");
      assertThat(amqp.drain(name)).containsExactly("kept");
      channel.queueDelete(name);
    } finally {
      if (!by.equals("argument")) {
        target.http().delete(path);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false, non-durable",
    "true, true, false, exclusive-owner",
    "true, false, true, auto-delete",
  })
  void aQuorumQueueMustBeDurableAndNotExclusive(
      boolean durable, boolean exclusive, boolean autoDelete, String property, Amqp amqp)
      throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.name();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid property '"
            + property
            + "' for queue '"
            + name
            + "' in vhost '/'",
        () -> channel.queueDeclare(name, durable, exclusive, autoDelete, quorum(Map.of())));
  }

  @ParameterizedTest
  @CsvSource({"x-max-priority, 5", "x-queue-mode, lazy"})
  void argumentsOfClassicQueuesAreRefused(String argument, String value, Amqp amqp)
      throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.name();
    Object given = argument.equals("x-max-priority") ? Integer.valueOf(value) : value;
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid arg '"
            + argument
            + "' for queue '"
            + name
            + "' in vhost '/' of queue type rabbit_quorum_queue",
        () -> channel.queueDeclare(name, true, false, false, quorum(Map.of(argument, given))));
  }

  @Test
  void aBadDeadLetterStrategyIsRefused(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.name();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid arg 'x-dead-letter-strategy' for queue '"
            + name
            + "' in vhost '/': invalid_dlx_strategy",
        () ->
            channel.queueDeclare(
                name, true, false, false, quorum(Map.of("x-dead-letter-strategy", "never"))));
  }

  @Test
  void theTypeAndItsArgumentsAreCompared(Amqp amqp) throws Exception {
    String queue = declare(amqp, Map.of("x-delivery-limit", 3));
    amqp.channel().queueDeclare(queue, true, false, false, quorum(Map.of("x-delivery-limit", 3)));
    Channel other = amqp.newChannel();
    assertChannelError(
        other,
        406,
        "PRECONDITION_FAILED - inequivalent arg 'x-delivery-limit' for queue '"
            + queue
            + "' in vhost '/': received '4' but current is '3'",
        () -> other.queueDeclare(queue, true, false, false, quorum(Map.of("x-delivery-limit", 4))));
  }

  private static String declare(Amqp amqp, Map<String, Object> more) throws Exception {
    String queue = amqp.name();
    amqp.channel().queueDeclare(queue, true, false, false, quorum(more));
    return queue;
  }

  private static Map<String, Object> quorum(Map<String, Object> more) {
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-queue-type", "quorum");
    return arguments;
  }
}
