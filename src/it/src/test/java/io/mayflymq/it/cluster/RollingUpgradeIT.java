package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The nodes of a cluster are upgraded one after the other, while a classic and a quorum queue are
 * in use.
 */
@Order(1)
class RollingUpgradeIT {
  private static final int NODES = 3;
  private static final String QUEUE = "q";

  @TempDir Path directory;

  /** Publishes numbers one by one with confirms, at a node that serves; repeats what has failed. */
  private static final class Publisher implements AutoCloseable {
    private final ClusterNodes cluster;
    private final Set<Integer> confirmed = ConcurrentHashMap.newKeySet();
    private final AtomicInteger next = new AtomicInteger();
    private final Thread thread = new Thread(this::run, "publisher");
    private volatile boolean stopped;

    Publisher(ClusterNodes cluster) {
      this.cluster = cluster;
      thread.start();
    }

    private void run() {
      for (int node = 0; !stopped; node = (node + 1) % NODES) {
        try {
          publish(cluster.channel(node));
        } catch (Exception e) {
          // The node is being replaced: the next one.
        }
      }
    }

    private void publish(Channel channel) throws Exception {
      channel.confirmSelect();
      while (!stopped) {
        int number = next.get();
        channel.basicPublish(
            "",
            QUEUE,
            true,
            MessageProperties.PERSISTENT_BASIC,
            ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
        channel.waitForConfirmsOrDie(Patience.MILLIS);
        confirmed.add(number);
        next.incrementAndGet();
      }
      channel.getConnection().close();
    }

    /** Waits until more messages are confirmed. */
    void awaitMore() {
      int before = confirmed.size();
      await().atMost(Patience.TIME).until(() -> confirmed.size() > before + 10);
    }

    Set<Integer> stop() throws InterruptedException {
      stopped = true;
      thread.join();
      return confirmed;
    }

    @Override
    public void close() {
      stopped = true;
    }
  }

  private static void declareEverywhere(ClusterNodes cluster, String step) throws Exception {
    for (int node = 0; node < NODES; node++) {
      String name = "%s from %d".formatted(step, node);
      cluster.channel(node).queueDeclare(name, true, false, false, null);
      for (int other = 0; other < NODES; other++) {
        int asked = other;
        // A node that has just started may be a moment behind.
        await().atMost(Patience.TIME).until(() -> exists(cluster.channel(asked), name));
      }
    }
  }

  private static boolean exists(Channel channel, String queue) {
    try {
      channel.queueDeclarePassive(queue);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static Set<Integer> messages(Channel channel) throws Exception {
    Set<Integer> found = new HashSet<>();
    for (GetResponse got = channel.basicGet(QUEUE, true);
        got != null;
        got = channel.basicGet(QUEUE, true)) {
      found.add(ByteBuffer.wrap(got.getBody()).getInt());
    }
    return found;
  }

  @Test
  void nodesAreReplacedByALaterReleaseOneAfterTheOther() throws Exception {
    Path later =
        LaterRelease.build(Broker.jar(), Files.createDirectory(directory.resolve("later")));
    try (ClusterNodes cluster = new ClusterNodes(directory, NODES)) {
      cluster.startAll();
      cluster.channel(0).queueDeclare(QUEUE, true, false, false, null);
      try (Publisher publisher = new Publisher(cluster);
          RecoveringClients clients = new RecoveringClients(cluster, NODES, "quorum")) {
        for (int node = 0; node < NODES; node++) {
          publisher.awaitMore();
          clients.awaitMore();
          Map<RecoveringClient, Integer> elsewhere =
              clients.interruptionsElsewhere(cluster.node(node));
          assertThat(ControlCommand.of(cluster.node(node)).run("drain").exit()).isZero();
          cluster.node(node).stop();
          clients.awaitMore();
          cluster.jar(node, later).start(node);
          ControlCommand control = ControlCommand.of(cluster.node(node));
          assertThat(control.run("await_online_nodes", Integer.toString(NODES)).exit()).isZero();
          publisher.awaitMore();
          clients.awaitMore();
          elsewhere.forEach(
              (client, before) -> assertThat(client.interruptions()).isEqualTo(before));
          declareEverywhere(cluster, "with %d later".formatted(node + 1));
        }
        clients.finish();
        Set<Integer> confirmed = publisher.stop();
        // Sorted, so that a failure can be read.
        assertThat(new TreeSet<>(messages(cluster.channel(1)))).containsAll(confirmed);
      }

      cluster.node(2).stop();
      try (Broker earlier = cluster.jar(2, Broker.jar()).builder(2).launch()) {
        assertThat(earlier.awaitExit()).isEqualTo(1);
        assertThat(String.join("\n", earlier.output()))
            .containsPattern(
                "the cluster makes changes of version \\d+, and this release knows them up to"
                    + " version \\d+: start a newer one");
      }
    }
  }
}
