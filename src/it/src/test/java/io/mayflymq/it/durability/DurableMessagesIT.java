package io.mayflymq.it.durability;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.RestartedBroker.PERSISTENT;
import static io.mayflymq.it.harness.RestartedBroker.TRANSIENT;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.RestartedTogether;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Confirmed messages are unchanged after a stop or a kill of the broker. */
@RestartedTogether
@Timeout(value = 3, unit = MINUTES)
class DurableMessagesIT {
  private RestartedBroker broker;

  @ParameterizedTest
  @EnumSource
  void persistentMessagesKeepEverything(Ending ending) throws Exception {
    broker.channel().exchangeDeclare("x", BuiltinExchangeType.TOPIC, true);
    broker.queue("q");
    broker.channel().queueBind("q", "x", "#");
    Map<String, Object> headers =
        Map.of(
            "text",
            "ü",
            "long",
            Long.MIN_VALUE,
            "true",
            true,
            "decimal",
            new BigDecimal("1.25"),
            "list",
            List.of("a", 1, Map.of("deep", 2.5)),
            "bytes of headers",
            "h".repeat(5_000));
    BasicProperties everything =
        new BasicProperties.Builder()
            .contentType("text/plain")
            .contentEncoding("identity")
            .headers(headers)
            .deliveryMode(2)
            .priority(7)
            .correlationId("correlation")
            .replyTo("reply")
            .expiration("3600000")
            .messageId("id")
            .timestamp(Date.from(Instant.ofEpochSecond(1_700_000_000)))
            .type("type")
            .userId("guest")
            .appId("app")
            .build();
    broker.publisher().basicPublish("x", "a.b.c", everything, bytes("everything"));
    broker.publisher().basicPublish("", "q", PERSISTENT, new byte[0]);
    broker.awaitConfirms();
    broker.restart(ending);

    GetResponse first = broker.get("q");
    assertThat(RestartedBroker.body(first)).isEqualTo("everything");
    assertThat(first.getEnvelope().getExchange()).isEqualTo("x");
    assertThat(first.getEnvelope().getRoutingKey()).isEqualTo("a.b.c");
    assertThat(first.getEnvelope().isRedeliver()).isFalse();
    assertThat(Headers.of(first.getProps())).isEqualTo(headers);
    assertThat(first.getProps().toString())
        .isEqualTo(everything.builder().headers(first.getProps().getHeaders()).build().toString());
    GetResponse second = broker.get("q");
    assertThat(second.getBody()).isEmpty();
    assertThat(second.getEnvelope().getExchange()).isEmpty();
    assertThat(second.getProps()).isEqualTo(PERSISTENT);
    assertThat(broker.get("q")).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void orderIsKeptAndTransientMessagesAreLost(Ending ending) throws Exception {
    broker.queue("q");
    broker.channel().queueDeclare("transient", false, false, false, null);
    broker.channel().queueDeclare("exclusive", true, true, false, null);
    for (int i = 0; i < 1_000; i++) {
      broker.publisher().basicPublish("", "q", PERSISTENT, bytes("p" + i));
      broker.publisher().basicPublish("", "q", TRANSIENT, bytes("t" + i));
      broker.publisher().basicPublish("", "transient", PERSISTENT, bytes("t" + i));
      broker.publisher().basicPublish("", "exclusive", PERSISTENT, bytes("t" + i));
    }
    broker.awaitConfirms();
    broker.restart(ending);

    broker.queue("q");
    broker.channel().queueDeclare("transient", false, false, false, null);
    broker.queue("exclusive");
    assertThat(broker.bodies("q")).isEqualTo(numbered("p", 0, 1_000));
    assertThat(broker.bodies("transient")).isEmpty();
    assertThat(broker.bodies("exclusive")).isEmpty();
  }

  /** As in RabbitMQ: also those that some libraries send without a delivery mode. */
  @ParameterizedTest
  @EnumSource
  void quorumQueuesKeepTransientMessages(Ending ending) throws Exception {
    broker.queue("dead", Map.of("x-queue-type", "quorum"));
    Map<String, Object> arguments =
        Map.of(
            "x-queue-type",
            "quorum",
            "x-dead-letter-exchange",
            "",
            "x-dead-letter-routing-key",
            "dead");
    broker.queue("q", arguments);
    BasicProperties unspecified = new BasicProperties.Builder().messageId("id").build();
    broker.publisher().basicPublish("", "q", unspecified, bytes("refused"));
    broker.publisher().basicPublish("", "q", unspecified, bytes("held"));
    for (int i = 0; i < 100; i++) {
      broker
          .publisher()
          .basicPublish("", "q", i % 2 == 0 ? TRANSIENT : unspecified, bytes("t" + i));
    }
    broker.awaitConfirms();
    Channel channel = broker.channel();
    channel.basicReject(channel.basicGet("q", false).getEnvelope().getDeliveryTag(), false);
    await().until(() -> channel.messageCount("dead") == 1);
    channel.basicGet("q", false);
    broker.restart(ending);

    assertThat(broker.bodies("dead")).containsExactly("refused");
    GetResponse held = broker.get("q");
    assertThat(RestartedBroker.body(held)).isEqualTo("held");
    assertThat(held.getEnvelope().isRedeliver()).isTrue();
    assertThat(held.getProps().getMessageId()).isEqualTo("id");
    assertThat(held.getProps().getDeliveryMode()).isNull();
    assertThat(broker.get("q").getProps().getDeliveryMode()).isEqualTo(1);
    assertThat(broker.bodies("q")).isEqualTo(numbered("t", 1, 100));
  }

  @ParameterizedTest
  @EnumSource
  void prioritiesOfQuorumQueuesAreKept(Ending ending) throws Exception {
    broker.queue("q", Map.of("x-queue-type", "quorum"));
    for (Integer priority : new Integer[] {null, 0, 4, 31, 200, 3}) {
      broker
          .publisher()
          .basicPublish(
              "", "q", PERSISTENT.builder().priority(priority).build(), bytes("p" + priority));
    }
    broker.awaitConfirms();
    broker.restart(ending);

    broker.publish("q", PERSISTENT.builder().priority(5).build(), bytes("later"));
    assertThat(broker.bodies("q"))
        .containsExactly("p31", "p200", "later", "pnull", "p4", "p3", "p0");
  }

  @ParameterizedTest
  @EnumSource
  void settledMessagesStayDeletedAfterARestart(Ending ending) throws Exception {
    broker.queue("q");
    broker.publish("q", strings("m", 10));
    Channel channel = broker.channel();
    channel.basicAck(channel.basicGet("q", false).getEnvelope().getDeliveryTag(), false);
    channel.basicReject(channel.basicGet("q", false).getEnvelope().getDeliveryTag(), false);
    channel.basicNack(channel.basicGet("q", false).getEnvelope().getDeliveryTag(), false, false);
    channel.basicGet("q", true);
    channel.basicGet("q", false);
    long tag = channel.basicGet("q", false).getEnvelope().getDeliveryTag();
    channel.basicAck(tag, true);
    broker.letSettle();
    broker.restart(ending);

    assertThat(broker.flaggedBodies("q")).containsExactly("m6", "m7", "m8", "m9");
    broker.letSettle();
    broker.restart(ending);
    assertThat(broker.bodies("q")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void unacknowledgedMessagesKeepTheirPositionAndAreRedelivered(Ending ending) throws Exception {
    broker.queue("q");
    broker.publish("q", strings("m", 8));
    Channel channel = broker.channel();
    long[] tags = new long[5];
    for (int i = 0; i < tags.length; i++) {
      tags[i] = channel.basicGet("q", false).getEnvelope().getDeliveryTag();
    }
    channel.basicAck(tags[1], false);
    channel.basicReject(tags[3], true);
    broker.letSettle();
    broker.publish("q", "last");
    broker.restart(ending);

    assertThat(broker.flaggedBodies("q"))
        .containsExactly("m0*", "m2*", "m3*", "m4*", "m5", "m6", "m7", "last");
  }

  @ParameterizedTest
  @EnumSource
  void multipleAcknowledgementsSurviveARestart(Ending ending) throws Exception {
    broker.queue("q");
    broker.publish("q", strings("m", 100));
    Channel channel = broker.channel();
    for (int i = 0; i < 100; i++) {
      channel.basicGet("q", false);
    }
    channel.basicAck(30, true);
    channel.basicNack(50, true, false);
    channel.basicAck(60, false);
    channel.basicAck(70, false);
    channel.basicNack(80, false, true);
    broker.letSettle();
    broker.publish("q", "last");
    broker.restart(ending);

    List<String> left =
        IntStream.range(50, 100)
            .filter(i -> i != 59 && i != 69)
            .mapToObj(i -> "m" + i + "*")
            .toList();
    List<String> found = broker.flaggedBodies("q");
    assertThat(found.subList(0, found.size() - 1)).isEqualTo(left);
    assertThat(found.get(found.size() - 1)).isEqualTo("last");
  }

  @ParameterizedTest
  @EnumSource
  void purgedAndDeletedQueuesStayEmpty(Ending ending) throws Exception {
    for (String queue : List.of("purged", "deleted", "again", "other")) {
      broker.queue(queue);
      broker.publish(queue, strings(queue, 50));
    }
    assertThat(broker.channel().queuePurge("purged").getMessageCount()).isEqualTo(50);
    broker.channel().queueDelete("deleted");
    broker.channel().queueDelete("again");
    broker.queue("again");
    broker.publish("purged", "after the purge");
    broker.publish("again", "after the deletion");
    broker.letSettle();
    broker.restart(ending);

    broker.queue("deleted");
    assertThat(broker.bodies("deleted")).isEmpty();
    assertThat(broker.bodies("purged")).containsExactly("after the purge");
    assertThat(broker.bodies("again")).containsExactly("after the deletion");
    broker.publish("deleted", "a new life");
    broker.letSettle();
    broker.restart(ending);
    assertThat(broker.bodies("deleted")).containsExactly("a new life");
    assertThat(broker.bodies("purged")).isEmpty();
    assertThat(broker.bodies("again")).isEmpty();
    assertThat(broker.bodies("other")).isEqualTo(numbered("other", 0, 50));
  }

  @ParameterizedTest
  @EnumSource
  void aMessageInSeveralQueuesIsSettledInEach(Ending ending) throws Exception {
    broker.channel().exchangeDeclare("x", BuiltinExchangeType.FANOUT, true);
    for (int i = 0; i < 6; i++) {
      broker.channel().queueBind(broker.queue("q" + i), "x", "");
    }
    broker.channel().queueDeclare("transient", false, false, false, null);
    broker.channel().queueBind("transient", "x", "");
    for (int i = 0; i < 20; i++) {
      broker.publisher().basicPublish("x", "", PERSISTENT, bytes("m" + i));
    }
    broker.awaitConfirms();
    broker.bodies("q0");
    for (int i = 0; i < 10; i++) {
      broker.get("q1");
    }
    broker.channel().queueDelete("q2");
    broker.letSettle();
    broker.restart(ending);

    assertThat(broker.bodies("q0")).isEmpty();
    assertThat(broker.bodies("q1")).isEqualTo(numbered("m", 10, 20));
    for (int i = 3; i < 6; i++) {
      assertThat(broker.bodies("q" + i)).isEqualTo(numbered("m", 0, 20));
    }
  }

  @ParameterizedTest
  @EnumSource
  void committedTransactionsSurviveCompletely(Ending ending) throws Exception {
    for (int i = 0; i < 4; i++) {
      broker.queue("q" + i);
    }
    broker.publish("q0", "moved", "kept");
    Channel channel = broker.connect().createChannel();
    channel.txSelect();
    channel.basicAck(channel.basicGet("q0", false).getEnvelope().getDeliveryTag(), false);
    for (int i = 0; i < 40; i++) {
      channel.basicPublish("", "q" + i % 4, PERSISTENT, bytes("m" + i));
    }
    channel.txCommit();
    for (int i = 40; i < 80; i++) {
      channel.basicPublish("", "q" + i % 4, PERSISTENT, bytes("never committed"));
    }
    channel.basicAck(channel.basicGet("q0", false).getEnvelope().getDeliveryTag(), false);
    broker.restart(ending);

    for (int i = 0; i < 4; i++) {
      int queue = i;
      List<String> all =
          IntStream.range(0, 40).filter(m -> m % 4 == queue).mapToObj(m -> "m" + m).toList();
      List<String> found = broker.bodies("q" + i);
      assertThat(i == 0 ? found.subList(1, found.size()) : found).isEqualTo(all);
      if (i == 0) {
        assertThat(found.get(0)).isEqualTo("kept");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void persistentTransientAndUnroutablePublishesAreConfirmed(Ending ending) throws Exception {
    broker.queue("q");
    Set<String> returned = new ConcurrentSkipListSet<>();
    Channel channel = broker.publisher();
    channel.addReturnListener(message -> returned.add(Amqp.text(message.getBody())));
    for (int i = 0; i < 300; i++) {
      switch (i % 3) {
        case 0 -> channel.basicPublish("", "q", true, PERSISTENT, bytes("m" + i));
        case 1 -> channel.basicPublish("", "nowhere", true, PERSISTENT, bytes("m" + i));
        default -> channel.basicPublish("", "q", TRANSIENT, bytes("m" + i));
      }
    }
    broker.awaitConfirms();
    assertThat(returned).hasSize(100);
    broker.restart(ending);

    assertThat(broker.bodies("q"))
        .isEqualTo(IntStream.range(0, 300).filter(i -> i % 3 == 0).mapToObj(i -> "m" + i).toList());
  }

  /** Uses sizes around those of a frame, a write buffer and a segment. */
  @ParameterizedTest
  @EnumSource
  void bigMessagesSurviveARestart(Ending ending) throws Exception {
    int[] sizes = {0, 1, 4_095, 131_064, 131_065, 262_144, 5_000_000, 1, 70_000_000, 5_000_000, 2};
    broker.queue("q");
    for (int i = 0; i < sizes.length; i++) {
      broker.publish("q", PERSISTENT, random(i, sizes[i]));
    }
    broker.restart(ending);

    for (int i = 0; i < sizes.length; i++) {
      GetResponse got = broker.get("q");
      assertThat(got).as("message %s of %s bytes", i, sizes[i]).isNotNull();
      assertThat(Arrays.equals(got.getBody(), random(i, sizes[i])))
          .as("message %s of %s bytes", i, sizes[i])
          .isTrue();
    }
    assertThat(broker.get("q")).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void tenThousandQueuesWithOneMessageEachSurviveARestart(Ending ending) throws Exception {
    int queues = 10_000;
    for (int i = 0; i < queues; i++) {
      if (i % 500 == 499) {
        broker.queue("q" + i);
      } else {
        broker.channel().queueDeclareNoWait("q" + i, true, false, false, null);
      }
    }
    for (int i = 0; i < queues; i++) {
      broker.publisher().basicPublish("", "q" + i, PERSISTENT, bytes("m" + i));
    }
    broker.awaitConfirms();
    broker.restart(ending);

    for (int i = 0; i < queues; i++) {
      GetResponse got = broker.get("q" + i);
      assertThat(got).as("the message of q%s", i).isNotNull();
      assertThat(got.getBody()).isEqualTo(bytes("m" + i));
      assertThat(got.getMessageCount()).isZero();
    }
  }

  /** Each start continues with the state of the one before, also with an empty one. */
  @ParameterizedTest
  @EnumSource
  void messagesSurviveManyRestartsInARow(Ending ending) throws Exception {
    broker.queue("grows");
    broker.queue("empties");
    broker.queue("keeps");
    broker.publish("keeps", "first");
    for (int life = 0; life < 4; life++) {
      broker.publish("grows", "a" + life, "b" + life, "c" + life);
      broker.publish("empties", "x" + life);
      broker.restart(ending);
      assertThat(broker.get("grows")).isNotNull();
      assertThat(broker.bodies("empties")).containsExactly("x" + life);
      broker.letSettle();
      broker.restart(ending);
    }
    assertThat(broker.bodies("grows"))
        .containsExactly("b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3");
    assertThat(broker.bodies("empties")).isEmpty();
    assertThat(broker.bodies("keeps")).containsExactly("first");
  }

  private static String[] strings(String prefix, int count) {
    return numbered(prefix, 0, count).toArray(String[]::new);
  }

  private static List<String> numbered(String prefix, int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> prefix + i).toList();
  }

  private static byte[] random(long seed, int size) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @EnumSource
  void anXDeathHeaderIsThatOfThePublisherAfterARestartToo(Ending ending) throws Exception {
    Map<String, Object> death =
        Map.of(
            "queue",
            "classic",
            "reason",
            "rejected",
            "exchange",
            "",
            "routing-keys",
            List.of("classic"),
            "time",
            Date.from(Instant.ofEpochSecond(1_000_000_000)),
            "count",
            5L);
    Map<String, Object> published = Map.of("x-death", List.of(death));
    broker.queue("dead");
    for (String type : List.of("classic", "quorum")) {
      broker.queue(type, deadLetterTo("dead", Map.of("x-queue-type", type)));
      broker.publish(type, PERSISTENT.builder().headers(published).build(), bytes(type));
    }
    broker.restart(ending);
    for (String type : List.of("classic", "quorum")) {
      Channel channel = broker.channel();
      GetResponse arrived = channel.basicGet(type, false);
      assertThat(Headers.deaths(arrived.getProps())).containsExactly(death);
      channel.basicReject(arrived.getEnvelope().getDeliveryTag(), false);
      channel.close();
      GetResponse dead = await().until(() -> broker.get("dead"), Objects::nonNull);
      assertThat(Headers.history(dead.getProps())).containsExactly("rejected " + type + " 1");
    }
  }
}
