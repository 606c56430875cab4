package io.mayflymq.it.cluster.fault;

import static io.mayflymq.it.cluster.fault.FaultBench.NODES;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.cluster.fault.Rounds.Times;
import io.mayflymq.it.harness.OwnBroker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/*
 * Rounds of: load, a fault for some seconds, its end, recovery, comparison. The data of the nodes and what the clients know go from round to round.
 *
 *     mvn -B verify -pl src/it -Dit.test=ClusterRoundsIT -Drounds=100 [-Drounds.seed=N]
 *
 * The seed gives the faults, their nodes and their durations; the threads of clients and nodes meet differently each time.
 */
/**
 * After any fault is over, all nodes have the same metadata and do their work, and no confirmed
 * message is lost.
 */
@OwnBroker
class ClusterRoundsIT {
  /** Longer than a node may be silent before it is lost, and than a change may take. */
  private static final int LONGEST_MILLIS = 14_000;

  private static final int MOVES_ALONE_ONE_OF = 4;

  private final Rounds rounds = new Rounds(2, 17, LONGEST_MILLIS);
  private final Random random = rounds.random();

  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void faultsLoseNoConfirmedMessageAndLeaveNoDifference() throws Exception {
    try (FaultBench bench = FaultBench.start()) {
      Faults faults = Faults.reported(bench);
      Load load = new Load(bench, random);
      ClusterChecks checks = new ClusterChecks(bench);
      checks.awaitAllReachable();
      rounds.run(
          bench,
          () -> choose(faults, load),
          (now, millis) -> round(now, millis, load, checks, bench));
    }
  }

  private List<Fault> choose(Faults faults, Load load) {
    List<Fault> now = new ArrayList<>();
    if (random.nextBoolean()) {
      now.add(load.moves());
    }
    if (now.isEmpty() || random.nextInt(MOVES_ALONE_ONE_OF) > 0) {
      now.addAll(faults.any(random));
    }
    return now;
  }

  private List<String> round(
      List<Fault> faults, int millis, Load load, ClusterChecks checks, FaultBench bench)
      throws Exception {
    load.start();
    Times times = Rounds.expose(faults, millis, checks, () -> {});
    List<String> wrong = new ArrayList<>(load.stop());
    checks.awaitNoMoves(load.queues());
    JsonNode definitions = checks.awaitSameDefinitions();
    wrong.addAll(load.objects().check(definitions));
    long messages = load.messages();
    for (MessageLedger queue : load.queues()) {
      wrong.addAll(QueueReader.read(bench.node(random.nextInt(NODES)), queue, times.begun()));
    }
    wrong.addAll(checks.errors(faults));
    System.out.printf(
        Locale.ROOT,
        "  %s, %,d messages, %d queues, %d moves: %s%n",
        times.told(),
        messages,
        definitions.path("queues").size(),
        load.takeMoves(),
        wrong.isEmpty() ? "ok" : wrong);
    return wrong;
  }
}
