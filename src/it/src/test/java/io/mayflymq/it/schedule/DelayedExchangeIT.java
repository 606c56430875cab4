package io.mayflymq.it.schedule;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.Amqp.headers;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
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
import io.mayflymq.it.harness.Patience;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the delayed exchange as programs for RabbitMQ's plugin use it. */
@BlackBox
@MayflyOnly("the plugin is not part of RabbitMQ")
class DelayedExchangeIT {
  private static final long TEN_YEARS = 315_532_800_000L;

  private static String delayed(Amqp amqp, String type) throws Exception {
    return delayed(amqp, type, Map.of());
  }

  private static String delayed(Amqp amqp, String type, Map<String, Object> more) throws Exception {
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-delayed-type", type);
    String name = amqp.name();
    amqp.channel().exchangeDeclare(name, "x-delayed-message", false, false, arguments);
    return name;
  }

  private static BasicProperties delay(Object millis) {
    return headers(Map.of("x-delay", millis));
  }

  /** Publishes a message whose body is the time of the publish, and waits for its confirm. */
  private static void publish(Amqp amqp, String exchange, String key, Object delay)
      throws Exception {
    Channel channel = amqp.confirming();
    channel.basicPublish(exchange, key, delay(delay), bytes(Long.toString(System.nanoTime())));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  private static long millisAfter(Delivery delivery) {
    return (delivery.nanos() - Long.parseLong(delivery.body())) / 1_000_000;
  }

  @Test
  void delayedMessagesArriveInTheOrderOfTheirDelays(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "direct");
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "");
    Deliveries deliveries = amqp.consume(queue);
    Channel channel = amqp.channel();
    List<Integer> delays = List.of(2_500, 500, 1_500, 1_000, 500, 2_000);
    for (int delay : delays) {
      channel.basicPublish(exchange, "", delay(delay), bytes(Long.toString(System.nanoTime())));
    }
    for (int delay : delays.stream().sorted().toList()) {
      Delivery delivery = deliveries.next();
      assertThat(Headers.of(delivery.properties())).containsEntry("x-delay", (long) -delay);
      assertThat(millisAfter(delivery))
          .isBetween((long) delay, delay + (long) Patience.FORGOTTEN_MILLIS);
      assertThat(delivery.envelope().getExchange()).isEqualTo(exchange);
      assertThat(delivery.redelivered()).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("delays")
  void theDelayCanBeANumberOfAnyType(Object delay, Object negated, Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "fanout");
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "");
    publish(amqp, exchange, "", delay);
    Delivery delivery = amqp.consume(queue).next();
    assertThat(millisAfter(delivery)).isGreaterThanOrEqualTo(100);
    assertThat(Headers.of(delivery.properties())).containsEntry("x-delay", negated);
  }

  static List<Object[]> delays() {
    return List.of(
        new Object[] {(byte) 100, -100L},
        new Object[] {(short) 150, -150L},
        new Object[] {150, -150L},
        new Object[] {150L, -150L},
        new Object[] {"150", -150L},
        new Object[] {150.9, -150L},
        new Object[] {150.9f, -150L});
  }

  @ParameterizedTest
  @MethodSource("noDelays")
  void anInvalidDelayIsRoutedImmediatelyAndUnchanged(Object header, Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "fanout");
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "");
    publish(amqp, exchange, "", header);
    assertThat(amqp.ready(queue)).isEqualTo(1);
    assertThat(Headers.of(amqp.consume(queue).next().properties()))
        .containsEntry("x-delay", header);
  }

  static List<Object> noDelays() {
    return List.of(0, -1, -5_000, "soon", true, new BigDecimal("1.5"), List.of(1));
  }

  @Test
  void aMessageWithoutXDelayIsRoutedImmediately(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "topic");
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "a.*");
    Channel channel = amqp.confirming();
    channel.basicPublish(exchange, "a.b", null, bytes("x"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.drain(queue)).containsExactly("x");
  }

  @ParameterizedTest
  @CsvSource({"direct, key, key", "topic, #, key", "topic, key.#, key.a.b", "fanout, x, key"})
  void aDelayedExchangeRoutesByItsDelayedType(String type, String bound, String key, Amqp amqp)
      throws Exception {
    String exchange = delayed(amqp, type);
    String queue = amqp.queue();
    String other = amqp.queue();
    amqp.bind(queue, exchange, bound);
    amqp.bind(other, exchange, "nothing.like.it");
    publish(amqp, exchange, key, 100);
    amqp.awaitReady(queue, 1);
    if (type.equals("fanout")) {
      amqp.awaitReady(other, 1);
    } else {
      assertThat(amqp.ready(other)).isZero();
    }
  }

  @Test
  void aDelayedExchangeCanRouteByHeaders(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "headers");
    String queue = amqp.queue();
    String other = amqp.queue();
    amqp.bind(queue, exchange, "", Map.of("x-match", "all", "kind", "a"));
    amqp.bind(other, exchange, "", Map.of("x-match", "all", "kind", "b"));
    Channel channel = amqp.confirming();
    channel.basicPublish(exchange, "", headers(Map.of("x-delay", 50, "kind", "a")), bytes("m"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    amqp.awaitReady(queue, 1);
    assertThat(amqp.ready(other)).isZero();
  }

  @Test
  void theDelayedTypeMustBeAnotherExistingType(Amqp amqp) throws Exception {
    assertRefused(
        amqp, Map.of(), "Invalid argument, 'x-delayed-type' must be an existing exchange type");
    assertRefused(
        amqp,
        Map.of("x-delayed-type", 1),
        "Invalid argument, 'x-delayed-type' must be an existing exchange type");
    assertRefused(
        amqp,
        Map.of("x-delayed-type", "x-delayed-message"),
        "Invalid argument, 'x-delayed-message' can't be used for 'x-delayed-type'");
    assertRefused(amqp, Map.of("x-delayed-type", "nonsense"), "unknown exchange type 'nonsense'");
  }

  private static void assertRefused(Amqp amqp, Map<String, Object> arguments, String text)
      throws Exception {
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - " + text,
        () -> channel.exchangeDeclare(amqp.name(), "x-delayed-message", false, false, arguments));
  }

  @Test
  void bindingsAreCheckedByTheRulesOfTheDelayedType(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "x-consistent-hash");
    String queue = amqp.queue();
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - The binding key must be an integer: <<\"no number\">>",
        () -> channel.queueBind(queue, exchange, "no number"));
  }

  @Test
  void aDelayOfMoreThanTenYearsIsRefused(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "fanout");
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "");
    publish(amqp, exchange, "", TEN_YEARS);
    Channel channel = amqp.newChannel();
    long longer = 315_619_200_001L;
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid header 'x-delay': 315619200001 ms is more than the longest"
            + " delay, 315619200000 ms",
        () -> channel.basicPublish(exchange, "", delay(longer), bytes("m")));
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void mandatoryChecksTheBindingsAtThePublish(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "direct");
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "bound");
    Channel channel = amqp.confirming();
    BlockingQueue<String> returned = new ArrayBlockingQueue<>(10);
    channel.addReturnListener(
        message ->
            returned.add(
                message.getReplyCode()
                    + " "
                    + message.getReplyText()
                    + " "
                    + Headers.of(message.getProperties()).get("x-delay")));
    channel.basicPublish(exchange, "unbound", true, delay(50), bytes("a"));
    channel.basicPublish(exchange, "bound", true, delay(50), bytes("b"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(returned.poll(Patience.MILLIS, MILLISECONDS)).isEqualTo("312 NO_ROUTE 50");
    assertThat(amqp.consume(queue).next().body()).isEqualTo("b");
    assertThat(returned).isEmpty();
  }

  @Test
  void theAlternateExchangeGetsUnroutableDelayedMessages(Amqp amqp) throws Exception {
    String alternate = amqp.exchange(BuiltinExchangeType.FANOUT);
    String caught = amqp.queue();
    amqp.bind(caught, alternate, "");
    String exchange = delayed(amqp, "direct", Map.of("alternate-exchange", alternate));
    publish(amqp, exchange, "nowhere", 150);
    assertThat(millisAfter(amqp.consume(caught).next())).isGreaterThanOrEqualTo(150);
  }

  @Test
  void exchangesCanBeBoundToAndFromADelayedExchange(Amqp amqp) throws Exception {
    String front = amqp.exchange(BuiltinExchangeType.FANOUT);
    String exchange = delayed(amqp, "direct");
    String behind = delayed(amqp, "fanout");
    String atOnce = amqp.queue();
    String later = amqp.queue();
    amqp.bind(atOnce, front, "");
    amqp.bind(later, behind, "");
    amqp.channel().exchangeBind(exchange, front, "");
    amqp.channel().exchangeBind(behind, exchange, "key");
    publish(amqp, front, "key", 10_000);
    Delivery now = amqp.consume(atOnce).next();
    assertThat(Headers.of(now.properties())).containsEntry("x-delay", 10_000);
    Delivery then = amqp.consume(later).next();
    assertThat(Headers.of(then.properties())).containsEntry("x-delay", -10_000L);
    assertThat(millisAfter(then)).as("delayed once").isBetween(10_000L, 19_999L);
  }

  @Test
  void carbonCopiesAreDelayedToo(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "direct");
    List<String> queues = new ArrayList<>();
    for (String key : List.of("to", "cc", "bcc")) {
      queues.add(amqp.queue());
      amqp.bind(queues.get(queues.size() - 1), exchange, key);
    }
    Channel channel = amqp.confirming();
    channel.basicPublish(
        exchange,
        "to",
        headers(Map.of("x-delay", 100, "CC", List.of("cc"), "BCC", List.of("bcc"))),
        bytes("m"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    for (String queue : queues) {
      Delivery delivery = amqp.consume(queue).next();
      assertThat(Headers.of(delivery.properties()))
          .containsEntry("x-delay", -100L)
          .containsEntry("CC", List.of("cc"))
          .doesNotContainKey("BCC");
    }
  }

  @Test
  void aDeadLetterIsNotDelayedAgain(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "fanout");
    String end = amqp.queue();
    amqp.bind(end, exchange, "");
    String dying = amqp.queue(Map.of("x-dead-letter-exchange", exchange, "x-message-ttl", 0));
    String before = delayed(amqp, "fanout");
    amqp.bind(dying, before, "");
    publish(amqp, before, "", 10_000);
    Delivery deadLetter = amqp.consume(end).next();
    assertThat(millisAfter(deadLetter)).as("delayed once").isBetween(10_000L, 19_999L);
    assertThat(Headers.history(deadLetter.properties())).containsExactly("expired " + dying + " 1");
  }

  @Test
  void aDeadLetterThatWasNotDelayedBeforeIsDelayed(Amqp amqp) throws Exception {
    String retry = delayed(amqp, "fanout");
    String again = amqp.queue();
    amqp.bind(again, retry, "");
    String queue = amqp.queue(Map.of("x-dead-letter-exchange", retry, "x-message-ttl", 0));
    publish(amqp, "", queue, 200);
    Delivery deadLetter = amqp.consume(again).next();
    assertThat(millisAfter(deadLetter)).isGreaterThanOrEqualTo(200);
    assertThat(Headers.of(deadLetter.properties())).containsEntry("x-delay", -200L);
  }

  @Test
  void inATransactionTheDelayBeginsAtTheCommit(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "fanout");
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "");
    Channel channel = amqp.newChannel();
    channel.txSelect();
    channel.basicPublish(exchange, "", delay(50), bytes("rolled back"));
    channel.txRollback();
    channel.basicPublish(exchange, "", delay(150), bytes("m"));
    long commit = System.nanoTime();
    channel.txCommit();
    Delivery delivery = amqp.consume(queue).next();
    assertThat(delivery.body()).isEqualTo("m");
    assertThat((delivery.nanos() - commit) / 1_000_000).isGreaterThanOrEqualTo(150);
  }

  @Test
  void theTtlOfADelayedMessageCountsFromItsDueTime(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "fanout");
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    amqp.bind(queue, exchange, "");
    Channel channel = amqp.confirming();
    long start = System.nanoTime();
    channel.basicPublish(
        exchange,
        "",
        new BasicProperties.Builder().expiration("200").headers(Map.of("x-delay", 300)).build(),
        bytes("m"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    Delivery deadLetter = amqp.consume(dead).next();
    assertThat((deadLetter.nanos() - start) / 1_000_000)
        .isBetween(500L, (long) Patience.FORGOTTEN_MILLIS);
  }

  @Test
  void lengthLimitsDoNotCountDelayedMessages(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "fanout");
    String queue = amqp.queue(Map.of("x-max-length", 2));
    amqp.bind(queue, exchange, "");
    Channel channel = amqp.confirming();
    for (int i = 0; i < 4; i++) {
      channel.basicPublish(exchange, "", delay(1_500 + 100 * i), bytes("m" + i));
    }
    channel.basicPublish(exchange, "", null, bytes("now"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.ready(queue)).isEqualTo(1);
    Awaitility.await().pollInSameThread().until(() -> headOf(amqp, queue).equals("m2"));
    assertThat(amqp.drain(queue)).containsExactly("m2", "m3");
  }

  private static String headOf(Amqp amqp, String queue) throws Exception {
    Channel channel = amqp.newChannel();
    GetResponse got = channel.basicGet(queue, false);
    channel.close();
    return got == null ? "" : Amqp.text(got.getBody());
  }

  @Test
  void aDueMessageThatAFullQueueRefusesIsDeadLettered(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "fanout");
    String dead = amqp.queue();
    String queue =
        amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 1, "x-overflow", "reject-publish")));
    amqp.bind(queue, exchange, "");
    amqp.publish(queue, "first");
    publish(amqp, exchange, "", 50);
    Delivery deadLetter = amqp.consume(dead).next();
    assertThat(Headers.history(deadLetter.properties())).containsExactly("maxlen " + queue + " 1");
    assertThat(amqp.drain(queue)).containsExactly("first");
  }

  @Test
  void aStreamGetsADelayedMessageAtItsDueTime(Amqp amqp) throws Exception {
    String exchange = delayed(amqp, "fanout");
    String stream = amqp.name();
    amqp.channel().queueDeclare(stream, true, false, false, Map.of("x-queue-type", "stream"));
    amqp.bind(stream, exchange, "");
    publish(amqp, exchange, "", 200);
    Channel channel = amqp.newChannel();
    channel.basicQos(10);
    Deliveries deliveries =
        Deliveries.from(channel, stream, false, false, Map.of("x-stream-offset", "first"));
    assertThat(millisAfter(deliveries.next())).isGreaterThanOrEqualTo(200);
  }
}
