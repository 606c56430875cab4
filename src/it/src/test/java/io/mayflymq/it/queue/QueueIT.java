package io.mayflymq.it.queue;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.Queue.DeclareOk;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Patience;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queues as objects: declared, compared, owned, purged, deleted. */
@BlackBox
class QueueIT {
  private static final Map<String, Object> NONE = Map.of();

  @Test
  void declareOkCountsMessagesAndConsumers(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String queue = amqp.name();
    DeclareOk fresh = channel.queueDeclare(queue, false, false, false, NONE);
    assertThat(fresh.getQueue()).isEqualTo(queue);
    assertThat(fresh.getMessageCount()).isZero();
    assertThat(fresh.getConsumerCount()).isZero();
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    assertThat(channel.queueDeclare(queue, false, false, false, NONE).getMessageCount())
        .isEqualTo(2);
    amqp.consume(queue).next(2);
    DeclareOk used = channel.queueDeclarePassive(queue);
    assertThat(used.getMessageCount()).isZero();
    assertThat(used.getConsumerCount()).isEqualTo(1);
  }

  @Test
  void unacknowledgedMessagesAreNotCounted(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    amqp.channel().basicGet(queue, false);
    assertThat(amqp.channel().queueDeclarePassive(queue).getMessageCount()).isEqualTo(1);
  }

  @Test
  void theBrokerGeneratesQueueNames(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String one = channel.queueDeclare().getQueue();
    String two = channel.queueDeclare("", false, true, true, NONE).getQueue();
    assertThat(one).startsWith("amq.gen-").hasSizeGreaterThan(20).isNotEqualTo(two);
    amqp.publish(one, "a");
    assertThat(channel.basicGet(one, true)).isNotNull();
  }

  @Test
  void lineBreaksAreRemovedFromQueueNames(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String name = "lines-" + System.nanoTime();
    assertThat(channel.queueDeclare("\r" + name + "\r\n", false, true, false, null).getQueue())
        .isEqualTo(name);
    channel.exchangeDeclare(name + "\n", "fanout", false, true, null);
    channel.exchangeDeclarePassive(name);
    channel.queueBind("\n" + name, name + "\r", "");
    channel.basicPublish(name, "", PLAIN, bytes("a"));
    await().until(() -> channel.queueDeclarePassive(name).getMessageCount() == 1);
  }

  @Test
  void anEmptyNameMeansTheLastQueueDeclaredOnTheChannel(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String queue = channel.queueDeclare().getQueue();
    channel.queueBind("", "amq.direct", queue + "-key");
    channel.basicPublish("amq.direct", queue + "-key", PLAIN, bytes("a"));
    channel.basicPublish("", "", PLAIN, bytes("by an empty key"));
    await().until(() -> channel.queueDeclarePassive(queue).getMessageCount() == 1);
    assertThat(channel.queuePurge("").getMessageCount()).isEqualTo(1);
    assertThat(channel.queueDelete("").getMessageCount()).isZero();
  }

  @Test
  void withoutADeclaredQueueAnEmptyNameIsAnError(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    assertChannelError(
        channel, 404, "NOT_FOUND - no previously declared queue", () -> channel.basicGet("", true));
  }

  @Test
  void reservedNamesAreRefusedEvenIfTheBrokerGeneratedThem(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        403,
        "ACCESS_REFUSED - queue name 'amq.mine' contains reserved prefix 'amq.*'",
        () -> channel.queueDeclare("amq.mine", false, false, false, NONE));
    Channel owner = amqp.channel();
    String named = owner.queueDeclare().getQueue();
    owner.queueDeclarePassive(named);
    assertChannelError(
        owner,
        403,
        "ACCESS_REFUSED - queue name '" + named + "' contains reserved prefix 'amq.*'",
        () -> owner.queueDeclare(named, false, true, true, NONE));
  }

  @Test
  void passiveDeclarationOfAMissingQueueIsNotFound(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String absent = amqp.name();
    assertChannelError(
        channel,
        404,
        "NOT_FOUND - no queue '" + absent + "' in vhost '/'",
        () -> channel.queueDeclarePassive(absent));
  }

  @Test
  void aRedeclarationErrorNamesTheDifferentProperty(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 60_000L, "x-max-length", 5));
    Map<String, Object> same = Map.of("x-message-ttl", 60_000, "x-max-length", (short) 5);
    amqp.channel().queueDeclare(queue, false, false, false, same);

    differs(amqp, queue, "durable", "'true' but current is 'false'", true, false, same);
    differs(amqp, queue, "auto_delete", "'true' but current is 'false'", false, true, same);
    differs(amqp, queue, "durable", "'true' but current is 'false'", true, true, NONE);
    differs(
        amqp,
        queue,
        "x-message-ttl",
        "none but current is the value '60000' of type 'long'",
        false,
        false,
        Map.of("x-max-length", 5));
    differs(
        amqp,
        queue,
        "x-message-ttl",
        "'20000' but current is '60000'",
        false,
        false,
        Map.of("x-message-ttl", 20_000, "x-max-length", 5));
    differs(
        amqp,
        queue,
        "x-expires",
        "the value '1000' of type 'signedint' but current is none",
        false,
        false,
        Map.of("x-message-ttl", 60_000, "x-max-length", 5, "x-expires", 1000));
  }

  @ParameterizedTest
  @CsvSource({
    "x-expires, 100000",
    "x-message-ttl, 100000",
    "x-max-length, 10",
    "x-max-length-bytes, 10",
    "x-dead-letter-exchange, amq.fanout",
    "x-overflow, reject-publish",
    "x-queue-mode, lazy",
    "x-single-active-consumer, true",
  })
  void everyKnownArgumentIsCompared(String argument, String text, Amqp amqp) throws Exception {
    isCompared(argument, text, amqp);
  }

  @Test
  void theMaximumPriorityIsComparedToo(Amqp amqp) throws Exception {
    isCompared("x-max-priority", "3", amqp);
  }

  private static void isCompared(String argument, String text, Amqp amqp) throws Exception {
    Object value = parse(text);
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    String type = value instanceof Integer ? "signedint" : text.equals("true") ? "bool" : "longstr";
    assertChannelError(
        channel,
        406,
        String.format(
            "PRECONDITION_FAILED - inequivalent arg '%s' for queue '%s' in vhost '/': received the"
                + " value '%s' of type '%s' but current is none",
            argument, queue, text, type),
        () -> channel.queueDeclare(queue, false, false, false, Map.of(argument, value)));
  }

  private static Object parse(String text) {
    if (text.equals("true")) {
      return true;
    }
    return text.matches("\\d+") ? Integer.valueOf(text) : text;
  }

  @Test
  void unknownArgumentsAreNotCompared(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-mine", 1));
    amqp.channel().queueDeclare(queue, false, false, false, Map.of("x-mine", "two"));
  }

  @Test
  void theQueueTypeIsClassicByDefault(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.channel().queueDeclare(queue, false, false, false, Map.of("x-queue-type", "classic"));
  }

  private static void differs(
      Amqp amqp,
      String queue,
      String what,
      String received,
      boolean durable,
      boolean autoDelete,
      Map<String, Object> arguments)
      throws Exception {
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        String.format(
            "PRECONDITION_FAILED - inequivalent arg '%s' for queue '%s' in vhost '/': received %s",
            what, queue, received),
        () -> channel.queueDeclare(queue, durable, false, autoDelete, arguments));
  }

  @Test
  void anExclusiveQueueIsLockedToItsConnection(Amqp amqp) throws Exception {
    Channel owner = amqp.channel();
    String queue = amqp.name();
    owner.queueDeclare(queue, false, true, false, NONE);
    owner.queueDeclare(queue, false, true, false, NONE);
    amqp.newChannel().queueDeclarePassive(queue);

    Connection other = amqp.newConnection();
    locked(other, queue, channel -> channel.queueDeclarePassive(queue));
    locked(other, queue, channel -> channel.queueDeclare(queue, false, true, false, NONE));
    locked(other, queue, channel -> channel.basicGet(queue, true));
    locked(other, queue, channel -> Deliveries.from(channel, queue, true));
    locked(other, queue, channel -> channel.queuePurge(queue));
    locked(other, queue, channel -> channel.queueDelete(queue));
    locked(other, queue, channel -> channel.queueBind(queue, "amq.direct", "k"));

    other.createChannel().basicPublish("", queue, PLAIN, bytes("others may publish"));
    Deliveries consumer = Deliveries.from(owner, queue, true);
    assertThat(consumer.next().body()).isEqualTo("others may publish");
  }

  private interface Use {
    void of(Channel channel) throws Exception;
  }

  private static void locked(Connection other, String queue, Use use) throws Exception {
    Channel channel = other.createChannel();
    assertChannelError(
        channel,
        405,
        "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue '"
            + queue
            + "' in vhost '/'. It could be originally declared on another connection or the"
            + " exclusive property value does not match that of the original declaration.",
        () -> use.of(channel));
  }

  @Test
  void exclusiveMustMatchOnTheSameConnection(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    locked(
        amqp.newConnection(),
        queue,
        channel -> channel.queueDeclare(queue, false, true, false, NONE));
  }

  @Test
  void anExclusiveQueueIsDeletedWithItsConnection(Amqp amqp) throws Exception {
    Connection connection = amqp.newConnection();
    String queue = amqp.name();
    connection.createChannel().queueDeclare(queue, true, true, false, NONE);
    connection.close();
    assertThat(amqp.exists(queue)).isFalse();
    amqp.queue(queue, NONE);
  }

  @Test
  void anAutoDeleteQueueIsDeletedWithItsLastConsumer(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String queue = amqp.name();
    channel.queueDeclare(queue, false, false, true, NONE);
    assertThat(amqp.exists(queue)).as("before its first consumer").isTrue();
    Deliveries first = amqp.consume(queue);
    Deliveries second = amqp.consume(queue);
    first.cancel();
    assertThat(amqp.exists(queue)).isTrue();
    second.getChannel().close();
    assertThat(amqp.exists(queue)).isFalse();
  }

  @Test
  void anAutoDeleteQueueIsDeletedBeforeCancelOk(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    for (int i = 0; i < 50; i++) {
      String queue = amqp.name();
      channel.queueDeclare(queue, false, false, true, NONE);
      channel.basicCancel(channel.basicConsume(queue, new DefaultConsumer(channel)));
      assertThat(amqp.exists(queue)).as("to another connection").isFalse();
    }
  }

  @Test
  void purgeRemovesReadyMessagesOnly(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    for (String body : List.of("held", "a", "b")) {
      amqp.publish(queue, body);
    }
    long held = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    assertThat(channel.queuePurge(queue).getMessageCount()).isEqualTo(2);
    channel.basicReject(held, true);
    amqp.awaitReady(queue, 1);
    assertThat(amqp.drain(queue)).containsExactly("held");
  }

  @Test
  void purgeOfAMissingQueueIsNotFound(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String absent = amqp.name();
    assertChannelError(
        channel,
        404,
        "NOT_FOUND - no queue '" + absent + "' in vhost '/'",
        () -> channel.queuePurge(absent));
  }

  @Test
  void deleteOkCountsMessagesAndDeletionIsIdempotent(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    Channel channel = amqp.channel();
    assertThat(channel.queueDelete(queue).getMessageCount()).isEqualTo(2);
    assertThat(channel.queueDelete(queue).getMessageCount()).isZero();
  }

  @Test
  void ifEmptyAndIfUnusedAreChecked(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "a");
    Channel notEmpty = amqp.newChannel();
    assertChannelError(
        notEmpty,
        406,
        "PRECONDITION_FAILED - queue '" + queue + "' in vhost '/' not empty",
        () -> notEmpty.queueDelete(queue, false, true));
    Deliveries consumer = amqp.consume(queue);
    consumer.next();
    Channel used = amqp.newChannel();
    assertChannelError(
        used,
        406,
        "PRECONDITION_FAILED - queue '" + queue + "' in vhost '/' in use",
        () -> used.queueDelete(queue, true, false));
    consumer.cancel();
    amqp.channel().queueDelete(queue, true, true);
    assertThat(amqp.exists(queue)).isFalse();
  }

  @Test
  void deletingRemovesBindings(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "");
    amqp.channel().queueDelete(queue);
    amqp.queue(queue, NONE);
    Channel channel = amqp.confirming();
    channel.basicPublish(exchange, "", PLAIN, bytes("a"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void deletingCancelsConsumers(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Deliveries consumer = amqp.consume(queue);
    amqp.channel().queueDelete(queue);
    consumer.awaitCancel();
    assertThat(consumer.getChannel().isOpen()).isTrue();
  }

  @Test
  void noWaitTakesEffectInOrder(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String queue = amqp.name();
    channel.queueDeclareNoWait(queue, false, false, false, null);
    channel.queueBindNoWait(queue, "amq.direct", queue, null);
    channel.basicPublish("amq.direct", queue, PLAIN, bytes("a"));
    amqp.awaitReady(queue, 1);
    channel.queueDeleteNoWait(queue, false, false);
    assertChannelError(
        channel,
        404,
        "NOT_FOUND - no queue '" + queue + "' in vhost '/'",
        () -> channel.queueDeclarePassive(queue));
  }

  @Test
  void aNoWaitDeclarationThatFailsClosesTheChannel(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - inequivalent arg 'durable' for queue '"
            + queue
            + "' in vhost '/': received 'true' but current is 'false'",
        () -> channel.queueDeclareNoWait(queue, true, false, false, null));
  }

  @Test
  void whatFollowsNoWaitDeclarationsFindsTheQueues(Amqp amqp) throws Exception {
    Channel channel = amqp.confirming();
    List<String> queues = IntStream.range(0, 100).mapToObj(n -> amqp.name()).toList();
    for (String queue : queues) {
      channel.queueDeclareNoWait(queue, true, false, false, null);
    }
    for (String queue : queues) {
      channel.basicPublish("", queue, PLAIN, bytes("a"));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    for (String queue : queues) {
      assertThat(amqp.ready(queue)).as(queue).isEqualTo(1);
    }
  }

  @Test
  void nothingIsDeclaredBehindANoWaitDeclarationThatFails(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String before = amqp.name();
    String behind = amqp.name();
    Channel channel = amqp.channel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - inequivalent arg 'durable' for queue '"
            + queue
            + "' in vhost '/': received 'true' but current is 'false'",
        () -> {
          channel.queueDeclareNoWait(before, false, false, false, null);
          channel.queueDeclareNoWait(queue, true, false, false, null);
          channel.queueDeclareNoWait(behind, false, false, false, null);
        });
    assertThat(amqp.exists(before)).isTrue();
    assertThat(amqp.exists(behind)).isFalse();
  }

  /** The second one depends on the first, which is under way. */
  @Test
  void noWaitDeclarationsOfOneNameAreCompared(Amqp amqp) throws Exception {
    String queue = amqp.name();
    String behind = amqp.name();
    Channel channel = amqp.channel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - inequivalent arg 'auto_delete' for queue '"
            + queue
            + "' in vhost '/': received 'true' but current is 'false'",
        () -> {
          channel.queueDeclareNoWait(queue, true, false, false, null);
          channel.queueDeclareNoWait(queue, true, false, true, null);
          channel.queueDeclareNoWait(behind, true, false, false, null);
        });
    assertThat(amqp.exists(queue)).isTrue();
    assertThat(amqp.exists(behind)).isFalse();
  }

  @Test
  void bindingTwiceMakesOneBinding(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.confirming();
    channel.queueBind(queue, "amq.direct", queue);
    channel.queueBind(queue, "amq.direct", queue);
    channel.queueUnbind(queue, "amq.direct", queue);
    channel.basicPublish("amq.direct", queue, PLAIN, bytes("a"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void badDeadLetterArgumentsAreRefused(Amqp amqp) throws Exception {
    Channel type = amqp.newChannel();
    String name = amqp.name();
    assertChannelError(
        type,
        406,
        "PRECONDITION_FAILED - invalid type 'signedint' for arg 'x-dead-letter-exchange' in queue '"
            + name
            + "' in vhost '/'",
        () -> type.queueDeclare(name, false, false, false, Map.of("x-dead-letter-exchange", 1)));
    Channel key = amqp.newChannel();
    assertChannelError(
        key,
        406,
        "PRECONDITION_FAILED - invalid arg 'x-dead-letter-routing-key' for queue '"
            + name
            + "' in vhost '/': routing_key_but_no_dlx_defined",
        () ->
            key.queueDeclare(name, false, false, false, Map.of("x-dead-letter-routing-key", "k")));
  }

  @ParameterizedTest
  @CsvSource({"-1, '{value_negative,-1}'", "256, '{max_value_exceeded,256}'"})
  void aBadMaximumPriorityIsRefused(int priority, String reason, Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.name();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid arg 'x-max-priority' for queue '"
            + name
            + "' in vhost '/': "
            + reason,
        () -> channel.queueDeclare(name, false, false, false, Map.of("x-max-priority", priority)));
  }

  @Test
  void anExclusiveQueueIsNeverDurable(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String queue = amqp.name();
    channel.queueDeclare(queue, true, true, false, NONE);
    channel.queueDeclare(queue, false, true, false, NONE);
  }
}
