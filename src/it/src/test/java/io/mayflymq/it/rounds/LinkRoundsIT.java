package io.mayflymq.it.rounds;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/*
 * Rounds of: load, kill -9 of one or both brokers at a random moment, restart, comparison. A client publishes numbers with confirms to the
 * upstream broker, from which a shovel and a federated exchange take them to the downstream one, all with
 * on-confirm. What was confirmed has to arrive; it may arrive twice. The data directories go from round to round.
 *
 *     mvn -B verify -pl src/it -Dit.test=LinkRoundsIT -Drounds=100 [-Drounds.seed=N]
 */
/** No confirmed message is lost between two brokers, whichever of them is killed. */
@OwnBroker
class LinkRoundsIT {
  private static final int EARLIEST_KILL_MILLIS = 100;
  private static final int LATEST_KILL_MILLIS = 1_500;
  private static final int WINDOW = 20;

  private static final String SHOVELLED = "shovelled";
  private static final String FEDERATED = "federated";
  private static final String ARRIVED = "arrived";
  private static final String COPIES = "copies";

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path data;

  private final long seed = Long.getLong("rounds.seed", 20261129L);
  private final Random random = new Random(seed);
  private final int upstreamPort = Broker.freePort();

  /** By the numbers of messages. */
  private final BitSet confirmed = new BitSet();

  private int next;

  @Test
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void killsLoseNoConfirmedMessage() throws Exception {
    int rounds = Integer.getInteger("rounds", 3);
    try (RestartedBroker up = RestartedBroker.at(data.resolve("up"));
        RestartedBroker down = RestartedBroker.at(data.resolve("down"))) {
      up.set("listeners.tcp.links", "127.0.0.1:" + upstreamPort).start();
      down.start();
      declare(up, down);
      Arrivals shovelled = new Arrivals(ARRIVED);
      Arrivals federated = new Arrivals(COPIES);
      for (int round = 1; round <= rounds; round++) {
        String killed = round(up, down);
        int missing = shovelled.await(down) + federated.await(down);
        System.out.printf(
            Locale.ROOT,
            "round %d of %d, seed %d: killed %s: %,d confirmed of %,d, doubled %,d and %,d: %s%n",
            round,
            rounds,
            seed,
            killed,
            confirmed.cardinality(),
            next,
            shovelled.doubled,
            federated.doubled,
            missing == 0 ? "ok" : missing + " are missing");
        assertThat(missing).as("messages that are missing, seed %d, %s", seed, data).isZero();
      }
    }
  }

  /** Queues and exchanges on both sides, a shovel, and links that run. */
  private void declare(RestartedBroker up, RestartedBroker down) throws Exception {
    try (Channel above = up.connect().createChannel();
        Channel below = down.connect().createChannel()) {
      above.queueDeclare(SHOVELLED, true, false, false, null);
      above.exchangeDeclare(FEDERATED, "fanout", true);
      below.queueDeclare(ARRIVED, true, false, false, null);
      below.queueDeclare(COPIES, true, false, false, null);
      below.exchangeDeclare(FEDERATED, "fanout", true);
      below.queueBind(COPIES, FEDERATED, "");
    }
    Http http = Http.as(down.process().httpPort(), "guest", "guest");
    String uri = "amqp://guest:guest@127.0.0.1:" + upstreamPort;
    put(
        http,
        "parameters/shovel/%2F/moving",
        """
        {"value": {"src-uri": "%s", "src-queue": "%s", "dest-uri": "amqp://", "dest-queue": "%s",
                   "ack-mode": "on-confirm", "reconnect-delay": 0.1}}
        """
            .formatted(uri, SHOVELLED, ARRIVED));
    put(
        http,
        "parameters/federation-upstream/%2F/up",
        """
        {"value": {"uri": "%s", "ack-mode": "on-confirm", "reconnect-delay": 0.1}}
        """
            .formatted(uri));
    put(
        http,
        "policies/%2F/federated",
        """
        {"pattern": "^%s$", "apply-to": "exchanges", "definition": {"federation-upstream": "up"}}
        """
            .formatted(FEDERATED));
    await()
        .atMost(Patience.TIME)
        .until(
            () ->
                http.get("federation-links")
                        .json()
                        .findValuesAsText("status")
                        .equals(List.of("running"))
                    && http.get("shovels")
                        .json()
                        .findValuesAsText("state")
                        .equals(List.of("running")));
    Http above = Http.as(up.process().httpPort(), "guest", "guest");
    await()
        .atMost(Patience.TIME)
        .until(
            () -> above.get("exchanges/%2F/" + FEDERATED + "/bindings/source").json().size() == 1);
  }

  private static void put(Http http, String path, String body) throws Exception {
    Http.Reply reply = http.put(path, body);
    assertThat(reply.status()).as(reply.raw().body()).isIn(201, 204);
  }

  /** Publishes until a broker, or both, is killed; starts it again. @return which */
  private String round(RestartedBroker up, RestartedBroker down) throws Exception {
    int who = random.nextInt(3);
    int moment = EARLIEST_KILL_MILLIS + random.nextInt(LATEST_KILL_MILLIS - EARLIEST_KILL_MILLIS);
    Connection connection = up.connect();
    Thread publisher = new Thread(() -> publish(connection), "publisher");
    publisher.start();
    Time.pass(moment);
    if (who != 1) {
      up.end(Ending.KILL);
    }
    if (who != 0) {
      down.end(Ending.KILL);
    }
    connection.abort();
    publisher.join();
    if (who != 1) {
      up.start();
    }
    if (who != 0) {
      down.start();
    }
    return (who == 0 ? "the upstream" : who == 1 ? "the downstream" : "both")
        + " after %,d ms".formatted(moment);
  }

  private void publish(Connection connection) {
    int first = next;
    try {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      while (true) {
        first = next;
        for (int i = 0; i < WINDOW; i++) {
          byte[] body = bytes(Integer.toString(next));
          // Both, or the window is not confirmed: a number counts for both ways.
          channel.basicPublish("", SHOVELLED, RestartedBroker.PERSISTENT, body);
          channel.basicPublish(FEDERATED, "", RestartedBroker.PERSISTENT, body);
          next++;
        }
        if (!channel.waitForConfirms(Patience.MILLIS)) {
          return;
        }
        confirmed.set(first, next);
      }
    } catch (IOException | ShutdownSignalException | InterruptedException | TimeoutException e) {
      // The kill: what is not confirmed may have arrived, or not.
    }
  }

  /** What has arrived in a queue, which is emptied. */
  private final class Arrivals {
    private final String queue;
    private final BitSet arrived = new BitSet();
    private int doubled;

    Arrivals(String queue) {
      this.queue = queue;
    }

    /** Takes messages until all that was confirmed is there. @return how many are missing */
    int await(RestartedBroker down) throws Exception {
      List<Integer> missing;
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Patience.MILLIS);
      Connection connection = down.connect();
      try (Channel channel = connection.createChannel()) {
        do {
          for (GetResponse got = channel.basicGet(queue, true);
              got != null;
              got = channel.basicGet(queue, true)) {
            int number = Integer.parseInt(new String(got.getBody(), StandardCharsets.UTF_8));
            doubled += arrived.get(number) ? 1 : 0;
            arrived.set(number);
          }
          BitSet open = (BitSet) confirmed.clone();
          open.andNot(arrived);
          missing = open.stream().boxed().toList();
        } while (!missing.isEmpty() && System.nanoTime() < end);
      }
      connection.close();
      return missing.size();
    }
  }
}
