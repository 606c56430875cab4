package io.mayflymq.it.cluster.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.cluster.ClusterNodes.Place;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A message expires by the clock of its queue's node, whatever other nodes' clocks say. */
class ClockIT {
  private static final Duration SHORT = Duration.ofMinutes(5);
  private static final Duration LONG = Duration.ofMinutes(60);

  /** Longer than the short lifetime, shorter than the long one. */
  private static final Duration JUMP = Duration.ofMinutes(10);

  @TempDir Path directory;

  private static Channel channel(ClusterNodes cluster, int node) throws Exception {
    Channel channel = cluster.node(node).factory().newConnection().createChannel();
    channel.confirmSelect();
    return channel;
  }

  private static void publish(Channel channel, String queue, Duration lifetime) throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder()
            .deliveryMode(2)
            .expiration(Long.toString(lifetime.toMillis()))
            .build();
    byte[] body = lifetime.toString().getBytes(StandardCharsets.UTF_8);
    channel.basicPublish("", queue, properties, body);
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  private static Duration get(Channel channel, String queue) throws Exception {
    GetResponse response = channel.basicGet(queue, true);
    return response == null
        ? null
        : Duration.parse(new String(response.getBody(), StandardCharsets.UTF_8));
  }

  @Test
  void leasesAndDeadlinesGoOnWhenTheClockIsSet() throws Exception {
    ShiftedClock clock = ShiftedClock.create(Files.createDirectory(directory.resolve("clock")));
    Assumptions.assumeTrue(
        clock.refusal() == null, () -> "clocks cannot be set: " + clock.refusal());
    List<Place> places =
        List.of(new Place(Target.HOST, clock.wrapper(), directory.resolve("node")));
    try (ClusterNodes cluster = new ClusterNodes(places)) {
      cluster.startAll();
      Channel channel = channel(cluster, 0);
      channel.queueDeclare("q", true, false, false, null);
      channel.queueDeclare(
          "leased", true, false, false, Map.of("x-expires", (int) SHORT.toMillis()));
      publish(channel, "q", SHORT);

      clock.set(JUMP);
      await()
          .atMost(Patience.TIME)
          .until(() -> channel.queueDeclarePassive("q").getMessageCount() == 0);
      await().atMost(Patience.TIME).until(() -> logs(cluster, " ms ahead, or the machine"));
      channel.queueDeclarePassive("leased");

      clock.set(JUMP.negated());
      await().atMost(Patience.TIME).until(() -> logs(cluster, " ms back: deadlines"));
      publish(channel, "q", Duration.ofSeconds(1));
      await()
          .atMost(Patience.TIME)
          .until(() -> channel.queueDeclarePassive("q").getMessageCount() == 0);
    }
  }

  private static boolean logs(ClusterNodes cluster, String text) {
    return cluster.process(0).output().stream()
        .anyMatch(
            line -> line.contains("the clock of this machine was set") && line.contains(text));
  }

  @Test
  void messagesExpireByTheClockOfTheQueuesNode() throws Exception {
    List<ShiftedClock> clocks = new ArrayList<>();
    List<Place> places = new ArrayList<>();
    for (int node = 0; node < 2; node++) {
      Path own = Files.createDirectory(directory.resolve("clock" + node));
      ShiftedClock clock = ShiftedClock.create(own);
      Assumptions.assumeTrue(
          clock.refusal() == null, () -> "clocks cannot be set: " + clock.refusal());
      clocks.add(clock);
      places.add(new Place(Target.HOST, clock.wrapper(), directory.resolve("node" + node)));
    }
    ShiftedClock wrong = clocks.get(1);
    wrong.set(JUMP);
    try (ClusterNodes cluster = new ClusterNodes(places)) {
      cluster.startAll();
      Channel right = channel(cluster, 0);
      Channel ahead = channel(cluster, 1);
      right.queueDeclare("of-right", true, false, false, null);
      ahead.queueDeclare("of-ahead", true, false, false, null);

      // A lifetime is a duration to both, so nothing expires on its way.
      for (String queue : List.of("of-right", "of-ahead")) {
        for (Channel through : List.of(right, ahead)) {
          publish(through, queue, SHORT);
          publish(through, queue, LONG);
        }
        assertThat(get(right, queue)).isEqualTo(SHORT);
        assertThat(get(ahead, queue)).isEqualTo(LONG);
      }

      wrong.set(JUMP.plus(JUMP));
      await()
          .atMost(Patience.TIME)
          .until(() -> right.queueDeclarePassive("of-ahead").getMessageCount() == 1);
      assertThat(right.queueDeclarePassive("of-right").getMessageCount()).isEqualTo(2);
      publish(right, "of-ahead", SHORT);
      wrong.set(JUMP.negated());
      publish(right, "of-ahead", SHORT);
      assertThat(get(right, "of-ahead")).isEqualTo(LONG);
      assertThat(get(right, "of-ahead")).isEqualTo(SHORT);
      assertThat(get(right, "of-ahead")).isEqualTo(SHORT);
      assertThat(get(ahead, "of-right")).isEqualTo(SHORT);
      assertThat(get(ahead, "of-right")).isEqualTo(LONG);
    }
  }
}
