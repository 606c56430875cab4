package io.mayflymq.it.queue;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishers that wait for room in full queues. */
@BlackBox
@MayflyOnly("RabbitMQ has no overflow 'block'")
class OverflowBlockIT extends PolicyFixture {
  private static final long LONG = Patience.SECONDS * 1000L;

  private static Map<String, Object> blocking(int length, Map<String, Object> more) {
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-max-length", length);
    arguments.put("x-overflow", "block");
    arguments.putIfAbsent("x-block-timeout", LONG);
    return arguments;
  }

  private static String declare(Amqp amqp, String type, Map<String, Object> arguments)
      throws Exception {
    String queue = amqp.name();
    Map<String, Object> all = new HashMap<>(arguments);
    all.put("x-queue-type", type);
    amqp.newChannel().queueDeclare(queue, true, false, false, all);
    return queue;
  }

  /** What publishers are told: confirmed numbers, refused ones as negative numbers. */
  private static BlockingQueue<Long> told(Channel channel) throws IOException {
    BlockingQueue<Long> told = new LinkedBlockingQueue<>();
    channel.confirmSelect();
    channel.addConfirmListener(
        (number, multiple) -> told.add(number), (number, multiple) -> told.add(-number));
    return told;
  }

  private static Long next(BlockingQueue<Long> told) throws InterruptedException {
    return told.poll(Patience.SECONDS, SECONDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void limitIsExactWithManyPublishersAndNothingIsLost(String type, Amqp amqp) throws Exception {
    int publishers = 4;
    int each = 50;
    int limit = 5;
    String queue = declare(amqp, type, blocking(limit, Map.of()));
    List<Channel> channels = new ArrayList<>();
    for (int publisher = 0; publisher < publishers; publisher++) {
      Channel channel = amqp.newConnection().createChannel();
      channel.confirmSelect();
      channels.add(channel);
      for (int number = 0; number < each; number++) {
        channel.basicPublish("", queue, null, Amqp.bytes(publisher + "-" + number));
      }
    }
    amqp.awaitReady(queue, limit);
    int[] next = new int[publishers];
    for (int taken = 0; taken < publishers * each; taken++) {
      assertThat(amqp.ready(queue)).isLessThanOrEqualTo(limit);
      String body =
          await()
              .atMost(Patience.TIME)
              .pollInSameThread()
              .pollDelay(Duration.ZERO)
              .pollInterval(Duration.ofMillis(5))
              .until(() -> amqp.get(queue), Objects::nonNull);
      String[] parts = body.split("-");
      int publisher = Integer.parseInt(parts[0]);
      assertThat(Integer.parseInt(parts[1])).as("in order").isEqualTo(next[publisher]++);
    }
    for (Channel channel : channels) {
      assertThat(channel.waitForConfirms(LONG)).isTrue();
    }
    assertThat(amqp.ready(queue)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void oneThatHasWaitedForTooLongIsRefused(String type, Amqp amqp) throws Exception {
    String queue = declare(amqp, type, blocking(1, Map.of("x-block-timeout", 500)));
    Connection connection = amqp.newConnection();
    BlockingQueue<String> blocked = new LinkedBlockingQueue<>();
    connection.addBlockedListener(blocked::add, () -> blocked.add("unblocked"));
    Channel channel = connection.createChannel();
    BlockingQueue<Long> told = told(channel);
    channel.basicPublish("", queue, null, Amqp.bytes("fits"));
    assertThat(next(told)).isEqualTo(1);
    long begin = System.nanoTime();
    channel.basicPublish("", queue, null, Amqp.bytes("does not"));
    assertThat(next(told)).isEqualTo(-2);
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(500_000_000);
    assertThat(blocked.poll(Patience.SECONDS, SECONDS))
        .isEqualTo("queue '%s' in vhost '/' is full".formatted(queue));
    assertThat(blocked.poll(Patience.SECONDS, SECONDS)).isEqualTo("unblocked");
    assertThat(amqp.ready(queue)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void connectionThatWaitsCanAcknowledge(String type, Amqp amqp) throws Exception {
    String queue = declare(amqp, type, blocking(1, Map.of("x-max-length-scope", "total")));
    Channel channel = amqp.newConnection().createChannel();
    BlockingQueue<Long> told = told(channel);
    channel.basicQos(1);
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    for (int number = 0; number < 20; number++) {
      channel.basicPublish("", queue, null, Amqp.bytes("m" + number));
    }
    for (int number = 0; number < 20; number++) {
      Deliveries.Delivery delivery = deliveries.next();
      assertThat(delivery.body()).isEqualTo("m" + number);
      channel.basicAck(delivery.tag(), false);
    }
    assertThat(channel.waitForConfirms(LONG)).isTrue();
    assertThat(told).allMatch(number -> number > 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void fullQueueHoldsUpNoOtherOne(String type, Amqp amqp) throws Exception {
    String full = declare(amqp, type, blocking(1, Map.of()));
    String other = amqp.queue();
    Channel channel = amqp.newConnection().createChannel();
    BlockingQueue<Long> told = told(channel);
    String exchange = amqp.name();
    channel.exchangeDeclare(exchange, "fanout", false, true, null);
    channel.queueBind(full, exchange, "");
    channel.queueBind(other, exchange, "");
    channel.basicPublish(exchange, "", null, Amqp.bytes("first"));
    assertThat(next(told)).isEqualTo(1);
    channel.basicPublish(exchange, "", null, Amqp.bytes("second"));
    channel.basicPublish("", other, null, Amqp.bytes("third"));
    amqp.awaitReady(other, 3);
    assertThat(next(told)).isEqualTo(3);
    assertThat(amqp.get(full)).isEqualTo("first");
    assertThat(next(told)).isEqualTo(2);
    assertThat(amqp.get(full)).isEqualTo("second");
  }

  @Test
  void fullQueuesThatDeadLetterToEachOtherGoOn(Amqp amqp) throws Exception {
    String first = amqp.name();
    Channel channel = amqp.newChannel();
    String second = amqp.queue(blocking(2, Amqp.deadLetterTo(first, Map.of())));
    channel.queueDeclare(
        first, false, false, true, blocking(2, Amqp.deadLetterTo(second, Map.of())));
    Channel publisher = amqp.newConnection().createChannel();
    publisher.confirmSelect();
    for (int number = 0; number < 4; number++) {
      publisher.basicPublish("", first, null, Amqp.bytes("a" + number));
      publisher.basicPublish("", second, null, Amqp.bytes("b" + number));
    }
    amqp.awaitReady(first, 2);
    amqp.awaitReady(second, 2);
    for (String queue : List.of(first, second, first, second)) {
      channel.basicReject(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false);
    }
    Deliveries one = Deliveries.from(amqp.newChannel(), first, true);
    Deliveries two = Deliveries.from(amqp.newChannel(), second, true);
    assertThat(publisher.waitForConfirms(LONG)).isTrue();
    one.next();
    two.next();
  }

  @Test
  void transactionWaitsWithItsCommit(Amqp amqp) throws Exception {
    String queue = declare(amqp, "classic", blocking(1, Map.of("x-block-timeout", 300)));
    Channel channel = amqp.newConnection().createChannel();
    channel.txSelect();
    channel.basicPublish("", queue, null, Amqp.bytes("first"));
    channel.txCommit();
    channel.basicPublish("", queue, null, Amqp.bytes("second"));
    assertThatThrownBy(channel::txCommit)
        .hasStackTraceContaining("PRECONDITION_FAILED - partial tx completion");
    assertThat(amqp.get(queue)).isEqualTo("first");
    assertThat(amqp.ready(queue)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void whatWaitsStaysWhenItsConnectionEnds(String type, Amqp amqp) throws Exception {
    String queue = declare(amqp, type, blocking(1, Map.of()));
    Connection connection = amqp.newConnection();
    BlockingQueue<String> blocked = new LinkedBlockingQueue<>();
    connection.addBlockedListener(blocked::add, () -> blocked.add("unblocked"));
    Channel channel = connection.createChannel();
    channel.basicPublish("", queue, null, Amqp.bytes("first"));
    channel.basicPublish("", queue, null, Amqp.bytes("second"));
    assertThat(blocked.poll(Patience.SECONDS, SECONDS)).contains("is full");
    connection.close();
    assertThat(amqp.get(queue)).isEqualTo("first");
    amqp.awaitReady(queue, 1);
    assertThat(amqp.get(queue)).isEqualTo("second");
  }

  @Test
  void veryMuchThatWaitsStopsTheReading(Amqp amqp) throws Exception {
    String queue = declare(amqp, "classic", blocking(1, Map.of()));
    Channel channel = amqp.newConnection().createChannel();
    channel.confirmSelect();
    byte[] body = new byte[100_000];
    Thread publishing =
        new Thread(
            () -> {
              try {
                for (int number = 0; number < 300; number++) {
                  channel.basicPublish("", queue, null, body);
                }
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    publishing.start();
    amqp.awaitReady(queue, 1);
    Deliveries deliveries = Deliveries.from(amqp.newChannel(), queue, true);
    for (int number = 0; number < 300; number++) {
      deliveries.next();
    }
    publishing.join(LONG);
    assertThat(channel.waitForConfirms(LONG)).isTrue();
  }

  @Test
  void httpIsRefusedAtOnce(Amqp amqp) throws Exception {
    String queue = declare(amqp, "classic", blocking(1, Map.of()));
    amqp.publish(queue, "first");
    amqp.awaitReady(queue, 1);
    Http.Reply refused =
        http.post(
            "exchanges/%2F/amq.default/publish",
            ("{\"properties\":{},\"routing_key\":\"%s\",\"payload\":\"x\","
                    + "\"payload_encoding\":\"string\"}")
                .formatted(queue));
    assertThat(refused.raw().body()).isEqualTo("{\"routed\":false}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void policySetsIt(String type, Amqp amqp) throws Exception {
    String queue = declare(amqp, type, Map.of());
    http.put(
        "policies/%2F/" + name,
        policy(queue, "{\"max-length\":1,\"overflow\":\"block\",\"block-timeout\":\"1h\"}"));
    Channel channel = amqp.newConnection().createChannel();
    BlockingQueue<Long> told = told(channel);
    channel.basicPublish("", queue, null, Amqp.bytes("first"));
    assertThat(next(told)).isEqualTo(1);
    channel.basicPublish("", queue, null, Amqp.bytes("second"));
    Deliveries nothing = Deliveries.from(amqp.newChannel(), amqp.queue(), true);
    nothing.assertNothing();
    assertThat(told).isEmpty();
    http.delete("policies/%2F/" + name);
    assertThat(next(told)).isEqualTo(2);
    assertThat(amqp.ready(queue)).isEqualTo(2);
  }

  @Test
  void wrongValuesAreNamed(Amqp amqp) throws Exception {
    String queue = amqp.name();
    assertThatThrownBy(
            () ->
                amqp.newChannel()
                    .queueDeclare(queue, false, false, false, Map.of("x-overflow", "wait")))
        .hasStackTraceContaining("invalid arg 'x-overflow' for queue '" + queue + "'")
        .hasStackTraceContaining("invalid_overflow");
    assertThatThrownBy(
            () ->
                amqp.newChannel()
                    .queueDeclare(queue, false, false, false, Map.of("x-block-timeout", "soon")))
        .hasStackTraceContaining("<<\"soon\">> is not a time such as 30000 (ms) or 30s");
    assertThat(
            http.put("policies/%2F/" + name, policy(queue, "{\"block-timeout\":0}")).raw().body())
        .contains("0 is not a time such as 30000 (ms) or 30s");
  }
}
