package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queues are moved between the nodes of a cluster while clients of all nodes use them. */
class MoveQueueIT {
  private static final String QUEUE = "q";

  @TempDir Path directory;

  /** A publisher and a consumer of one node, each with a connection, on threads of their own. */
  private static final class Load {
    private final Channel publishing;
    private final Channel consuming;
    private final String prefix;
    private final Set<String> confirmed;
    private final ConcurrentNavigableMap<Long, String> unconfirmed = new ConcurrentSkipListMap<>();
    private final Set<String> seen;
    private final List<String> wrong;
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final AtomicInteger deliveries = new AtomicInteger();
    private volatile boolean goesOn = true;
    private Thread publisher;

    Load(ClusterProcesses cluster, int node, Ledger ledger) throws Exception {
      this.publishing = cluster.channel(node);
      this.consuming = cluster.channel(node);
      this.prefix = "node" + node + "-";
      this.confirmed = ledger.confirmed;
      this.seen = ledger.seen;
      this.wrong = ledger.wrong;
    }

    void begin() throws IOException {
      publishing.confirmSelect();
      publishing.addConfirmListener(
          (tag, multiple) -> settle(tag, multiple, true),
          (tag, multiple) -> settle(tag, multiple, false));
      consuming.basicQos(20);
      consuming.basicConsume(QUEUE, false, "tag", new Taker());
      publisher = new Thread(this::publish, prefix + "publisher");
      publisher.start();
    }

    private void settle(long tag, boolean multiple, boolean isConfirmed) {
      Map<Long, String> settled =
          multiple ? unconfirmed.headMap(tag, true) : unconfirmed.subMap(tag, true, tag, true);
      if (isConfirmed) {
        confirmed.addAll(settled.values());
      }
      settled.clear();
    }

    private void publish() {
      try {
        for (int number = 0; goesOn; number++) {
          String text = prefix + number;
          unconfirmed.put(publishing.getNextPublishSeqNo(), text);
          publishing.basicPublish(
              "", QUEUE, MessageProperties.PERSISTENT_BASIC, text.getBytes(StandardCharsets.UTF_8));
          if (unconfirmed.size() > 100) {
            Thread.sleep(2);
          }
        }
      } catch (IOException | InterruptedException e) {
        wrong.add(prefix + " cannot publish: " + e);
      }
    }

    /** Ends publishing, when all that was published is settled. */
    void endPublishing() throws InterruptedException {
      goesOn = false;
      publisher.join();
      await().atMost(Patience.TIME).until(unconfirmed::isEmpty);
    }

    private final class Taker extends DefaultConsumer {
      Taker() {
        super(consuming);
      }

      @Override
      public void handleDelivery(
          String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body)
          throws IOException {
        String text = new String(body, StandardCharsets.UTF_8);
        if (!seen.add(text) && !envelope.isRedeliver()) {
          wrong.add(text + " is delivered twice, and is not flagged so");
        }
        deliveries.incrementAndGet();
        consuming.basicAck(envelope.getDeliveryTag(), false);
      }

      @Override
      public void handleCancel(String tag) {
        cancelled.set(true);
      }
    }
  }

  /** What all clients have seen. */
  private static final class Ledger {
    final Set<String> confirmed = ConcurrentHashMap.newKeySet();
    final Set<String> seen = ConcurrentHashMap.newKeySet();
    final List<String> wrong = new CopyOnWriteArrayList<>();
  }

  private static void move(ClusterProcesses cluster, int by, int to) throws Exception {
    ControlCommand.Outcome outcome =
        ControlCommand.of(cluster.node(by)).run("move_queue", QUEUE, ClusterProcesses.name(to));
    assertThat(outcome.exit()).as("%s", outcome).isZero();
  }

  private static String homeOf(ClusterProcesses cluster, int asked, String queue) throws Exception {
    return Http.as(cluster.node(asked).httpPort(), "guest", "guest")
        .get("queues/%2F/" + queue + "/move")
        .json()
        .path("node")
        .asText();
  }

  @Test
  void queueMovesBackAndForthUnderLoadOfAllNodes() throws Exception {
    try (ClusterProcesses cluster = new ClusterProcesses(directory, 3)) {
      cluster.startAll();
      cluster.channel(0).queueDeclare(QUEUE, true, false, false, null);
      Ledger ledger = new Ledger();
      List<Load> loads = new ArrayList<>();
      for (int node = 0; node < 3; node++) {
        loads.add(new Load(cluster, node, ledger));
      }
      for (Load load : loads) {
        load.begin();
      }

      for (int to : new int[] {1, 2, 0, 2, 1, 0}) {
        int[] before = loads.stream().mapToInt(load -> load.deliveries.get()).toArray();
        move(cluster, (to + 1) % 3, to);
        for (int node = 0; node < 3; node++) {
          assertThat(homeOf(cluster, node, QUEUE)).isEqualTo(ClusterProcesses.name(to));
          Load load = loads.get(node);
          int then = before[node];
          await().atMost(Patience.TIME).until(() -> load.deliveries.get() > then + 50);
        }
      }

      for (Load load : loads) {
        load.endPublishing();
      }
      await().atMost(Patience.TIME).until(() -> ledger.seen.containsAll(ledger.confirmed));
      assertThat(ledger.wrong).isEmpty();
      assertThat(loads).noneMatch(load -> load.cancelled.get());
      assertThat(loads).allMatch(load -> load.publishing.isOpen() && load.consuming.isOpen());
      await()
          .atMost(Patience.TIME)
          .until(() -> cluster.channel(1).queueDeclarePassive(QUEUE).getMessageCount() == 0);
    }
  }

  @Test
  void queueIsThereOnceWhenANodeIsKilledWhileItMoves() throws Exception {
    try (ClusterProcesses cluster = new ClusterProcesses(directory, 3)) {
      cluster.startAll();
      Channel channel = cluster.channel(2);
      channel.queueDeclare("other", true, false, false, null);
      cluster.channel(0).queueDeclare(QUEUE, true, false, false, null);
      channel.confirmSelect();
      int count = 3_000;
      for (int i = 0; i < count; i++) {
        channel.basicPublish("", QUEUE, MessageProperties.PERSISTENT_BASIC, body(i));
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);

      for (int killed : new int[] {1, 0}) {
        // Another thread moves; whether it has ended when the node dies is left to chance.
        Thread mover =
            new Thread(
                () ->
                    ControlCommand.of(cluster.node(2))
                        .run("move_queue", QUEUE, ClusterProcesses.name(1)));
        mover.start();
        Http api = Http.as(cluster.node(2).httpPort(), "guest", "guest");
        await()
            .atMost(Patience.TIME)
            .until(
                () ->
                    api.get("queues/%2F/q/move").json().path("moving").asBoolean()
                        || !mover.isAlive());
        cluster.node(killed).kill();
        cluster.start(killed);
        mover.join();
        await()
            .atMost(Patience.TIME)
            .until(() -> !api.get("queues/%2F/q/move").json().path("moving").asBoolean(true));
        Channel fresh = cluster.channel(2);
        await()
            .atMost(Patience.TIME)
            .ignoreExceptions()
            .until(() -> cluster.channel(2).queueDeclarePassive(QUEUE).getMessageCount() == count);
        assertThat(fresh.isOpen()).isTrue();
      }

      Channel reading = cluster.channel(2);
      for (int i = 0; i < count; i++) {
        GetResponse got = reading.basicGet(QUEUE, true);
        assertThat(got).as("message %d", i).isNotNull();
        assertThat(got.getBody()).isEqualTo(body(i));
      }
      assertThat(reading.basicGet(QUEUE, true)).isNull();
    }
  }

  private static byte[] body(int number) {
    return "message %d".formatted(number).getBytes(StandardCharsets.UTF_8);
  }

  private static Set<String> homes(ClusterProcesses cluster, String prefix, int count)
      throws Exception {
    Set<String> homes = new HashSet<>();
    for (int i = 0; i < count; i++) {
      homes.add(homeOf(cluster, 2, prefix + i));
    }
    return homes;
  }

  @Test
  void rebalanceByTheApiGoesOnInTheBackground() throws Exception {
    try (ClusterProcesses cluster = new ClusterProcesses(directory, 3)) {
      cluster.startAll();
      Channel channel = cluster.channel(0);
      Map<String, Object> here = Map.of("x-queue-leader-locator", "client-local");
      for (int i = 0; i < 9; i++) {
        channel.queueDeclare("each" + i, true, false, false, here);
        channel.basicPublish("", "each" + i, MessageProperties.PERSISTENT_BASIC, body(i));
      }
      assertThat(homes(cluster, "each", 9)).containsExactly(ClusterProcesses.name(0));
      // Not the node that the queues are on.
      Http api = Http.as(cluster.node(1).httpPort(), "guest", "guest");
      assertThat(api.get("rebalance/queues").json().path("running").asBoolean(true)).isFalse();
      assertThat(api.post("rebalance/queues", "{\"type\":\"mirrors\"}").reason())
          .isEqualTo("type 'mirrors': expected one of all, classic, quorum, stream");
      assertThat(api.post("rebalance/queues", "{\"queue_pattern\":\"(\"}").reason())
          .contains("queue_pattern '(' should be a regular expression");

      assertThat(api.post("rebalance/queues", null).status()).isEqualTo(204);
      await()
          .atMost(Patience.TIME)
          .until(() -> !api.get("rebalance/queues").json().path("running").asBoolean(true));

      JsonNode progress = api.get("rebalance/queues").json();
      assertThat(progress.path("failed")).as("%s", progress).isEmpty();
      assertThat(progress.path("moved").asInt()).isEqualTo(6);
      for (JsonNode node : progress.path("nodes")) {
        assertThat(node.path("queues").asInt()).as("%s", progress).isEqualTo(3);
      }
      assertThat(homes(cluster, "each", 9)).hasSize(3);
      for (int i = 0; i < 9; i++) {
        assertThat(cluster.channel(2).basicGet("each" + i, true).getBody()).isEqualTo(body(i));
      }
    }
  }

  @Test
  void rebalanceSpreadsQueuesAndRefusalsAreInWords() throws Exception {
    try (ClusterProcesses cluster = new ClusterProcesses(directory, 3)) {
      cluster.startAll();
      Channel channel = cluster.channel(0);
      for (int i = 0; i < 6; i++) {
        channel.queueDeclare("spread" + i, true, false, false, null);
      }
      channel.queueDeclare("log", true, false, false, Map.of("x-queue-type", "stream"));
      channel.queueDeclare("own", false, true, false, null);
      ControlCommand control = ControlCommand.of(cluster.node(1));

      ControlCommand.Outcome planned =
          control.run("--dry-run", "rebalance", "classic", "--queue-pattern", "spread");
      assertThat(planned.exit()).as("%s", planned).isZero();
      assertThat(homes(cluster, "spread", 6)).hasSize(1);
      ControlCommand.Outcome outcome =
          control.run("rebalance", "classic", "--queue-pattern", "spread");
      assertThat(outcome.exit()).as("%s", outcome).isZero();
      assertThat(homes(cluster, "spread", 6)).hasSize(3);
      assertThat(outcome.out()).isEqualTo(planned.out());

      String second = ClusterProcesses.name(1);
      assertThat(control.run("move_queue", "log", second).err().toString()).contains("is a stream");
      assertThat(control.run("move_queue", "own", second).exit()).isNotZero();
      assertThat(control.run("move_queue", "none", second).err().toString()).contains("none");
      assertThat(control.run("move_queue", "spread0", "x@host").err().toString())
          .contains("node 'x@host' is not a member of the cluster");
      assertThat(control.run("rebalance", "mirrors").err().toString())
          .contains("expected one of all");
    }
  }
}
