package io.mayflymq.it.security;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How fast users, and all in a virtual host, get messages. */
@BlackBox
@MayflyOnly("RabbitMQ has no such limits")
class DeliveryRatesIT extends RatesFixture {
  private static final int RATE = 20;
  private static final int BURST = 2;

  private Channel guest(Amqp amqp) throws Exception {
    return connect(amqp, "guest", "guest").createChannel();
  }

  private Channel limited(Amqp amqp) throws Exception {
    Channel channel = connect(amqp, user, "p").createChannel();
    channel.basicQos(1000); // Streams need a limit.
    return channel;
  }

  private void limit(String of, int rate, int burst) throws Exception {
    assertThat(set(of + "/delivery-rate", rate)).isEqualTo(204);
    assertThat(set(of + "/delivery-burst", burst)).isEqualTo(204);
  }

  private void limitUser(int rate, int burst) throws Exception {
    limit("user-limits/" + user, rate, burst);
  }

  private void limitVhost(int rate, int burst) throws Exception {
    limit("vhost-limits/" + vhost, rate, burst);
  }

  private void clearUser() throws Exception {
    assertThat(http.delete("user-limits/" + user + "/all").status()).isEqualTo(204);
  }

  private static List<String> texts(int count) {
    return IntStream.range(0, count).mapToObj(String::valueOf).toList();
  }

  /** Declares a queue with so many messages, all of which are confirmed. */
  private static void fill(Channel channel, String queue, String type, int count) throws Exception {
    channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", type));
    channel.confirmSelect();
    for (String text : texts(count)) {
      channel.basicPublish("", queue, null, Amqp.bytes(text));
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  /** Waits for so many deliveries, and returns when the last came behind the first, in ms. */
  private static long millisFor(int count, List<Deliveries> consumers, List<List<String>> bodies) {
    List<Long> times = new ArrayList<>();
    consumers.forEach(consumer -> bodies.add(new ArrayList<>()));
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              for (int i = 0; i < consumers.size(); i++) {
                for (Deliveries.Delivery delivery : consumers.get(i).soFar()) {
                  times.add(delivery.nanos());
                  bodies.get(i).add(delivery.body());
                }
              }
              return times.size() == count;
            });
    times.sort(null);
    return NANOSECONDS.toMillis(times.get(count - 1) - times.get(0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum", "stream"})
  void consumersOfAUserShareItsRate(String type, Amqp amqp) throws Exception {
    limitUser(RATE, BURST);
    assertThat(http.get("user-limits/" + user).json().get(0).path("value"))
        .hasToString("{\"delivery-rate\":20,\"delivery-burst\":2}");
    Channel publisher = guest(amqp);
    List<Deliveries> consumers = new ArrayList<>();
    for (String queue : List.of("a", "b")) {
      fill(publisher, queue, type, 15);
    }
    for (String queue : List.of("a", "b")) {
      Map<String, Object> arguments =
          type.equals("stream") ? Map.of("x-stream-offset", "first") : Map.of();
      consumers.add(Deliveries.from(limited(amqp), queue, false, false, arguments));
    }
    List<List<String>> bodies = new ArrayList<>();
    // The 30th leaves 28 periods of 50 ms after the first one; what it takes on its way is unknown.
    assertThat(millisFor(30, consumers, bodies)).isGreaterThan(1300);
    assertThat(bodies).containsExactly(texts(15), texts(15));
  }

  @Test
  void usersOfAVirtualHostShareItsRateBesideTheirOwn(Amqp amqp) throws Exception {
    limitVhost(RATE, BURST);
    limitUser(RATE / 2, 1);
    Channel publisher = guest(amqp);
    fill(publisher, "a", "classic", 100);
    fill(publisher, "b", "classic", 100);
    Deliveries limited = Deliveries.from(limited(amqp), "a", true);
    Deliveries other = Deliveries.from(guest(amqp), "b", true);
    List<String> ofOther = new ArrayList<>();
    List<String> ofLimited = new ArrayList<>();
    long begin = System.nanoTime();
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              other.soFar().forEach(delivery -> ofOther.add(delivery.body()));
              limited.soFar().forEach(delivery -> ofLimited.add(delivery.body()));
              return ofOther.size() >= 20 && ofLimited.size() >= 10;
            });
    long millis = (System.nanoTime() - begin) / 1_000_000;
    assertThat(ofOther.size() + ofLimited.size()).isLessThanOrEqualTo((int) (millis / 50) + 4);
    assertThat(ofLimited.size()).isLessThanOrEqualTo((int) (millis / 100) + 3);
    assertThat(http.delete("vhost-limits/" + vhost + "/delivery-rate").status()).isEqualTo(204);
    ofOther.addAll(other.next(100 - ofOther.size()));
    clearUser();
    ofLimited.addAll(limited.next(100 - ofLimited.size()));
    assertThat(ofOther).isEqualTo(texts(100));
    assertThat(ofLimited).isEqualTo(texts(100));
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void consumerWithoutARateDoesNotWaitForAnotherOfItsQueue(String type, Amqp amqp)
      throws Exception {
    limitUser(1, 1);
    Channel publisher = guest(amqp);
    fill(publisher, "q", type, 0);
    Deliveries limited = Deliveries.from(limited(amqp), "q", true);
    Deliveries other = Deliveries.from(guest(amqp), "q", true);
    Set<String> all = new HashSet<>();
    fill(publisher, "q", type, 300);
    await()
        .atMost(Patience.TIME) // By the rate it would take minutes.
        .until(
            () -> {
              other.soFar().forEach(delivery -> all.add(delivery.body()));
              limited.soFar().forEach(delivery -> all.add(delivery.body()));
              return all.size() == 300;
            });
  }

  @Test
  void whatIsGotCounts(Amqp amqp) throws Exception {
    limitUser(1, 1);
    Channel publisher = guest(amqp);
    fill(publisher, "q", "classic", 5);
    fill(publisher, "empty", "classic", 0);
    Channel channel = limited(amqp);
    for (int i = 0; i < 10; i++) {
      assertThat(channel.basicGet("empty", true)).as("an empty queue counts not").isNull();
    }
    long begin = System.nanoTime();
    assertThat(Amqp.text(channel.basicGet("q", true).getBody())).isEqualTo("0");
    GetResponse[] second = new GetResponse[1];
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              second[0] = channel.basicGet("q", true);
              return second[0] != null;
            });
    assertThat(System.nanoTime() - begin).isGreaterThan(MILLISECONDS.toNanos(990));
    assertThat(Amqp.text(second[0].getBody())).isEqualTo("1");
    clearUser();
    assertThat(Amqp.text(channel.basicGet("q", true).getBody())).isEqualTo("2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum", "stream"})
  void consumersThatWaitGoOnWhenTheirRateIsCleared(String type, Amqp amqp) throws Exception {
    limitUser(1, 1);
    Channel publisher = guest(amqp);
    fill(publisher, "q", type, 200);
    Map<String, Object> arguments =
        type.equals("stream") ? Map.of("x-stream-offset", "first") : Map.of();
    Deliveries consumer = Deliveries.from(limited(amqp), "q", false, false, arguments);
    assertThat(consumer.next().body()).isEqualTo("0");
    clearUser();
    assertThat(consumer.next(199)).isEqualTo(texts(200).subList(1, 200));
  }

  @Test
  void anotherRateHoldsForConsumersThatWait(Amqp amqp) throws Exception {
    limitUser(1, 1);
    fill(guest(amqp), "q", "classic", 200);
    Deliveries consumer = Deliveries.from(limited(amqp), "q", true);
    assertThat(consumer.next().body()).isEqualTo("0");
    limitUser(1000, 1000);
    assertThat(consumer.next(199)).isEqualTo(texts(200).subList(1, 200));
  }

  /** Of all that wait some end in each way. None of them has a turn that another waits for. */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void thoseThatEndWhileTheyWaitLoseNothing(String type, Amqp amqp) throws Exception {
    Channel publisher = guest(amqp);
    fill(publisher, "q", type, 50);
    limitUser(RATE, 1);
    Channel first = limited(amqp);
    Deliveries cancelled = Deliveries.from(first, "q", false);
    Channel second = limited(amqp);
    Deliveries closed = Deliveries.from(second, "q", false);
    Connection third = connect(amqp, user, "p");
    Deliveries aborted = Deliveries.from(third.createChannel(), "q", false);
    Channel fourth = limited(amqp);
    fill(publisher, "other", type, 0);
    Deliveries deleted = Deliveries.from(fourth, "other", false);
    publisher.queueDelete("other");
    deleted.awaitCancel();
    List<String> settled = new ArrayList<>();
    for (Deliveries each : List.of(cancelled, closed, aborted)) {
      Deliveries.Delivery delivery = each.next();
      each.getChannel().basicAck(delivery.tag(), false);
      settled.add(delivery.body());
    }
    cancelled.cancel();
    // What it has got is acknowledged: the answer to the cancellation came behind it.
    for (Deliveries.Delivery delivery : cancelled.soFar()) {
      first.basicAck(delivery.tag(), false);
      settled.add(delivery.body());
    }
    second.close();
    third.abort();
    Deliveries stays = Deliveries.from(limited(amqp), "q", false);
    while (settled.size() < 50) {
      Deliveries.Delivery delivery = stays.next();
      stays.getChannel().basicAck(delivery.tag(), false);
      settled.add(delivery.body());
    }
    assertThat(settled).containsExactlyInAnyOrderElementsOf(texts(50));
    deleted.assertNothing();
  }

  @Test
  void sharedPrefetchIsKept(Amqp amqp) throws Exception {
    limitUser(1000, 10);
    Channel publisher = guest(amqp);
    fill(publisher, "a", "classic", 100);
    fill(publisher, "b", "classic", 100);
    Channel channel = connect(amqp, user, "p").createChannel();
    channel.basicQos(3, true);
    List<Deliveries> both =
        List.of(Deliveries.from(channel, "a", false), Deliveries.from(channel, "b", false));
    List<List<String>> bodies = List.of(new ArrayList<>(), new ArrayList<>());
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              for (int i = 0; i < 2; i++) {
                List<Deliveries.Delivery> got = both.get(i).soFar();
                assertThat(got.size()).isLessThanOrEqualTo(3);
                for (Deliveries.Delivery delivery : got) {
                  bodies.get(i).add(delivery.body());
                  channel.basicAck(delivery.tag(), false);
                }
              }
              return bodies.get(0).size() + bodies.get(1).size() == 200;
            });
    assertThat(bodies).containsExactly(texts(100), texts(100));
  }

  @Test
  void whatIsNoRateIsRefusedWithWhatIsExpected() throws Exception {
    String ofUser = "user-limits/" + user;
    assertThat(http.put(ofUser + "/delivery-rate", "{\"value\":1.5}").reason())
        .isEqualTo(
            "delivery-rate should be a whole number from -2147483648 to 2147483647, actually was"
                + " 1.5");
    assertThat(http.put(ofUser + "/delivery-rate", "{\"value\":\"x\"}").reason())
        .isEqualTo("delivery-rate should be a number, actually was <<\"x\">>");
    assertThat(http.put(ofUser + "/max-queues", "{\"value\":1}").reason())
        .isEqualTo(
            "Unrecognised terms [{<<\"max-queues\">>,1}] in user-limits: expected one of"
                + " max-connections, max-channels, publish-rate, publish-burst, delivery-rate,"
                + " delivery-burst");
    Http.Reply zero = http.put("vhost-limits/" + vhost + "/delivery-burst", "{\"value\":0}");
    assertThat(zero.status()).isEqualTo(400);
    assertThat(zero.raw().body())
        .contains("delivery-burst should be 1 or more, or negative for no limit, actually was 0");
    assertThat(set(ofUser + "/delivery-rate", -1)).isEqualTo(204);
  }
}
