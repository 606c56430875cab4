package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.fault.FaultBench.NODES;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.cluster.fault.FaultBench;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/**
 * A queue that is purged again and again while clients publish to it, and its purges are undone,
 * whatever happens to its nodes meanwhile. Half of that happens while its deliveries are paused. At
 * the end all is there, once and in order.
 */
final class UndoneQueue {
  private static final int PAUSE_MILLIS = 150;
  private static final String PAUSE = "queues/%2F/undone/pause";

  private final FaultBench bench;
  private final Family family =
      new Family("undone", null, Duration.ZERO, Map.of("x-recoverable", 24 * 3_600_000));
  private Repeated turns;

  UndoneQueue(FaultBench bench) {
    this.bench = bench;
  }

  Family family() {
    return family;
  }

  /** Begins to purge it, by way of any node, and to undo that by way of another one. */
  void start(long seed) {
    turns =
        new Repeated(
            "undo",
            seed,
            random -> {
              if (random.nextBoolean()) {
                http(random.nextInt(NODES)).put(PAUSE, "{\"what\":\"deliveries\"}");
              }
              http(random.nextInt(NODES)).delete("queues/%2F/undone/contents");
              restored(random.nextInt(NODES));
              resumed(random.nextInt(NODES));
              Time.pass(PAUSE_MILLIS);
            });
  }

  private Http http(int node) {
    return bench.node(node).http();
  }

  /** Returns whether it is not paused any more. */
  private boolean resumed(int node) throws IOException, InterruptedException {
    int status = http(node).delete(PAUSE).status();
    return status == 204 || status == 404;
  }

  /** Undoes purges. Returns how many messages are back; negative if that is not known. */
  private int restored(int node) throws IOException, InterruptedException {
    Http.Reply reply = http(node).post("queues/%2F/undone/restore", "{\"reasons\":[\"purged\"]}");
    JsonNode count = reply.status() == 200 ? reply.json().path("restored") : null;
    return count == null ? -1 : count.asInt();
  }

  /** Purges nothing more. */
  void stop() throws InterruptedException {
    turns.stop();
  }

  /** All nodes are well again: what was purged is brought back, and nothing waits any more. */
  void restoreAll() {
    await().atMost(Patience.TIME).ignoreExceptions().until(() -> restored(0) == 0 && resumed(0));
  }
}
