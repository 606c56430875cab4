package io.mayflymq.core.vhost;

import io.mayflymq.core.vhost.CrashRig.Action;
import io.mayflymq.core.vhost.CrashRig.Command;
import io.mayflymq.core.vhost.CrashRig.Setup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A broker under random commands and crashes at any moment, watched by a {@link Ledger}. */
class BrokerCrashTest {
  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void losesNothingThatWasConfirmedAndBringsNothingBackThatWasSettled(
      @ForAll("setups") Setup setup,
      @ForAll("commands") List<Command> commands,
      @ForAll long seed) {
    run(setup, commands, seed);
  }

  private static void run(Setup setup, List<Command> commands, long seed) {
    CrashRig rig = new CrashRig(setup);
    commands.forEach(rig::run);
    rig.finish(new Random(seed));
  }

  @Provide
  Arbitrary<Setup> setups() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 3), Arbitraries.of(0L, 2000L, TestBroker.ROOMY))
        .as(Setup::new);
  }

  @Provide
  Arbitrary<List<Command>> commands() {
    Arbitrary<Action> actions = Arbitraries.of(WEIGHTED);
    return Combinators.combine(actions, Arbitraries.longs())
        .as(Command::new)
        .list()
        .ofMinSize(10)
        .ofMaxSize(80);
  }

  /** Many more tries, by hand: the number of them, and the seed of the first. */
  public static void main(String[] arguments) {
    int tries = Integer.parseInt(arguments[0]);
    long first = Long.parseLong(arguments[1]);
    int failures = 0;
    for (long seed = first; seed < first + tries && failures < 5; seed++) {
      Random random = new Random(seed);
      Setup setup =
          new Setup(
              1 + random.nextInt(3), new long[] {0, 2000, TestBroker.ROOMY}[random.nextInt(3)]);
      List<Command> commands = new ArrayList<>();
      for (int count = 10 + random.nextInt(80); count > 0; count--) {
        commands.add(new Command(WEIGHTED.get(random.nextInt(WEIGHTED.size())), random.nextLong()));
      }
      if (!tryOut(setup, commands, seed)) {
        failures++;
      }
    }
  }

  private static final List<Action> WEIGHTED =
      Arrays.stream(Action.values())
          .flatMap(action -> Collections.nCopies(action.weight, action).stream())
          .toList();

  private static boolean tryOut(Setup setup, List<Command> commands, long seed) {
    Throwable failure = failure(setup, commands, seed);
    if (failure == null) {
      return true;
    }
    List<Command> least = new ArrayList<>(commands);
    boolean smaller = true;
    while (smaller) {
      smaller = false;
      for (int i = least.size() - 1; i >= 0; i--) {
        List<Command> without = new ArrayList<>(least);
        without.remove(i);
        Throwable other = failure(setup, without, seed);
        if (other != null && other.getClass() == failure.getClass()) {
          least = without;
          smaller = true;
        }
      }
    }
    System.out.println(
        "seed " + seed + " " + setup + " " + least.size() + " of " + commands.size());
    least.forEach(command -> System.out.println("  " + command));
    failure(setup, least, seed).printStackTrace(System.out);
    return false;
  }

  private static Throwable failure(Setup setup, List<Command> commands, long seed) {
    try {
      run(setup, commands, seed);
      return null;
    } catch (RuntimeException | AssertionError e) {
      return e;
    }
  }
}
