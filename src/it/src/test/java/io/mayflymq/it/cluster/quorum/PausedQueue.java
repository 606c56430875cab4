package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.fault.FaultBench.NODES;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.cluster.fault.FaultBench;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import io.mayflymq.it.rounds.Stream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A queue whose deliveries or publishers, or both, are paused again and again while clients publish
 * and consume, whatever happens to its nodes meanwhile. By no node anything comes out of it while
 * its deliveries are paused; at the end its publishers have gone on.
 */
final class PausedQueue {
  private static final String PAUSE = "queues/%2F/paused/pause";
  private static final List<String> WHAT = List.of("deliveries", "publishing", "both");
  private static final int MOST_MILLIS = 600;
  private static final int CONNECT_MILLIS = 5_000;

  /** An end of a pause without a good answer may come into force so much later. */
  private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final FaultBench bench;
  private final Family family = new Family("paused", null, Duration.ZERO, Map.of());
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private Repeated turns;
  private long doubtfulSince = System.nanoTime() - DOUBT_NANOS;
  private int checked;

  PausedQueue(FaultBench bench) {
    this.bench = bench;
  }

  Family family() {
    return family;
  }

  /** Begins to pause it, by way of any node, and to end that by way of another one. */
  void start(long seed) {
    turns = new Repeated("pause", seed, this::pauseFor);
  }

  private void pauseFor(Random random) throws IOException, InterruptedException {
    String what = WHAT.get(random.nextInt(WHAT.size()));
    int millis = random.nextInt(MOST_MILLIS);
    boolean isPaused = pause(random.nextInt(NODES), what);
    boolean holds = isPaused && !what.equals("publishing");
    for (long end = System.nanoTime() + millis * 1_000_000L; end - System.nanoTime() > 0; ) {
      if (holds && System.nanoTime() - doubtfulSince > DOUBT_NANOS) {
        expectNothing(random.nextInt(NODES));
      }
      Time.pass(random.nextInt(100));
    }
    resume(random.nextInt(NODES));
    Time.pass(millis);
  }

  private Http http(int node) {
    return bench.node(node).http();
  }

  private boolean pause(int node, String what) throws IOException, InterruptedException {
    return http(node).put(PAUSE, "{\"what\":\"" + what + "\"}").status() / 100 == 2;
  }

  /** Returns whether it is not paused any more; if that is not known, it may end later. */
  private boolean resume(int node) throws IOException, InterruptedException {
    long before = doubtfulSince;
    doubtfulSince = System.nanoTime();
    int status = http(node).delete(PAUSE).status();
    boolean isEnded = status == 204 || status == 404;
    if (isEnded) {
      doubtfulSince = before;
    }
    return isEnded;
  }

  /** All that is published while it is paused waits, for consumers and for {@code basic.get}. */
  private void expectNothing(int node) {
    ConnectionFactory factory = bench.node(node).factory();
    factory.setConnectionTimeout(CONNECT_MILLIS);
    factory.setHandshakeTimeout(CONNECT_MILLIS);
    factory.setChannelRpcTimeout(CONNECT_MILLIS);
    Connection connection = null;
    try {
      connection = factory.newConnection("getter");
      Channel channel = connection.createChannel();
      GetResponse got = channel.basicGet("paused", false);
      if (got == null) {
        checked++;
      } else {
        wrong.add(
            "paused: node%d has handed out %s"
                .formatted(node, Stream.text(Stream.id(got.getBody()))));
      }
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      // That node is not there, or does not reach the queue.
    } finally {
      if (connection != null) {
        connection.abort(CONNECT_MILLIS);
      }
    }
  }

  /** All nodes are well again: publishers go on. */
  void stop() throws InterruptedException {
    turns.stop();
    await().atMost(Patience.TIME).ignoreExceptions().until(() -> resume(0));
  }

  /** Returns how often nothing was got of it while it was paused, since this was called last. */
  int takeChecked() {
    int taken = checked;
    checked = 0;
    return taken;
  }

  /** Returns what is wrong since this was called last. */
  List<String> takeWrong() {
    List<String> taken = new ArrayList<>(wrong);
    wrong.clear();
    return taken;
  }
}
