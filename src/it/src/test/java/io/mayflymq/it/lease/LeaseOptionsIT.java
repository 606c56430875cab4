package io.mayflymq.it.lease;

import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import io.mayflymq.it.harness.Target;
import io.mayflymq.it.harness.Time;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests which operations renew the lease of a queue, and what happens to its messages at the end.
 */
@Order(1)
@BlackBox
@MayflyOnly("RabbitMQ has no such options")
class LeaseOptionsIT extends PolicyFixture {
  private static final int LEASE = 2_000;

  private static Map<String, Object> leased(String... more) {
    Map<String, Object> arguments = new HashMap<>(Map.of("x-expires", LEASE));
    for (int i = 0; i < more.length; i += 2) {
      arguments.put(more[i], more[i + 1]);
    }
    return arguments;
  }

  private interface Use {
    void of(String queue) throws Exception;
  }

  /**
   * Uses a queue twice at the beginning of its lease, and then waits until it expires: a whole
   * lease after the last use. The lease is long, so that a slow machine uses the queue in time.
   */
  private void isKeptBy(Amqp amqp, String activity, Use use) throws Exception {
    int lease = 4 * LEASE;
    String queue = amqp.queue(Map.of("x-expires", lease, "x-expires-activity", activity));
    long used = System.nanoTime();
    for (int i = 0; i < 2; i++) {
      Time.pass(LEASE / 4);
      used = System.nanoTime();
      use.of(queue);
    }
    awaitGone(queue);
    assertThat(Time.millisBetween(used, System.nanoTime())).isGreaterThanOrEqualTo(lease - 1.0);
  }

  /** Asks the management API, which does not renew the lease. */
  private void awaitGone(String queue) {
    await().until(() -> http.get("queues/%2F/" + queue).status() == 404);
  }

  @Test
  void publishingCanRenewALease(Amqp amqp) throws Exception {
    isKeptBy(amqp, "publish", queue -> amqp.publish(queue, "m"));
  }

  @Test
  void theServiceBusPresetRenewsALeaseByPublishing(Amqp amqp) throws Exception {
    isKeptBy(amqp, "service-bus", queue -> amqp.publish(queue, "m"));
  }

  @Test
  void bindingCanRenewALease(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    isKeptBy(
        amqp,
        "bind",
        queue -> {
          amqp.bind(queue, exchange, "k");
          amqp.channel().queueUnbind(queue, exchange, "k");
        });
  }

  @Test
  void peekingByTheManagementApiCanRenewALease(Amqp amqp) throws Exception {
    isKeptBy(
        amqp,
        "peek",
        queue ->
            http.post(
                "queues/%2F/" + queue + "/get",
                "{\"ackmode\":\"ack_requeue_true\",\"count\":1,\"encoding\":\"auto\"}"));
  }

  @Test
  void browsingCanRenewALease(Amqp amqp) throws Exception {
    isKeptBy(
        amqp,
        "peek",
        queue -> assertThat(http.get("queues/%2F/" + queue + "/messages").status()).isEqualTo(200));
  }

  @Test
  void theServiceBusPresetRenewsALeaseByTheBrowseCommand(Amqp amqp, Target target)
      throws Exception {
    isKeptBy(
        amqp,
        "service-bus",
        queue -> assertThat(ControlCommand.of(target).run("browse_queue", queue).exit()).isZero());
  }

  @Test
  void browsingDoesNotRenewALeaseByDefault(Amqp amqp) throws Exception {
    String queue = amqp.queue(leased());
    await().until(() -> http.get("queues/%2F/" + queue + "/messages").status() == 404);
  }

  @Test
  void aPolicyChangeCanRenewALease(Amqp amqp) throws Exception {
    int[] length = {1};
    isKeptBy(
        amqp,
        "policy",
        queue ->
            http.put(
                "policies/%2F/" + name, policy(queue, "{\"max-length\":" + ++length[0] + "}")));
  }

  @Test
  void withoutConsumeALeaseEndsDespiteConsumersAndCancelsThem(Amqp amqp) throws Exception {
    String queue = amqp.queue(leased("x-expires-activity", "publish"));
    Deliveries deliveries = amqp.consume(queue);
    deliveries.awaitCancel();
    assertThat(amqp.exists(queue)).isFalse();
  }

  @Test
  void unusedAndEmptyKeepsAQueueUntilItIsEmpty(Amqp amqp) throws Exception {
    String queue = amqp.queue(leased("x-expires-condition", "unused-and-empty"));
    amqp.publish(queue, "m");
    Time.pass(2 * LEASE);
    assertThat(amqp.get(queue)).isEqualTo("m");
    awaitGone(queue);
  }

  @Test
  void onExpireCanDeadLetterTheMessages(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, leased("x-expires-action", "dead-letter")));
    for (int i = 0; i < 3; i++) {
      amqp.publish(queue, "m" + i);
    }
    amqp.awaitReady(dead, 3);

    GetResponse deadLetter = amqp.channel().basicGet(dead, true);
    assertThat(Amqp.text(deadLetter.getBody())).isEqualTo("m0");
    assertThat(deadLetter.getProps().getHeaders().get("x-first-death-reason"))
        .hasToString("queue_expired");
    awaitGone(queue);
  }

  @Test
  void aPolicyCanSetOnExpire(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    http.put(
        "policies/%2F/" + name,
        policy(
            name,
            "{\"expires\":%d,\"expires-action\":\"dead-letter\",\"dead-letter-exchange\":\"\","
                    .formatted(LEASE)
                + "\"dead-letter-routing-key\":\"%s\"}".formatted(dead)));
    String queue = amqp.queue(name, Map.of());
    amqp.publish(queue, "m");
    amqp.awaitReady(dead, 1);
    awaitGone(queue);
  }

  @Test
  void aDeletedQueueCanDeadLetterItsMessages(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue =
        amqp.queue(deadLetterTo(dead, Map.of("x-dead-letter-on", "rejected,queue_deleted")));
    for (int i = 0; i < 3; i++) {
      amqp.publish(queue, "m" + i);
    }
    Channel channel = amqp.newChannel();
    channel.basicGet(queue, false);

    assertThat(channel.queueDelete(queue).getMessageCount()).isEqualTo(2);

    amqp.awaitReady(dead, 3);
    GetResponse deadLetter = amqp.channel().basicGet(dead, true);
    assertThat(deadLetter.getProps().getHeaders().get("x-first-death-reason"))
        .hasToString("queue_deleted");
    assertThat(amqp.exists(queue)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"queue_deleted", "queue_expired"})
  void scheduledMessagesAreDeadLetteredLastWithTheirQueue(String reason, Amqp amqp)
      throws Exception {
    String dead = amqp.queue();
    Map<String, Object> arguments = new HashMap<>(Map.of("x-dead-letter-on", reason));
    if (reason.equals("queue_expired")) {
      arguments.put("x-expires", LEASE);
    }
    String queue = amqp.queue(deadLetterTo(dead, arguments));
    String later = amqp.name();
    Channel channel = amqp.confirming();
    channel.exchangeDeclare(
        later, "x-delayed-message", false, false, Map.of("x-delayed-type", "fanout"));
    channel.queueBind(queue, later, "");
    for (int minutes : new int[] {30, 10, 20}) {
      BasicProperties delay = Amqp.headers(Map.of("x-delay", minutes * 60_000));
      channel.basicPublish(later, "", delay, Amqp.bytes("" + minutes));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    amqp.publish(queue, "ready");

    if (reason.equals("queue_deleted")) {
      assertThat(channel.queueDelete(queue).getMessageCount()).isOne();
    }

    amqp.awaitReady(dead, 4);
    for (String body : new String[] {"ready", "10", "20", "30"}) {
      GetResponse deadLetter = channel.basicGet(dead, true);
      assertThat(Amqp.text(deadLetter.getBody())).isEqualTo(body);
      assertThat(deadLetter.getProps().getHeaders().get("x-first-death-reason"))
          .hasToString(reason);
    }
    awaitGone(queue);
  }

  @Test
  void anAutoDeleteQueueCanDeadLetterItsMessages(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.name();
    Channel channel = amqp.newChannel();
    channel.queueDeclare(
        queue, false, false, true, deadLetterTo(dead, Map.of("x-dead-letter-on", "queue_deleted")));
    channel.basicQos(1);
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    deliveries.next();
    channel.close();

    amqp.awaitReady(dead, 2);
  }
}
