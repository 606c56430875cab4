package io.mayflymq.it.durability;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that are moved while their process is killed, and to queues of other nodes. */
@OwnBroker
class MoveMessageKillIT {
  private static final int MESSAGES = 300;
  private static final int ROUNDS = 5;

  @TempDir Path directory;

  private static void fill(Channel channel, String queue) throws Exception {
    channel.confirmSelect();
    for (int i = 0; i < MESSAGES; i++) {
      channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, bytes("" + i));
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  private static Http.Reply move(Http http, String from, String choice, String to)
      throws Exception {
    return http.post(
        "queues/%2F/" + from + "/messages/move", "{%s,\"to\":\"%s\"}".formatted(choice, to));
  }

  private static List<String> bodies(Channel channel, String queue) throws Exception {
    List<String> bodies = new ArrayList<>();
    for (GetResponse got = channel.basicGet(queue, true);
        got != null;
        got = channel.basicGet(queue, true)) {
      bodies.add(Amqp.text(got.getBody()));
    }
    return bodies;
  }

  /** In one partition a move is one record of the log. */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void aKillLosesAndDoublesNothingOfAPartition(String type) throws Exception {
    Random random = new Random(48);
    List<Integer> order = new ArrayList<>(IntStream.range(0, MESSAGES).boxed().toList());
    Collections.shuffle(order, random);
    boolean filled = false;
    for (int round = 0; round < ROUNDS; round++) {
      try (BrokerProcess broker =
          BrokerProcess.builder().data(directory).set("shards", 1).start()) {
        Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel();
        if (!filled) {
          for (String queue : List.of("a", "b")) {
            channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", type));
          }
          fill(channel, "a");
          filled = true;
        }
        int last = random.nextInt(40);
        List<CompletableFuture<Void>> moves = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
          String choice =
              i == last ? "\"count\":30" : "\"sequence\":" + order.get(random.nextInt(MESSAGES));
          CompletableFuture<Void> sent =
              CompletableFuture.runAsync(
                  () -> {
                    try {
                      move(broker.http(), "a", choice, "b");
                    } catch (Exception e) {
                      // It was killed.
                    }
                  });
          moves.add(sent);
          if (i == last) {
            break;
          }
          if (i % 3 > 0) {
            sent.join();
          }
        }
        broker.kill();
        moves.forEach(CompletableFuture::join);
        connection.abort(1_000);
      }
    }
    try (BrokerProcess broker = BrokerProcess.builder().data(directory).set("shards", 1).start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      List<String> all = bodies(channel, "a");
      assertThat(all).as("some were moved").hasSizeLessThan(MESSAGES);
      all.addAll(bodies(channel, "b"));
      assertThat(all)
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, MESSAGES).mapToObj(Integer::toString).toList());
    }
  }

  @Test
  void messagesMoveToQueuesOfOtherNodesAndFromQuorumQueues() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 3)) {
      cluster.startAll();
      Map<String, Object> quorum = Map.of("x-queue-type", "quorum");
      for (int node = 0; node < 3; node++) {
        Channel channel = cluster.channel(node);
        channel.queueDeclare("classic-" + node, true, false, false, Map.of());
        channel.queueDeclare("quorum-" + node, true, false, false, quorum);
      }
      Map<String, String> ways =
          new TreeMap<>(
              Map.of(
                  "classic-0", "classic-1",
                  "classic-2", "quorum-0",
                  "quorum-1", "classic-2",
                  "quorum-2", "quorum-1"));
      for (Map.Entry<String, String> way : ways.entrySet()) {
        Channel channel = cluster.channel(0);
        channel.queuePurge(way.getKey());
        channel.queuePurge(way.getValue());
        fill(channel, way.getKey());
        for (int node = 0; node < 3; node++) {
          // Asked of any node, the queue's node does it.
          Http.Reply reply =
              move(
                  cluster.node(node).http(),
                  way.getKey(),
                  "\"count\":" + MESSAGES / 3,
                  way.getValue());
          assertThat(reply.status()).as("%s: %s", way, reply.json()).isEqualTo(200);
          assertThat(reply.json().path("moved").asInt())
              .as("%s: %s", way, reply.json())
              .isEqualTo(MESSAGES / 3);
        }
        assertThat(bodies(channel, way.getKey())).as("%s", way).isEmpty();
        assertThat(bodies(channel, way.getValue()))
            .as("%s", way)
            .containsExactlyElementsOf(
                IntStream.range(0, MESSAGES).mapToObj(Integer::toString).toList());
      }
      Http.Reply itself = move(cluster.node(0).http(), "quorum-0", "\"count\":1", "quorum-0");
      assertThat(itself.status()).isEqualTo(400);
      // A redrive knows a queue with replicas as well, whichever node leads it.
      Channel channel = cluster.channel(0);
      channel.queuePurge("quorum-0");
      fill(channel, "quorum-0");
      Http.Reply forecast =
          cluster
              .node(1)
              .http()
              .post("queues/%2F/quorum-0/redrive/dry-run", "{\"to\":\"quorum-0\"}");
      assertThat(forecast.json().path("moved").asInt()).as("%s", forecast.json()).isZero();
      assertThat(forecast.json().path("skipped_because").path("to_itself").asInt())
          .isEqualTo(MESSAGES);
    }
  }
}
