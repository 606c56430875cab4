package io.mayflymq.it.lease;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Presence;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests queue leases ({@code x-expires}): which operations renew them and which do not. */
@BlackBox
class QueueLeaseIT {
  private static final int LEASE = 600;
  private static final Map<String, Object> LEASED = Map.of("x-expires", LEASE);

  @Test
  void anUnusedQueueIsDeletedWithItsMessages(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    Presence presence = new Presence(amqp);
    String queue = amqp.queue(deadLetterTo(dead, LEASED));
    amqp.publish(queue, "goes with it");
    presence.awaitGone(queue);
    assertThat(amqp.exists(queue)).isFalse();
    assertThat(amqp.ready(dead)).as("not dead-lettered").isZero();
  }

  @Test
  void anExpiredQueueLosesItsBindings(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    Presence presence = new Presence(amqp);
    inTime(
        amqp,
        (channel, queue) -> {
          amqp.queue(queue, LEASED);
          return channel.queueBind(queue, exchange, "k");
        });
    presence.awaitGone(exchange, "k");
  }

  @Test
  void anUnusedQueueIsNeverDeletedEarly(Amqp amqp) throws Exception {
    Presence presence = new Presence(amqp);
    long start = System.nanoTime();
    String queue = amqp.queue(LEASED);
    assertThat(Time.millisBetween(start, presence.awaitGone(queue)))
        .isGreaterThanOrEqualTo(LEASE - 1.0);
  }

  @Test
  void aConsumerSuspendsTheLeaseAndItsEndStartsIt(Amqp amqp) throws Exception {
    Presence presence = new Presence(amqp);
    Leased<Deliveries> leased = consumed(amqp, amqp::newChannel);
    presence.assertStays(leased.queue(), 2 * LEASE);
    long cancelled = System.nanoTime();
    leased.by().cancel();
    assertThat(Time.millisBetween(cancelled, presence.awaitGone(leased.queue())))
        .isGreaterThanOrEqualTo(LEASE - 1.0);
  }

  @Test
  @MayflyOnly("RabbitMQ 4.3 does the same, but looks every five seconds")
  void anUnacknowledgedGetKeepsAQuorumQueueAndAPassiveDeclarationDoesNot(Amqp amqp)
      throws Exception {
    Presence presence = new Presence(amqp);
    Leased<Got> leased =
        inTime(
            amqp,
            (channel, queue) -> {
              channel.queueDeclare(
                  queue, true, false, false, Map.of("x-queue-type", "quorum", "x-expires", LEASE));
              amqp.publish(queue, "m");
              return Got.from(channel, queue);
            });
    presence.assertStays(leased.queue(), 2 * LEASE);
    long acknowledged = System.nanoTime();
    leased.by().acknowledge();
    await().until(() -> !amqp.exists(leased.queue()));
    assertThat(Time.millisBetween(acknowledged, System.nanoTime()))
        .isGreaterThanOrEqualTo(LEASE - 1.0);
  }

  @Test
  void theLeaseStartsWithTheEndOfTheLastConsumer(Amqp amqp) throws Exception {
    Presence presence = new Presence(amqp);
    Leased<Deliveries> leased = consumed(amqp, amqp::newChannel);
    Deliveries second = amqp.consume(leased.queue());
    leased.by().cancel();
    presence.assertStays(leased.queue(), 2 * LEASE);
    second.cancel();
    presence.awaitGone(leased.queue());
  }

  @Test
  void closingAChannelOrConnectionStartsTheLease(Amqp amqp) throws Exception {
    Presence presence = new Presence(amqp);
    Leased<Deliveries> channel = consumed(amqp, amqp::newChannel);
    Leased<Deliveries> connection = consumed(amqp, () -> amqp.newConnection().createChannel());
    presence.assertStays(channel.queue(), LEASE + 100);
    presence.assertStays(connection.queue(), 50);
    channel.by().getChannel().close();
    connection.by().getChannel().getConnection().close();
    presence.awaitGone(channel.queue());
    presence.awaitGone(connection.queue());
  }

  private interface Opening {
    Channel channel() throws Exception;
  }

  private static Leased<Deliveries> consumed(Amqp amqp, Opening opening) throws Exception {
    return inTime(
        amqp,
        (unused, queue) -> {
          Channel channel = opening.channel();
          amqp.queue(queue, LEASED);
          return Deliveries.from(channel, queue, true);
        });
  }

  /** A leased queue, and what uses it. */
  private record Leased<T>(String queue, T by) {}

  private interface First<T> {
    T of(Channel channel, String queue) throws Exception;
  }

  /**
   * Declares a queue and uses it within its lease: on a machine that stands still for a lease in
   * between, another one.
   */
  private static <T> Leased<T> inTime(Amqp amqp, First<T> first) throws Exception {
    while (true) {
      String queue = amqp.name();
      long start = System.nanoTime();
      try {
        return new Leased<>(queue, first.of(amqp.newChannel(), queue));
      } catch (IOException gone) {
        if (Time.millisBetween(start, System.nanoTime()) < LEASE) {
          throw gone;
        }
      }
    }
  }

  /** A message that was got, and not yet acknowledged. */
  private record Got(Channel channel, long tag) {
    static Got from(Channel channel, String queue) throws IOException {
      return new Got(channel, channel.basicGet(queue, false).getEnvelope().getDeliveryTag());
    }

    void acknowledge() throws IOException {
      channel.basicAck(tag, false);
    }
  }

  @Test
  void getOnAnEmptyQueueRenewsTheLease(Amqp amqp) throws Exception {
    isKeptBy(amqp, (channel, queue) -> assertThat(channel.basicGet(queue, true)).isNull());
  }

  @Test
  void redeclaringRenewsTheLease(Amqp amqp) throws Exception {
    isKeptBy(amqp, (channel, queue) -> channel.queueDeclare(queue, false, false, false, LEASED));
  }

  @Test
  void redeclaringPassivelyRenewsTheLease(Amqp amqp) throws Exception {
    isKeptBy(amqp, Channel::queueDeclarePassive);
  }

  private interface Use {
    void of(Channel channel, String queue) throws Exception;
  }

  /** Uses a queue four times per lease, for twice its lease, and then waits until it expires. */
  private static void isKeptBy(Amqp amqp, Use use) throws Exception {
    Presence presence = new Presence(amqp);
    Channel channel = amqp.channel();
    long used = System.nanoTime();
    String queue = amqp.queue(LEASED);
    for (int i = 0; i < 8; i++) {
      Time.pass(LEASE / 4);
      long before = System.nanoTime();
      try {
        use.of(channel, queue);
      } catch (IOException gone) {
        assumeThat(Time.millisBetween(used, System.nanoTime()))
            .as("ms between two uses; a machine that stood still for a lease proves nothing")
            .isLessThan(LEASE);
        throw gone;
      }
      used = before;
    }
    assertThat(Time.millisBetween(used, presence.awaitGone(queue)))
        .isGreaterThanOrEqualTo(LEASE - 1.0);
  }

  @Test
  void publishingPurgingAndBindingDoNotRenewTheLease(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    Presence presence = new Presence(amqp);
    Channel channel = amqp.channel();
    long start = System.nanoTime();
    String queue = amqp.queue(LEASED);
    try {
      for (int i = 0; i < 3; i++) {
        Time.pass(LEASE / 5);
        channel.basicPublish("", queue, PLAIN, bytes("a"));
        channel.queueBind(queue, exchange, "k" + i);
        channel.queuePurge(queue);
      }
    } catch (IOException | AlreadyClosedException gone) {
      assertThat(Time.millisBetween(start, System.nanoTime()))
          .as("ms until the queue was deleted, on a machine too slow for three uses in a lease")
          .isGreaterThanOrEqualTo(LEASE - 1.0);
      return;
    }
    assumeThat(Time.millisBetween(start, presence.awaitGone(queue)))
        .as("ms until the queue was deleted; more proves nothing on a busy machine")
        .isLessThan(LEASE + 3 * LEASE / 5.0);
  }

  @Test
  void anUnacknowledgedGetDoesNotKeepTheQueue(Amqp amqp) throws Exception {
    Presence presence = new Presence(amqp);
    Leased<Got> leased =
        inTime(
            amqp,
            (channel, queue) -> {
              amqp.queue(queue, LEASED);
              amqp.publish(queue, "a");
              return Got.from(channel, queue);
            });
    presence.awaitGone(leased.queue());
    leased.by().acknowledge();
    Channel channel = leased.by().channel();
    channel.exchangeDeclarePassive("amq.direct");
    assertThat(channel.isOpen()).as("an ack of a message that went with its queue").isTrue();
  }

  @Test
  void anAutoDeleteQueueWithALeaseIsDeletedByTheFirstRuleThatApplies(Amqp amqp) throws Exception {
    Presence presence = new Presence(amqp);
    Channel channel = amqp.channel();
    String unused = amqp.name();
    channel.queueDeclare(unused, false, false, true, LEASED);
    presence.awaitGone(unused);

    String used = amqp.name();
    channel.queueDeclare(used, false, false, true, Map.of("x-expires", 600_000));
    amqp.consume(used).cancel();
    presence.awaitGone(used);
  }

  @Test
  void anExpiredQueueCanBeDeclaredAgain(Amqp amqp) throws Exception {
    Presence presence = new Presence(amqp);
    String queue = amqp.queue(Map.of("x-expires", 50));
    presence.awaitGone(queue);
    amqp.queue(queue, Map.of());
    amqp.publish(queue, "a");
    assertThat(amqp.get(queue)).isEqualTo("a");
  }

  @Test
  void badArgumentsAreRefused(Amqp amqp) throws Exception {
    refuses(amqp, 0, "{value_zero,0}");
    refuses(amqp, -1, "{value_negative,-1}");
    refuses(amqp, 315_360_000_001L, "{value_too_large,315360000001}");
    refuses(amqp, "1000", "\"expected integer, got longstr\"");
    refuses(amqp, List.of(), "\"expected integer, got array\"");
    amqp.queue(Map.of("x-expires", 315_360_000_000L));
  }

  private static void refuses(Amqp amqp, Object lease, String reason) throws Exception {
    Channel channel = amqp.newChannel();
    String name = amqp.name();
    Map<String, Object> arguments = new HashMap<>();
    arguments.put("x-expires", lease);
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid arg 'x-expires' for queue '"
            + name
            + "' in vhost '/': "
            + reason,
        () -> channel.queueDeclare(name, false, false, false, arguments));
  }
}
