package io.mayflymq.it.cluster.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.Time;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Rounds of faults under load: as many as {@code -Drounds=N} says, by the seed {@code
 * -Drounds.seed=N}. The seed gives the faults, their nodes and their durations.
 */
public final class Rounds {
  private static final int SHORTEST_MILLIS = 200;
  private static final int LOAD_MILLIS = 1_000;

  private final int count;
  private final int longestMillis;
  private final long seed;
  private final Random random;

  /** Names the rounds of a build without these properties, and how long a fault lasts at most. */
  public Rounds(int count, long seed, int longestMillis) {
    this.count = Integer.getInteger("rounds", count);
    this.longestMillis = longestMillis;
    this.seed = Long.getLong("rounds.seed", seed);
    this.random = new Random(this.seed);
  }

  /** What is done in a round. */
  public interface Round {
    /**
     * Exposes the nodes to faults, and compares.
     *
     * @return what is wrong; empty if nothing is
     */
    List<String> run(List<Fault> faults, int millis) throws Exception;
  }

  /**
   * When it happened, by {@link System#nanoTime}.
   *
   * @param begun the faults
   * @param undone the faults
   * @param works each node, again
   */
  public record Times(long begun, long undone, long works) {
    /** Returns in words how long it took. */
    public String told() {
      return String.format(
          Locale.ROOT,
          "works again after %.1f s, compared after %.1f s",
          Time.millisBetween(undone, works) / 1e3,
          Time.millisBetween(undone, System.nanoTime()) / 1e3);
    }
  }

  /** Returns what chooses; one thread, the test's. */
  public Random random() {
    return random;
  }

  /** Runs all; fails after the first one that finds something wrong. */
  public void run(FaultBench bench, Supplier<List<Fault>> faults, Round body) {
    for (int round = 1; round <= count; round++) {
      List<Fault> now = faults.get();
      int duration = SHORTEST_MILLIS + random.nextInt(longestMillis - SHORTEST_MILLIS);
      String what = now.stream().map(Fault::name).collect(Collectors.joining(" and "));
      String name = "round %d of %d, seed %d: %s".formatted(round, count, seed, what);
      System.out.printf(Locale.ROOT, "%s for %,d ms%n", name, duration);
      List<String> wrong;
      try {
        wrong = body.run(now, duration);
      } catch (Exception | AssertionError e) {
        throw new AssertionError(name + "; logs: " + bench.writeOutputs(), e);
      }
      assertThat(wrong).as("%s; logs: %s", name, bench.writeOutputs()).isEmpty();
    }
  }

  /**
   * Lets faults begin under load, undoes them, and waits until each node works.
   *
   * @param atBegin is called right before they begin
   */
  public static Times expose(List<Fault> faults, int millis, ClusterChecks checks, Runnable atBegin)
      throws Exception {
    Time.pass(LOAD_MILLIS);
    atBegin.run();
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
    return new Times(begun, undone, System.nanoTime());
  }
}
