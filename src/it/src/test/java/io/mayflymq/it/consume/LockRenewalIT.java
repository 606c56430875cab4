package io.mayflymq.it.consume;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Return;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import io.mayflymq.it.harness.Time;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client asks for more time for a delivery. */
@BlackBox
@MayflyOnly("there are no locks in RabbitMQ")
class LockRenewalIT {
  private static final String LOCK = "amq.lock";
  private static final int SHORT = 1_500;
  private static final int LONG = 600_000;

  private static String queue(Amqp amqp, String type, int lock) throws Exception {
    String name = amqp.name();
    amqp.channel()
        .queueDeclare(
            name, true, false, false, Map.of("x-queue-type", type, "x-lock-duration", lock));
    return name;
  }

  private static void renew(Channel channel, long tag) throws Exception {
    channel.basicPublish(LOCK, Long.toString(tag), true, Amqp.PLAIN, new byte[0]);
  }

  private static BlockingQueue<Return> returns(Channel channel) {
    BlockingQueue<Return> returns = new LinkedBlockingQueue<>();
    channel.addReturnListener(returns::add);
    return returns;
  }

  private static boolean confirmed(Channel channel) throws Exception {
    return channel.waitForConfirms(Patience.MILLIS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void aRenewedLockEndsLaterAndTheOthersInTime(String type, Amqp amqp) throws Exception {
    String queue = queue(amqp, type, SHORT);
    Channel channel = amqp.confirming();
    BlockingQueue<Return> returns = returns(channel);
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    amqp.publish(queue, "renewed");
    amqp.publish(queue, "not");
    Delivery renewed = deliveries.next();
    deliveries.next();
    long last = 0;
    Delivery again = null;
    // Until the lock of the other one has ended, which is not renewed.
    while (again == null) {
      last = System.nanoTime();
      renew(channel, renewed.tag());
      assertThat(confirmed(channel)).isTrue();
      again = deliveries.soFar().stream().filter(Delivery::redelivered).findFirst().orElse(null);
    }
    assertThat(again.body()).isEqualTo("not");
    channel.basicAck(again.tag(), false);
    deliveries.next();
    Delivery ended = deliveries.next();
    assertThat(ended.body()).isEqualTo("renewed");
    assertThat(Time.millisBetween(last, ended.nanos())).isGreaterThanOrEqualTo(SHORT - 1.0);
    assertThat(returns).isEmpty();
  }

  @Test
  void whoHoldsNoSuchDeliveryIsTold(Amqp amqp) throws Exception {
    String queue = queue(amqp, "classic", 1);
    Channel channel = amqp.newChannel();
    BlockingQueue<Return> returns = returns(channel);
    amqp.publish(queue, "m");
    long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    amqp.awaitReady(queue, 1);
    renew(channel, tag);

    Return told = returns.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
    assertThat(told.getReplyCode()).isEqualTo(404);
    assertThat(told.getReplyText())
        .isEqualTo(
            "NOT_FOUND - this channel holds no delivery %d: its lock has ended, it is settled, its queue was deleted, or there was none"
                .formatted(tag));
    assertThat(told.getExchange()).isEqualTo(LOCK);
    assertThat(told.getRoutingKey()).isEqualTo(Long.toString(tag));

    channel.confirmSelect();
    renew(channel, 4711);
    assertThat(confirmed(channel)).as("a nack says the same").isFalse();
    assertThat(returns.poll(Patience.MILLIS, TimeUnit.MILLISECONDS).getReplyText())
        .startsWith("NOT_FOUND - this channel holds no delivery 4711:");
    channel.basicPublish(LOCK, "4711", Amqp.PLAIN, new byte[0]);
    assertThat(confirmed(channel)).isFalse();
    assertThat(returns).as("it was not mandatory").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void aPolicyLimitsTheRenewalsOfEachDelivery(String type, Amqp amqp, Target target)
      throws Exception {
    String queue = queue(amqp, type, LONG);
    Channel channel = amqp.confirming();
    BlockingQueue<Return> returns = returns(channel);
    amqp.publish(queue, "m");
    long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    renew(channel, tag);
    Http http = target.http();
    http.put(
        "policies/%2F/" + queue,
        "{\"pattern\":\"^%s$\",\"definition\":{\"lock-renewals-max\":2}}".formatted(queue));
    renew(channel, tag);
    assertThat(confirmed(channel)).isTrue();

    renew(channel, tag);

    assertThat(confirmed(channel)).as("the third one").isFalse();
    Return told = returns.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
    assertThat(told.getReplyCode()).isEqualTo(406);
    assertThat(told.getReplyText())
        .isEqualTo(
            "PRECONDITION_FAILED - the lock of delivery %d was renewed as often as queue '%s' in vhost '/' allows: lock-renewals-max is 2"
                .formatted(tag, queue));
    assertThat(returns).isEmpty();
    channel.basicNack(tag, false, true);
    long again = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    renew(channel, again);
    assertThat(confirmed(channel)).as("another delivery").isTrue();
    http.put(
        "policies/%2F/" + queue,
        "{\"pattern\":\"^%s$\",\"definition\":{\"lock-renewals-max\":0}}".formatted(queue));
    renew(channel, again);
    assertThat(confirmed(channel)).as("none at all").isFalse();
    http.delete("policies/%2F/" + queue);
    renew(channel, again);
    assertThat(confirmed(channel)).as("without a limit").isTrue();
  }

  @Test
  void aSettledDeliveryHasNoLock(Amqp amqp) throws Exception {
    String queue = queue(amqp, "quorum", LONG);
    Channel channel = amqp.confirming();
    amqp.publish(queue, "m");
    long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    renew(channel, tag);
    assertThat(confirmed(channel)).isTrue();
    channel.basicAck(tag, false);
    renew(channel, tag);
    assertThat(confirmed(channel)).isFalse();
    assertThat(amqp.ready(queue)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void aDeliveryOfADeletedQueueHasNoLock(String type, Amqp amqp) throws Exception {
    String queue = queue(amqp, type, LONG);
    Channel channel = amqp.confirming();
    amqp.publish(queue, "m");
    long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    renew(channel, tag);
    assertThat(confirmed(channel)).isTrue();
    channel.queueDelete(queue);
    renew(channel, tag);
    assertThat(confirmed(channel)).isFalse();
    amqp.channel().queueDeclare(queue, true, false, false, Map.of("x-queue-type", type));
    renew(channel, tag);
    assertThat(confirmed(channel)).as("another queue of that name").isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "abc | invalid routing key 'abc' for exchange 'amq.lock': expected a delivery tag, 1 or more",
        "0 | invalid routing key '0' for exchange 'amq.lock': expected a delivery tag, 1 or more",
        "-1 | invalid routing key '-1' for exchange 'amq.lock': expected a delivery tag, 1 or more",
        "9223372036854775808 | invalid routing key '9223372036854775808' for exchange 'amq.lock': expected a delivery tag, 1 or more"
      })
  void aRoutingKeyIsADeliveryTag(String key, String text, Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - " + text,
        () -> channel.basicPublish(LOCK, key, Amqp.PLAIN, new byte[0]));
  }

  @Test
  void aDurationIsANumberOfMilliseconds(Amqp amqp) throws Exception {
    for (Object duration : new Object[] {0, -5L, "long"}) {
      Channel channel = amqp.newChannel();
      BasicProperties properties = Amqp.headers(Map.of("x-lock-duration", duration));
      assertChannelError(
          channel,
          406,
          "PRECONDITION_FAILED - invalid header 'x-lock-duration' for exchange 'amq.lock': expected"
              + " a number of ms, 1 or more, got "
              + (duration instanceof String ? "longstr" : duration),
          () -> channel.basicPublish(LOCK, "1", properties, new byte[0]));
    }
  }

  @Test
  void noExchangeCanHaveTheName(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        403,
        "ACCESS_REFUSED - exchange name 'amq.lock' contains reserved prefix 'amq.*'",
        () -> channel.exchangeDeclare(LOCK, "fanout"));
  }

  @Test
  void aQueueCountsTheRenewals(Amqp amqp, Target target) throws Exception {
    String queue = queue(amqp, "classic", LONG);
    Channel channel = amqp.confirming();
    amqp.publish(queue, "m");
    long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    for (int i = 0; i < 3; i++) {
      renew(channel, tag);
    }
    renew(channel, tag + 1);
    assertThat(confirmed(channel)).isFalse();
    await()
        .atMost(Patience.TIME)
        .untilAsserted(
            () ->
                assertThat(
                        target
                            .http()
                            .get("queues/%2F/" + queue)
                            .json()
                            .path("lock_renewals")
                            .asLong())
                    .isEqualTo(3));
  }

  @Test
  void whoHasADeliveryNeedsNoRight(Amqp amqp, Target target) throws Exception {
    String queue = queue(amqp, "classic", LONG);
    amqp.publish(queue, "m");
    String user = amqp.name();
    Http http = target.http();
    http.put("users/" + user, "{\"password\":\"p\",\"tags\":\"\"}");
    http.put(
        "permissions/%2F/" + user,
        "{\"configure\":\"\",\"write\":\"\",\"read\":\"%s\"}".formatted(queue));
    ConnectionFactory factory = target.factory();
    factory.setUsername(user);
    factory.setPassword("p");
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
      renew(channel, tag);
      assertThat(confirmed(channel)).isTrue();
      channel.basicAck(tag, false);
    }
    http.delete("users/" + user);
  }

  @Test
  void aTransactionDoesNotHoldARenewalBack(Amqp amqp) throws Exception {
    String queue = queue(amqp, "classic", 2 * SHORT);
    Channel channel = amqp.newChannel();
    BlockingQueue<Return> returns = returns(channel);
    channel.txSelect();
    amqp.publish(queue, "m");
    long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    renew(channel, tag);
    channel.basicAck(tag, false);
    channel.txCommit();
    renew(channel, tag);
    assertThat(returns.poll(Patience.MILLIS, TimeUnit.MILLISECONDS)).isNotNull();
    assertThat(channel.isOpen()).isTrue();
  }
}
