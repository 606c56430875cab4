package io.mayflymq.it.channel;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.headers;
import static io.mayflymq.it.harness.Amqp.text;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.ChannelErrors.assertConnectionError;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.RawWriter;
import java.io.DataInputStream;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishing: what arrives as it was sent, what is confirmed, what comes back. */
@BlackBox
class PublishIT {

  @Test
  void orderIsKeptPerChannel(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    Deliveries consumer = amqp.consume(queue);
    for (int i = 0; i < 2000; i++) {
      channel.basicPublish("", queue, PLAIN, bytes("m" + i));
    }
    for (int i = 0; i < 2000; i++) {
      assertThat(consumer.next().body()).isEqualTo("m" + i);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4087, 4088, 4089, 131_063, 131_064, 131_065, 262_128, 1_000_000})
  void bodiesOfEverySizeArrive(int size, Amqp amqp) throws Exception {
    byte[] body = new byte[size];
    new Random(size).nextBytes(body);
    String queue = amqp.queue();
    amqp.channel().basicPublish("", queue, PLAIN, body);
    assertThat(amqp.consume(queue).next().bytes()).isEqualTo(body);
  }

  @Test
  void everyPropertyArrives(Amqp amqp) throws Exception {
    BasicProperties sent =
        new BasicProperties.Builder()
            .contentType("text/plain")
            .contentEncoding("gzip")
            .deliveryMode(2)
            .priority(9)
            .correlationId("correlation")
            .replyTo("reply")
            .expiration("600000")
            .messageId("message")
            .timestamp(Date.from(Instant.ofEpochSecond(1_700_000_000)))
            .type("type")
            .userId("guest")
            .appId("app")
            .clusterId("cluster")
            .build();
    String queue = amqp.queue();
    amqp.channel().basicPublish("", queue, sent, bytes("a"));
    assertThat(amqp.consume(queue).next().properties()).isEqualTo(sent);
  }

  @Test
  void everyHeaderTypeArrives(Amqp amqp) throws Exception {
    Map<String, Object> sent = new HashMap<>();
    sent.put("bool", true);
    sent.put("byte", (byte) -5);
    sent.put("short", (short) -500);
    sent.put("int", -5_000_000);
    sent.put("long", Long.MIN_VALUE);
    sent.put("float", 1.5f);
    sent.put("double", Math.PI);
    sent.put("decimal", new BigDecimal("12345.67"));
    sent.put("timestamp", Date.from(Instant.ofEpochSecond(1_700_000_000)));
    sent.put("binary", new byte[] {0, 1, -1});
    sent.put("void", null);
    sent.put("list", Arrays.asList(1, (short) 2, null, List.of(3L)));
    sent.put("table", Map.of("inner", Map.of("deep", 1)));
    sent.put("", "an empty name");
    String queue = amqp.queue();
    amqp.channel().basicPublish("", queue, headers(sent), bytes("a"));
    Map<String, Object> got = amqp.consume(queue).next().properties().getHeaders();
    assertThat(got.remove("")).hasToString("an empty name");
    sent.remove("");
    assertThat((byte[]) got.remove("binary")).containsExactly(0, 1, -1);
    sent.remove("binary");
    assertThat(got).isEqualTo(sent);
  }

  @Test
  void longStringsCanHoldAnyBytes(Amqp amqp) throws Exception {
    String value = "ä€😀".repeat(5_000);
    String queue = amqp.queue();
    amqp.channel().basicPublish("", queue, headers(Map.of("text", value)), bytes("a"));
    Object got = amqp.consume(queue).next().properties().getHeaders().get("text");
    assertThat(((LongString) got).toString()).isEqualTo(value);
  }

  @Test
  void deliveriesCarryExchangeAndRoutingKey(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.TOPIC);
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "#");
    amqp.channel().basicPublish(exchange, "the.key", PLAIN, bytes("a"));
    Deliveries.Delivery delivery = amqp.consume(queue).next();
    assertThat(delivery.envelope().getExchange()).isEqualTo(exchange);
    assertThat(delivery.envelope().getRoutingKey()).isEqualTo("the.key");
    assertThat(delivery.tag()).isEqualTo(1);
    assertThat(delivery.redelivered()).isFalse();
  }

  @Test
  void everyPublishIsConfirmedOnce(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.newChannel();
    channel.confirmSelect();
    channel.confirmSelect();
    int count = 1000;
    BitSet settled = new BitSet();
    List<String> wrong = new CopyOnWriteArrayList<>();
    CountDownLatch open = new CountDownLatch(count);
    channel.addConfirmListener(
        (tag, multiple) -> {
          if (!multiple && settled.get((int) tag)) {
            wrong.add(tag + " confirmed twice");
          }
          for (int i = multiple ? 1 : (int) tag; i <= tag; i++) {
            if (!settled.get(i)) {
              settled.set(i);
              open.countDown();
            }
          }
        },
        (tag, multiple) -> wrong.add(tag + " refused"));
    for (int i = 0; i < count; i++) {
      assertThat(channel.getNextPublishSeqNo()).isEqualTo(i + 1);
      BasicProperties properties = i % 3 == 0 ? MessageProperties.PERSISTENT_BASIC : PLAIN;
      channel.basicPublish("", i % 5 == 0 ? "no such queue" : queue, properties, bytes("a"));
    }
    assertThat(open.await(Patience.SECONDS, SECONDS)).as("all are confirmed").isTrue();
    assertThat(wrong).isEmpty();
    channel.exchangeDeclarePassive("amq.direct");
    assertThat(settled.length()).as("no confirm beyond the last").isEqualTo(count + 1);
  }

  @Test
  void confirmsAreCombinedWithMultiple(Amqp amqp) throws Exception {
    int count = 5_000;
    String queue = amqp.queue();
    try (RawClient client = RawClient.openChannel(amqp.target().port())) {
      client.method(1, RawWriter.method(85, 10).uint8(0)).expect(85, 11);
      RawWriter burst = new RawWriter();
      byte[] publish =
          RawWriter.method(60, 40).uint16(0).shortString("").shortString(queue).uint8(0).toBytes();
      for (int i = 0; i < count; i++) {
        burst.raw(RawClient.encode(RawFrame.METHOD, 1, publish));
        burst.raw(RawClient.encode(RawFrame.HEADER, 1, RawClient.header(60, 0)));
      }
      client.raw(burst.toBytes());
      int frames = 0;
      for (long settled = 0; settled < count; frames++) {
        DataInputStream ack = client.expect(60, 80).arguments();
        long tag = ack.readLong();
        settled = ack.readBoolean() ? Math.max(settled, tag) : settled + 1;
      }
      assertThat(frames).isLessThan(count / 2);
    }
    assertThat(amqp.ready(queue)).isEqualTo(count);
  }

  /**
   * The socket is closed while most messages still wait: for the next turn of their connection, and
   * for the other shards, which have more than 4 MB of them to take. One of two connections is on
   * the loop of another shard than the queues.
   */
  @Test
  void messagesThatWereSentBeforeTheSocketWasClosedArriveInOrder(Amqp amqp) throws Exception {
    int count = 1_000;
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    List<String> queues = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      queues.add(amqp.queue());
      amqp.bind(queues.get(i), exchange, "");
    }
    for (int connection = 1; connection <= 2; connection++) {
      RawWriter all = new RawWriter();
      for (int i = 0; i < count; i++) {
        publish(all, exchange, "", "m" + i + " ".repeat(500));
      }
      try (RawClient client = RawClient.openChannel(amqp.target().port())) {
        client.raw(all.toBytes());
      }
      for (String queue : queues) {
        amqp.awaitReady(queue, (long) count * connection);
      }
    }
    Deliveries consumer = amqp.consume(queues.get(queues.size() - 1));
    for (int i = 0; i < 2 * count; i++) {
      assertThat(consumer.next().body().trim()).isEqualTo("m" + i % count);
    }
  }

  /** The socket is closed while the answer of a method is awaited; the messages behind it count. */
  @Test
  void messagesBehindAMethodThatWaitsArriveThoughTheSocketIsClosed(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    for (int connection = 1; connection <= 10; connection++) {
      String other = amqp.name();
      RawWriter all = new RawWriter();
      all.raw(
          RawClient.encode(
              RawFrame.METHOD,
              1,
              RawWriter.method(50, 10).uint16(0).shortString(other).uint8(2).uint32(0).toBytes()));
      publish(all, "", queue, "behind a declaration");
      try (RawClient client = RawClient.openChannel(amqp.target().port())) {
        client.raw(all.toBytes());
      }
      amqp.awaitReady(queue, connection);
      amqp.channel().queueDelete(other);
    }
  }

  private static void publish(RawWriter all, String exchange, String key, String text) {
    byte[] body = bytes(text);
    byte[] publish =
        RawWriter.method(60, 40)
            .uint16(0)
            .shortString(exchange)
            .shortString(key)
            .uint8(0)
            .toBytes();
    all.raw(RawClient.encode(RawFrame.METHOD, 1, publish));
    all.raw(RawClient.encode(RawFrame.HEADER, 1, RawClient.header(60, body.length)));
    all.raw(RawClient.encode(RawFrame.BODY, 1, body));
  }

  @Test
  void aConfirmedMessageIsInItsQueue(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel other = amqp.newConnection().createChannel();
    for (int i = 0; i < 50; i++) {
      amqp.publish(queue, "m" + i);
      GetResponse got = other.basicGet(queue, true);
      assertThat(got).isNotNull();
      assertThat(text(got.getBody())).isEqualTo("m" + i);
    }
  }

  @Test
  void aDurableQueueConfirmsPersistentMessages(Amqp amqp) throws Exception {
    String queue = amqp.name();
    Channel channel = amqp.confirming();
    channel.queueDeclare(queue, true, false, false, Map.of());
    for (int i = 0; i < 100; i++) {
      channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, bytes("m" + i));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.ready(queue)).isEqualTo(100);
  }

  @Test
  void anUnroutableMandatoryMessageIsReturnedBeforeItsConfirm(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    Channel channel = amqp.confirming();
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    channel.addReturnListener(
        message -> {
          events.add(
              "return "
                  + message.getReplyCode()
                  + " "
                  + message.getReplyText()
                  + " "
                  + text(message.getBody())
                  + " "
                  + message.getProperties().getMessageId());
          events.add(message.getExchange() + " " + message.getRoutingKey());
        });
    channel.addConfirmListener(
        (tag, multiple) -> events.add("ack " + tag), (tag, multiple) -> events.add("nack " + tag));
    BasicProperties properties = new BasicProperties.Builder().messageId("id").build();
    channel.basicPublish(exchange, "nowhere", true, properties, bytes("body"));
    assertThat(events.poll(Patience.SECONDS, SECONDS)).isEqualTo("return 312 NO_ROUTE body id");
    assertThat(events.poll(Patience.SECONDS, SECONDS)).isEqualTo(exchange + " nowhere");
    assertThat(events.poll(Patience.SECONDS, SECONDS)).isEqualTo("ack 1");
  }

  @Test
  void aMandatoryMessageIsReturnedWithoutConfirmsToo(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    BlockingQueue<String> returned = new LinkedBlockingQueue<>();
    channel.addReturnListener(message -> returned.add(text(message.getBody())));
    String queue = amqp.queue();
    byte[] large = new byte[300_000];
    Arrays.fill(large, (byte) 'x');
    channel.basicPublish("", queue, true, PLAIN, bytes("routed"));
    channel.basicPublish("", "no such queue", true, PLAIN, bytes(""));
    channel.basicPublish("", "no such queue", true, PLAIN, large);
    assertThat(returned.poll(Patience.SECONDS, SECONDS)).isEmpty();
    assertThat(returned.poll(Patience.SECONDS, SECONDS)).isEqualTo(text(large));
    assertThat(amqp.drain(queue)).containsExactly("routed");
    assertThat(returned).isEmpty();
  }

  @Test
  void anUnroutableMessageThatIsNotMandatoryIsConfirmedAndDropped(Amqp amqp) throws Exception {
    Channel channel = amqp.confirming();
    channel.addReturnListener(
        message -> {
          throw new AssertionError("returned although it was not mandatory");
        });
    channel.basicPublish("", "no such queue", PLAIN, bytes("a"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  @Test
  void immediateIsNotImplemented(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Connection connection = amqp.newConnection();
    Channel channel = connection.createChannel();
    assertConnectionError(
        connection,
        540,
        "NOT_IMPLEMENTED - immediate=true",
        () -> channel.basicPublish("", queue, false, true, PLAIN, bytes("a")));
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void theUserIdMustBeTheNameOfTheUser(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - user_id property set to 'somebody' but authenticated user was"
            + " 'guest'",
        () ->
            channel.basicPublish(
                "", queue, new BasicProperties.Builder().userId("somebody").build(), bytes("a")));
  }

  @Test
  void confirmAndTransactionsExcludeEachOther(Amqp amqp) throws Exception {
    Channel confirm = amqp.newChannel();
    confirm.confirmSelect();
    assertChannelError(
        confirm,
        406,
        "PRECONDITION_FAILED - cannot switch from confirm to tx mode",
        confirm::txSelect);
    Channel tx = amqp.newChannel();
    tx.txSelect();
    assertChannelError(
        tx, 406, "PRECONDITION_FAILED - cannot switch from tx to confirm mode", tx::confirmSelect);
  }
}
