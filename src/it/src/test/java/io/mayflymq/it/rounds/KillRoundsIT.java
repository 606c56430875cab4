package io.mayflymq.it.rounds;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.Time;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/*
 * Rounds of: load, kill -9 at a random moment, restart, comparison. The data directory and what the clients know go from round to
 * round, so the log is rolled, compacted and recovered many times over.
 *
 * Two connections publish into plain queues, and two more into queues whose messages expire in storms, all persistent and with
 * confirms. Consumers acknowledge one by one, many at once, reject and requeue. When the broker is up again, every queue is read
 * from end to end, without acknowledgement, and compared with its ExpectedMessages.
 *
 *     mvn -B verify -pl src/it -Dit.test=KillRoundsIT -Drounds=100 [-Drounds.seed=N]
 *
 * The seed gives the moments of the kills, the sizes and the manners; the threads of clients and broker meet differently each time.
 */
/**
 * No confirmed message is lost, no acknowledged one is redelivered, and the order stays the same.
 */
@OwnBroker
class KillRoundsIT {
  private static final int EARLIEST_KILL_MILLIS = 100;
  private static final int LATEST_KILL_MILLIS = 2_600;
  private static final int BACKLOG = 4_000;

  /** Small, so that segments are created, deleted and compacted often. */
  private static final int SEGMENT_BYTES = 2 << 20;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path data;

  private final long seed = Long.getLong("rounds.seed", 20261130L);
  private final Random random = new Random(seed);
  private final Map<Long, ExpectedMessages> ledgers = new HashMap<>();
  private final Map<String, ExpectedMessages> plain = new HashMap<>();
  private final Map<String, List<ExpectedMessages>> deadLetters = new HashMap<>();
  private final List<List<Stream>> publishing = new ArrayList<>();
  private final List<List<Stream>> expiring = new ArrayList<>();
  private final List<List<Stream>> expiringThemselves = new ArrayList<>();

  @Test
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void killsLoseNoConfirmedMessageAndRedeliverNoSettledOne() throws Exception {
    int rounds = Integer.getInteger("rounds", 3);
    try (RestartedBroker broker = RestartedBroker.at(data)) {
      broker.set("shards", 2).set("durability.segment_size", SEGMENT_BYTES).start();
      RoundQueues topology = new RoundQueues(broker);
      makeStreams(topology);
      for (int round = 1; round <= rounds; round++) {
        String name = "round " + round + " of " + rounds + ", seed " + seed + ": ";
        long moment = between(EARLIEST_KILL_MILLIS, LATEST_KILL_MILLIS);
        long killed = loadAndKill(broker, moment);
        long start = System.nanoTime();
        broker.start();
        double ready = Time.millisBetween(start, System.nanoTime()) / 1e3;
        Tally tally = new Tally();
        List<String> wrong = inspect(broker, topology, killed, tally);
        System.out.printf(
            Locale.ROOT,
            "%skilled after %,d ms, ready again in %.1f s: %s: %s%n",
            name,
            moment,
            ready,
            tally,
            wrong.isEmpty() ? "ok" : wrong);
        assertThat(wrong).as("%sall is in %s", name, data).isEmpty();
      }
    }
  }

  private void makeStreams(RoundQueues topology) {
    for (int connection = 0; connection < 2; connection++) {
      publishing.add(new ArrayList<>());
      expiring.add(new ArrayList<>());
      expiringThemselves.add(new ArrayList<>());
    }
    for (String queue : RoundQueues.plain()) {
      ExpectedMessages ledger = new ExpectedMessages(queue, ExpectedMessages.Copies.ONE, true);
      plain.put(queue, ledger);
      publishing.forEach(streams -> streams.add(stream(queue, ledger)));
    }
    for (RoundQueues.Source source : topology.sources()) {
      ExpectedMessages ledger = source.ledger();
      deadLetters.computeIfAbsent(source.dead(), dead -> new ArrayList<>()).add(ledger);
      (source.ownExpiration() ? expiringThemselves : expiring)
          .forEach(streams -> streams.add(stream(source.name(), ledger)));
    }
  }

  private Stream stream(String queue, ExpectedMessages ledger) {
    int number = ledgers.size() + 1;
    ledgers.put((long) number, ledger);
    return new Stream(number, queue, ledger);
  }

  /** Starts all clients, kills the broker at the given moment, and returns the time of the kill. */
  private long loadAndKill(RestartedBroker broker, long moment) throws Exception {
    List<Traffic> clients = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Connection connection = broker.connect();
      Connection storm = broker.connect();
      clients.add(publisher(connection, publishing.get(i), new Publisher.Manner(5, 5, 0)));
      clients.add(publisher(storm, expiring.get(i), new Publisher.Manner(100, 150, 0)));
      clients.add(
          publisher(storm, expiringThemselves.get(i), new Publisher.Manner(100, 150, 1_200)));
    }
    Connection consuming = broker.connect();
    clients.add(settler(consuming, "plain0", Settler.Manner.ONE_BY_ONE));
    clients.add(settler(consuming, "plain1", Settler.Manner.MULTIPLE));
    clients.add(settler(broker.connect(), "plain2", Settler.Manner.MIXED));
    clients.add(settler(broker.connect(), "dead1", Settler.Manner.MULTIPLE));
    clients.forEach(Traffic::start);
    Time.pass(moment);
    clients.forEach(Traffic::expectTheEnd);
    long killed = System.nanoTime();
    broker.end(Ending.KILL);
    for (Traffic client : clients) {
      client.join();
    }
    return killed;
  }

  private Publisher publisher(Connection connection, List<Stream> streams, Publisher.Manner manner)
      throws Exception {
    return new Publisher(connection, streams, manner, new Random(random.nextLong()));
  }

  private Settler settler(Connection connection, String queue, Settler.Manner manner)
      throws Exception {
    return new Settler(connection, queue, this::ledger, manner, new Random(random.nextLong()));
  }

  private ExpectedMessages ledger(long id) {
    return ledgers.get(Stream.numberOf(id));
  }

  /**
   * Compares every queue with its expected messages, and removes messages so that no queue grows
   * without limit.
   */
  private List<String> inspect(
      RestartedBroker broker, RoundQueues topology, long killed, Tally tally) throws Exception {
    List<String> wrong = new ArrayList<>();
    Connection connection = broker.connect();
    for (String queue : RoundQueues.plain()) {
      try (Inspection inspection = new Inspection(connection, queue)) {
        wrong.addAll(plain.get(queue).check(inspection.ids(), killed, tally));
        if (wrong.isEmpty()) {
          inspection.acknowledge(Math.max(0, inspection.ids().size() - BACKLOG), settlements());
        }
      }
    }
    topology.awaitExpired(connection);
    for (String queue : RoundQueues.dead()) {
      try (Inspection inspection = complete(connection, queue)) {
        for (ExpectedMessages ledger : deadLetters.get(queue)) {
          wrong.addAll(ledger.check(of(ledger, inspection.ids()), killed, tally));
        }
        if (wrong.isEmpty()) {
          inspection.acknowledge(inspection.ids().size(), settlements());
        }
      }
    }
    return wrong;
  }

  /** Returns the dead letters of a queue, after waiting for those in transit between shards. */
  private Inspection complete(Connection connection, String queue) throws Exception {
    long end = System.nanoTime() + 3_000_000_000L;
    while (true) {
      Inspection inspection = new Inspection(connection, queue);
      boolean lacking =
          deadLetters.get(queue).stream()
              .anyMatch(ledger -> ledger.lacks(of(ledger, inspection.ids())));
      if (!lacking || System.nanoTime() > end) {
        return inspection;
      }
      inspection.close();
    }
  }

  private List<Long> of(ExpectedMessages ledger, List<Long> ids) {
    return ids.stream().filter(id -> ledger(id) == ledger).toList();
  }

  private Inspection.Settlements settlements() {
    return new Inspection.Settlements() {
      @Override
      public void settling(long id) {
        ledger(id).settling(id);
      }

      @Override
      public void settled(long id) {
        ledger(id).settled(id);
      }
    };
  }

  private int between(int from, int to) {
    return from + random.nextInt(to - from);
  }
}
