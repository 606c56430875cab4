package io.mayflymq.it.cluster;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rates of consumers whose queues are on another node. */
class RemoteRatesIT {
  private static final String QUEUE = "q";

  @TempDir Path directory;

  private ClusterNodes cluster;
  private Http http;

  @BeforeEach
  void start() throws Exception {
    cluster = new ClusterNodes(directory, 2);
    cluster.startAll();
    http = cluster.node(0).http();
    assertThat(http.put("users/other", "{\"password\":\"p\",\"tags\":\"\"}").status())
        .isEqualTo(201);
    http.put("permissions/%2F/other", "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void limitGuest(int rate, int burst) throws Exception {
    for (String limit : List.of("delivery-rate=" + rate, "delivery-burst=" + burst)) {
      String[] parts = limit.split("=");
      http.put("user-limits/guest/" + parts[0], "{\"value\":" + parts[1] + "}");
    }
    await()
        .atMost(Patience.TIME)
        .until(
            () ->
                cluster
                    .node(1)
                    .http()
                    .get("user-limits/guest")
                    .json()
                    .toString()
                    .contains("\"delivery-burst\":" + burst));
  }

  private void clearGuest() throws Exception {
    assertThat(http.delete("user-limits/guest/all").status()).isEqualTo(204);
  }

  private static List<String> texts(int count) {
    return IntStream.range(0, count).mapToObj(String::valueOf).toList();
  }

  /** Declares the queue on node 1, with so many messages. */
  private void fill(String type, int count, int bytes) throws Exception {
    Channel home = cluster.channel(1);
    home.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", type));
    home.confirmSelect();
    for (String text : texts(count)) {
      home.basicPublish("", QUEUE, null, Amqp.bytes(text + " ".repeat(bytes)));
    }
    home.waitForConfirmsOrDie(Patience.MILLIS);
  }

  private static Deliveries consume(Channel channel, String type, boolean shared) throws Exception {
    channel.basicQos(50, shared);
    Map<String, Object> arguments =
        type.equals("stream") ? Map.of("x-stream-offset", "first") : Map.of();
    return Deliveries.from(channel, QUEUE, false, false, arguments);
  }

  private static Deliveries.Delivery acknowledged(Deliveries consumer) throws Exception {
    Deliveries.Delivery delivery = consumer.next();
    consumer.getChannel().basicAck(delivery.tag(), false);
    return delivery;
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum", "stream"})
  void consumerOfAnotherNodeKeepsToItsRateAndGoesOnWithoutOne(String type) throws Exception {
    fill(type, 400, 1000);
    limitGuest(20, 1);
    Deliveries consumer = consume(cluster.channel(0), type, false);
    List<String> bodies = new ArrayList<>();
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      Deliveries.Delivery delivery = acknowledged(consumer);
      times.add(delivery.nanos());
      bodies.add(delivery.body().trim());
    }
    assertThat(NANOSECONDS.toMillis(times.get(29) - times.get(0))).isGreaterThan(1350);
    clearGuest();
    while (bodies.size() < 400) {
      bodies.add(acknowledged(consumer).body().trim());
    }
    assertThat(bodies).isEqualTo(texts(400));
  }

  /** What was sent ahead before there was a rate goes back, so that others get it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void consumerWithoutARateDoesNotWaitForAnotherOfItsQueue(boolean shared) throws Exception {
    fill("classic", 0, 0);
    Deliveries limited = consume(cluster.channel(0), "classic", shared);
    limitGuest(1, 1);
    ConnectionFactory factory = cluster.node(0).factory();
    factory.setUsername("other");
    factory.setPassword("p");
    try (Connection connection = factory.newConnection()) {
      Deliveries other = consume(connection.createChannel(), "classic", false);
      fill("classic", 500, 100);
      Set<String> all = new HashSet<>();
      await()
          .atMost(Patience.TIME) // By the rate it would take minutes.
          .until(
              () -> {
                for (Deliveries each : List.of(limited, other)) {
                  for (Deliveries.Delivery delivery : each.soFar()) {
                    all.add(delivery.body().trim());
                    each.getChannel().basicAck(delivery.tag(), false);
                  }
                }
                return all.size() == 500;
              });
    }
  }

  @Test
  void eachNodeCountsWhatItsOwnConnectionsGet() throws Exception {
    fill("classic", 100, 0);
    limitGuest(10, 1);
    Deliveries here = consume(cluster.channel(0), "classic", false);
    Deliveries there = consume(cluster.channel(1), "classic", false);
    Set<String> all = new HashSet<>();
    long begin = System.nanoTime();
    for (int i = 0; i < 10; i++) {
      all.add(acknowledged(here).body().trim());
      all.add(acknowledged(there).body().trim());
    }
    assertThat(NANOSECONDS.toMillis(System.nanoTime() - begin)).isGreaterThan(850);
    assertThat(all).hasSize(20);
  }
}
