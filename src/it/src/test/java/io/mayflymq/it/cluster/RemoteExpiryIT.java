package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.RawWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages die at their deadline also while they are held for a client of another node. */
class RemoteExpiryIT {
  private static final String QUEUE = "q";
  private static final String DEAD = "dead";
  private static final int BODY = 16 * 1024;
  private static final int BATCH = 128;

  @TempDir Path directory;

  /** A consumer that does not read before it is told to, and has little room meanwhile. */
  private static final class LateReader implements AutoCloseable {
    private final RawClient client;
    private final Set<Integer> received = ConcurrentHashMap.newKeySet();

    LateReader(int port) throws IOException {
      Socket socket = new Socket();
      socket.setReceiveBufferSize(BODY);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      client = new RawClient(socket);
      client.tune(2047, 131072, 0);
      client.openVirtualHost("/");
      client.channelOpen(1);
    }

    void consume() throws IOException {
      client.method(
          1,
          RawWriter.method(60, 20)
              .uint16(0)
              .shortString(QUEUE)
              .shortString("tag")
              .uint8(0)
              .emptyTable());
      client.expect(60, 21);
    }

    void beginToRead() {
      new Thread(this::read, "late reader").start();
    }

    private void read() {
      try {
        while (true) {
          RawFrame frame = client.read();
          if (frame.type() == RawFrame.BODY) {
            received.add(ByteBuffer.wrap(frame.payload()).getInt());
          }
        }
      } catch (IOException e) {
        // The test has ended.
      }
    }

    @Override
    public void close() throws IOException {
      client.close();
    }
  }

  private static void setTtl(ClusterNodes cluster, int millis) {
    String definition = "{\"message-ttl\":%d}".formatted(millis);
    assertThat(
            ControlCommand.of(cluster.node(1))
                .run("set_policy", "--apply-to", "queues", "ttl", "^q$", definition)
                .exit())
        .isZero();
  }

  private static int publishMore(Channel channel, int from) throws Exception {
    for (int number = from; number < from + BATCH; number++) {
      channel.basicPublish("", QUEUE, null, ByteBuffer.allocate(BODY).putInt(number).array());
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    return from + BATCH;
  }

  private static long ready(Channel channel, String queue) {
    try {
      return channel.messageCount(queue);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Returns how many messages wait at home when nothing moves any more. The node of the client is
   * asked: its answer comes behind what its link has brought.
   */
  private static long readyAtRest(Channel here) throws InterruptedException {
    long ready = -1;
    for (int same = 0; same < 5; ) {
      Thread.sleep(100);
      long now = ready(here, QUEUE);
      same = now == ready ? same + 1 : 0;
      ready = now;
    }
    return ready;
  }

  @Test
  void messageThatIsHeldForAClientThatDoesNotReadIsDeadLetteredAtItsDeadline() throws Exception {
    try (ClusterNodes cluster = new ClusterNodes(directory, 2)) {
      cluster.startAll();
      Channel home = cluster.channel(1);
      home.queueDeclare(DEAD, true, false, false, null);
      home.queueDeclare(
          QUEUE,
          true,
          false,
          false,
          Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", DEAD));
      setTtl(cluster, 3_600_000);
      home.confirmSelect();
      try (LateReader reader = new LateReader(cluster.node(0).port())) {
        Channel here = cluster.channel(0);
        reader.consume();
        int published = 0;
        long ready = 0;
        while (ready == 0) {
          published = publishMore(home, published);
          ready = readyAtRest(here);
        }
        int all = published;
        long handedOut = all - ready;

        setTtl(cluster, 2_000);
        await()
            .atMost(Patience.TIME)
            .untilAsserted(
                () -> {
                  assertThat(ready(home, QUEUE)).isZero();
                  assertThat(all - ready(home, DEAD))
                      .as("without those that were held")
                      .isLessThan(handedOut);
                });
        reader.beginToRead();
        await()
            .atMost(Patience.TIME)
            .until(() -> reader.received.size() + ready(home, DEAD) == all);

        Set<Integer> dead = new HashSet<>();
        for (GetResponse got = home.basicGet(DEAD, true);
            got != null;
            got = home.basicGet(DEAD, true)) {
          dead.add(ByteBuffer.wrap(got.getBody()).getInt());
          List<?> deaths = (List<?>) got.getProps().getHeaders().get("x-death");
          assertThat(((Map<?, ?>) deaths.get(0)).get("reason")).hasToString("expired");
        }
        assertThat(dead).doesNotContainAnyElementsOf(reader.received);
        dead.addAll(reader.received);
        assertThat(dead).hasSize(all).containsAll(IntStream.range(0, all).boxed().toList());
      }
    }
  }
}
