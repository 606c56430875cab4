package io.mayflymq.it.cluster.fault;

import static io.mayflymq.it.cluster.fault.FaultBench.NODES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Time;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
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
  private static final int SHORTEST_MILLIS = 200;

  /** Longer than a node may be silent before it is lost, and than a change may take. */
  private static final int LONGEST_MILLIS = 14_000;

  private static final int LOAD_MILLIS = 1_000;
  private static final int MOVES_ALONE_ONE_OF = 4;
  private static final long DEFAULT_SEED = 17;

  private final long seed = Long.getLong("rounds.seed", DEFAULT_SEED);
  private final Random random = new Random(seed);

  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void faultsLoseNoConfirmedMessageAndLeaveNoDifference() throws Exception {
    int rounds = Integer.getInteger("rounds", 2);
    try (FaultBench bench = FaultBench.start()) {
      Faults faults = new Faults(bench);
      faults.unavailable().forEach(reason -> System.out.println("a fault is left out: " + reason));
      Load load = new Load(bench, random);
      ClusterChecks checks = new ClusterChecks(bench);
      checks.awaitAllReachable();
      for (int round = 1; round <= rounds; round++) {
        String name = "round " + round + " of " + rounds + ", seed " + seed + ": ";
        List<Fault> now = new ArrayList<>();
        if (random.nextBoolean()) {
          now.add(load.moves());
        }
        if (now.isEmpty() || random.nextInt(MOVES_ALONE_ONE_OF) > 0) {
          now.addAll(faults.any(random));
        }
        int duration = SHORTEST_MILLIS + random.nextInt(LONGEST_MILLIS - SHORTEST_MILLIS);
        String what = now.stream().map(Fault::name).collect(Collectors.joining(" and "));
        System.out.printf(Locale.ROOT, "%s%s for %,d ms%n", name, what, duration);
        List<String> wrong;
        try {
          wrong = round(now, duration, load, checks, bench);
        } catch (Exception | AssertionError e) {
          throw new AssertionError(name + what + "; logs: " + logs(bench), e);
        }
        assertThat(wrong).as("%s%s; logs: %s", name, what, logs(bench)).isEmpty();
      }
    }
  }

  private List<String> round(
      List<Fault> faults, long millis, Load load, ClusterChecks checks, FaultBench bench)
      throws Exception {
    load.start();
    Time.pass(LOAD_MILLIS);
    long begun = System.nanoTime();
    for (Fault fault : faults) {
      fault.inject().run();
    }
    Time.pass(millis);
    long undone = System.nanoTime();
    for (Fault fault : faults) {
      fault.undo().run();
    }
    Time.pass(LOAD_MILLIS);
    checks.awaitAllReachable();
    checks.awaitEachNodeWorks();
    long works = System.nanoTime();
    List<String> wrong = new ArrayList<>(load.stop());
    checks.awaitNoMoves(load.queues());
    JsonNode definitions = checks.awaitSameDefinitions();
    wrong.addAll(load.objects().check(definitions));
    long messages = load.messages();
    for (MessageLedger queue : load.queues()) {
      wrong.addAll(QueueReader.read(bench.node(random.nextInt(NODES)), queue, begun));
    }
    wrong.addAll(
        checks.errors(line -> faults.stream().anyMatch(fault -> fault.expected().test(line))));
    System.out.printf(
        Locale.ROOT,
        "  works again after %.1f s, compared after %.1f s, %,d messages, %d queues, %d moves: %s%n",
        Time.millisBetween(undone, works) / 1e3,
        Time.millisBetween(undone, System.nanoTime()) / 1e3,
        messages,
        definitions.path("queues").size(),
        load.takeMoves(),
        wrong.isEmpty() ? "ok" : wrong);
    return wrong;
  }

  private static List<Path> logs(FaultBench bench) {
    return bench.processes().stream().map(process -> process.writeOutput()).toList();
  }
}
