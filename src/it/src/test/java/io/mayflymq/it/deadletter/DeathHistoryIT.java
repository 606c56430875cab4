package io.mayflymq.it.deadletter;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static io.mayflymq.it.harness.Amqp.headers;
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
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the death history of dead letters: x-death and the related headers. */
@BlackBox
class DeathHistoryIT {
  @Test
  void anXDeathEntryHasExactlyTheDocumentedFields(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 50)));
    amqp.bind(queue, exchange, "the.key");
    Deliveries deaths = amqp.consume(dead);
    Instant before = Instant.ofEpochSecond(Instant.now().getEpochSecond());
    amqp.channel().basicPublish(exchange, "the.key", PLAIN, bytes("a"));
    BasicProperties properties = deaths.next().properties();
    assertThat(Headers.deaths(properties)).hasSize(1);
    Map<String, Object> death = Headers.deaths(properties).get(0);
    assertThat(death)
        .containsOnlyKeys("count", "reason", "queue", "time", "exchange", "routing-keys")
        .containsEntry("count", 1L)
        .containsEntry("reason", "expired")
        .containsEntry("queue", queue)
        .containsEntry("exchange", exchange)
        .containsEntry("routing-keys", List.of("the.key"));
    assertThat(((Date) death.get("time")).toInstant())
        .isBetween(before, Instant.now())
        .satisfies(time -> assertThat(time.toEpochMilli() % 1000).isZero());
    assertThat(Headers.of(properties))
        .containsEntry("x-first-death-queue", queue)
        .containsEntry("x-first-death-reason", "expired")
        .containsEntry("x-first-death-exchange", exchange);
  }

  @Test
  @MayflyOnly("x-last-death-* came with RabbitMQ 3.13")
  void headersNameTheFirstAndTheLastDeath(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String second = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 20)));
    String first = amqp.queue(deadLetterTo(second, Map.of("x-max-length", 0)));
    Deliveries deaths = amqp.consume(dead);
    amqp.publish(first, "a");
    assertThat(Headers.of(deaths.next().properties()))
        .containsOnlyKeys(
            "x-death",
            "x-first-death-queue",
            "x-first-death-reason",
            "x-first-death-exchange",
            "x-last-death-queue",
            "x-last-death-reason",
            "x-last-death-exchange")
        .containsEntry("x-first-death-queue", first)
        .containsEntry("x-first-death-reason", "maxlen")
        .containsEntry("x-first-death-exchange", "")
        .containsEntry("x-last-death-queue", second)
        .containsEntry("x-last-death-reason", "expired")
        .containsEntry("x-last-death-exchange", "");
  }

  @Test
  void repeatedDeathsAreCountedAndMovedToTheFront(Amqp amqp) throws Exception {
    String work = amqp.name();
    String wait = amqp.queue(deadLetterTo(work, Map.of("x-message-ttl", 20)));
    amqp.queue(work, deadLetterTo(wait, Map.of()));
    Channel channel = amqp.channel();
    Deliveries worker = Deliveries.from(channel, work, false);
    amqp.publish(work, "retry me");

    Delivery delivery = worker.next();
    assertThat(Headers.history(delivery.properties())).isEmpty();
    for (int attempt = 1; attempt <= 3; attempt++) {
      channel.basicReject(delivery.tag(), false);
      delivery = worker.next();
      assertThat(Headers.history(delivery.properties()))
          .containsExactly("expired " + wait + " " + attempt, "rejected " + work + " " + attempt);
      assertThat(Headers.of(delivery.properties()))
          .containsEntry("x-first-death-queue", work)
          .containsEntry("x-first-death-reason", "rejected");
    }
  }

  @Test
  void twoReasonsInOneQueueAreTwoEntries(Amqp amqp) throws Exception {
    String queue = amqp.name();
    String dead = amqp.queue(deadLetterTo(queue, Map.of()));
    amqp.queue(queue, deadLetterTo(dead, Map.of("x-message-ttl", 300)));
    Channel channel = amqp.channel();
    Deliveries deaths = Deliveries.from(channel, dead, false);
    amqp.publish(queue, "a");
    channel.basicReject(take(channel, queue), false);
    channel.basicReject(deaths.next().tag(), false);
    assertThat(Headers.history(deaths.next().properties()))
        .containsExactly(
            "expired " + queue + " 1", "rejected " + dead + " 1", "rejected " + queue + " 1");
  }

  @Test
  void aRepeatedDeathKeepsTheFieldsOfTheFirst(Amqp amqp) throws Exception {
    String queue = amqp.name();
    String dead = amqp.queue(deadLetterTo(queue, Map.of()));
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    amqp.queue(queue, deadLetterTo(dead, Map.of("x-max-length", 0)));
    amqp.bind(queue, exchange, "");
    Channel channel = amqp.channel();
    Deliveries deaths = Deliveries.from(channel, dead, false);
    channel.basicPublish(exchange, "first", PLAIN, bytes("a"));
    Delivery once = deaths.next();
    channel.basicReject(once.tag(), false);
    Map<String, Object> twice = Headers.deaths(deaths.next().properties()).get(0);
    assertThat(twice)
        .containsEntry("count", 2L)
        .containsEntry("exchange", exchange)
        .containsEntry("routing-keys", List.of("first"))
        .containsEntry("time", Headers.deaths(once.properties()).get(0).get("time"));
  }

  /** As in RabbitMQ 4.3.6: a publisher's header is no history. */
  @Test
  void anXDeathHeaderFromAPublisherArrivesAndTheFirstDeathReplacesIt(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Channel channel = amqp.channel();
    Map<String, Object> published =
        Map.of(
            "x-death",
            List.of(death(queue, "rejected", 5), death("elsewhere", "expired", 1)),
            "x-first-death-queue",
            "elsewhere",
            "x-first-death-reason",
            "expired",
            "x-last-death-queue",
            "other",
            "mine",
            7);
    amqp.publish(queue, headers(published), "a");
    amqp.awaitReady(queue, 1);
    GetResponse arrived = channel.basicGet(queue, false);
    assertThat(Headers.of(arrived.getProps())).isEqualTo(published);
    channel.basicReject(arrived.getEnvelope().getDeliveryTag(), false);
    amqp.awaitReady(dead, 1);
    BasicProperties properties = channel.basicGet(dead, true).getProps();
    assertThat(Headers.history(properties)).containsExactly("rejected " + queue + " 1");
    assertThat(Headers.of(properties))
        .containsEntry("x-first-death-queue", queue)
        .containsEntry("x-first-death-reason", "rejected")
        .containsEntry("x-first-death-exchange", "")
        .containsEntry("x-last-death-queue", queue)
        .containsEntry("mine", 7);
  }

  @Test
  void aRepublishedDeadLetterBeginsAnew(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 0)));
    Deliveries deaths = amqp.consume(dead);
    amqp.publish(queue, "a");
    Delivery once = deaths.next();
    for (int i = 0; i < 3; i++) {
      amqp.publish(queue, once.properties(), "a");
      once = deaths.next();
      assertThat(Headers.history(once.properties())).containsExactly("maxlen " + queue + " 1");
    }
  }

  @Test
  void deathsAfterTheFirstAreAddedToIt(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String second = amqp.queue(deadLetterTo(dead, Map.of("x-message-ttl", 20)));
    String first = amqp.queue(deadLetterTo(second, Map.of("x-max-length", 0)));
    Deliveries deaths = amqp.consume(dead);
    Map<String, Object> published = Map.of("x-death", List.of(death(first, "maxlen", 5)));
    amqp.publish(first, headers(published), "a");
    assertThat(Headers.history(deaths.next().properties()))
        .containsExactly("expired " + second + " 1", "maxlen " + first + " 1");
  }

  /** A publisher that says that its message has expired there does not keep it from there. */
  @Test
  void anXDeathHeaderFromAPublisherMakesNoCycle(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 0)));
    Deliveries deaths = amqp.consume(dead);
    Map<String, Object> published = Map.of("x-death", List.of(death(dead, "expired", 1)));
    amqp.publish(queue, headers(published), "a");
    assertThat(Headers.history(deaths.next().properties()))
        .containsExactly("maxlen " + queue + " 1");
  }

  static Map<String, Object> death(String queue, String reason, long count) {
    return Map.of(
        "queue",
        queue,
        "reason",
        reason,
        "exchange",
        "",
        "routing-keys",
        List.of(queue),
        "time",
        Date.from(Instant.ofEpochSecond(1_000_000_000)),
        "count",
        count);
  }

  @Test
  void aMalformedXDeathHeaderIsReplaced(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of("x-max-length", 0)));
    Deliveries deaths = amqp.consume(dead);
    amqp.publish(queue, headers(Map.of("x-death", "nonsense")), "a");
    assertThat(Headers.history(deaths.next().properties()))
        .containsExactly("maxlen " + queue + " 1");
  }

  @Test
  void theExpirationMovesIntoXDeath(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Deliveries deaths = amqp.consume(dead);
    amqp.publishExpiring(queue, 50, "a");
    BasicProperties properties = deaths.next().properties();
    assertThat(properties.getExpiration()).isNull();
    assertThat(Headers.deaths(properties).get(0))
        .containsEntry("original-expiration", "50")
        .containsEntry("reason", "expired");
  }

  @Test
  void theExpirationMovesIntoXDeathForEveryReason(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    Channel channel = amqp.channel();
    amqp.publishExpiring(queue, 60_000, "a");
    channel.basicReject(take(channel, queue), false);
    amqp.awaitReady(dead, 1);
    BasicProperties properties = channel.basicGet(dead, true).getProps();
    assertThat(properties.getExpiration()).isNull();
    assertThat(Headers.deaths(properties).get(0))
        .containsEntry("original-expiration", "60000")
        .containsEntry("reason", "rejected");
  }

  private static long take(Channel channel, String queue) throws Exception {
    GetResponse response = channel.basicGet(queue, false);
    assertThat(response).as("a message in " + queue).isNotNull();
    return response.getEnvelope().getDeliveryTag();
  }
}
