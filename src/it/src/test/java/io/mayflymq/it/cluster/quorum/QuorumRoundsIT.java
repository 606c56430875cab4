package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.fault.FaultBench.NODES;

import io.mayflymq.it.cluster.fault.ClusterChecks;
import io.mayflymq.it.cluster.fault.Fault;
import io.mayflymq.it.cluster.fault.FaultBench;
import io.mayflymq.it.cluster.fault.Faults;
import io.mayflymq.it.cluster.fault.LoadClient.Loss;
import io.mayflymq.it.cluster.fault.Rounds;
import io.mayflymq.it.cluster.fault.Rounds.Times;
import io.mayflymq.it.cluster.quorum.Family.Tally;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/*
 * A checker after Jepsen's for RabbitMQ. A round is: load on all nodes; a fault, or two at once, for some seconds; its end; recovery; a drain of all queues;
 * comparison with what the clients know (Family has the rules). The data of the nodes and what the clients know go from round to round.
 *
 *     mvn -B verify -pl src/it -Dit.test=QuorumRoundsIT -Drounds=200 [-Drounds.seed=N]
 *
 * The seed gives the clocks of the nodes, the faults and their durations, and whether they hit the leader of a queue, a follower of it, or any node; the threads of
 * clients and nodes meet differently each time, and so do the leaders.
 */
/**
 * Whatever happens to the nodes of quorum queues, no confirmed message is lost, none is doubled,
 * and the channels of clients stay open on the nodes that a majority can be reached from.
 */
@OwnBroker
@Order(1)
class QuorumRoundsIT {
  /** Longer than a leader may be silent before it is replaced. */
  private static final int LONGEST_MILLIS = 10_000;

  private static final int MOST_SECONDS = 5;

  private final Rounds rounds = new Rounds(3, 18, LONGEST_MILLIS);
  private final Random random = rounds.random();

  @Test
  @Timeout(value = 4, unit = TimeUnit.HOURS)
  void faultsLoseAndDoubleNoConfirmedMessage() throws Exception {
    List<Duration> clocks =
        random.ints(NODES, -MOST_SECONDS, MOST_SECONDS + 1).mapToObj(Duration::ofSeconds).toList();
    System.out.println("the clocks of the nodes are off by " + clocks);
    try (FaultBench bench = FaultBench.start(clocks)) {
      Faults faults = Faults.reported(bench);
      ClusterChecks checks = new ClusterChecks(bench);
      checks.awaitAllReachable();
      QuorumLoad load = new QuorumLoad(bench, random);
      rounds.run(
          bench,
          () -> faults.any(random, load::victim),
          (now, millis) -> round(now, millis, load, checks, bench));
    }
  }

  private List<String> round(
      List<Fault> faults, int millis, QuorumLoad load, ClusterChecks checks, FaultBench bench)
      throws Exception {
    System.out.println("  leaders: " + load.leaders());
    load.start();
    boolean setsClocks = faults.stream().anyMatch(Fault::setsClock);
    Times times =
        Rounds.expose(
            faults,
            millis,
            checks,
            () -> load.families().forEach(family -> family.faultBegins(setsClocks)));
    List<String> wrong = new ArrayList<>(load.stop());
    load.families().forEach(Family::faultIsOver);
    load.restoreAll();
    List<Loss> losses = load.takeLosses();
    wrong.addAll(unexpected(losses, faults, times));
    Tally tally = load.families().stream().map(Family::tally).reduce(Tally::sum).orElseThrow();
    for (Family family : load.families()) {
      wrong.addAll(FamilyReader.read(bench.node(random.nextInt(NODES)), family, times.begun()));
    }
    wrong.addAll(checks.errors(faults));
    System.out.printf(
        Locale.ROOT,
        "  %s, %d channels closed, %s, nothing got of a paused queue %d times: %s%n",
        times.told(),
        losses.size(),
        tally,
        load.takePausesChecked(),
        wrong.isEmpty() ? "ok" : String.join("\n", wrong));
    return wrong;
  }

  /** Returns what clients may not have lost: their nodes were running and in touch with others. */
  private static List<String> unexpected(List<Loss> losses, List<Fault> faults, Times times) {
    List<String> wrong = new ArrayList<>();
    losses.stream()
        .filter(loss -> loss.nanos() < times.begun() || !isAlone(loss.node(), faults))
        .collect(Collectors.groupingBy(Loss::reason))
        .forEach(
            (reason, alike) ->
                wrong.add(
                    String.format(
                        Locale.ROOT,
                        "%d channels were lost at nodes that reach a majority, the first one at"
                            + " %+.1f s by the %s: %s",
                        alike.size(),
                        Time.millisBetween(times.begun(), alike.get(0).nanos()) / 1e3,
                        alike.get(0).client(),
                        reason)));
    return wrong;
  }

  /** Of two faults, one may cut the link between those that the other one has left. */
  private static boolean isAlone(int node, List<Fault> faults) {
    return faults.stream()
        .anyMatch(
            fault ->
                fault.alone().contains(node) || (faults.size() > 1 && !fault.alone().isEmpty()));
  }
}
