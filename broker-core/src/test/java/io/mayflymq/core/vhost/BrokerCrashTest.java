package io.mayflymq.core.vhost;

import io.mayflymq.core.vhost.CrashRig.Action;
import io.mayflymq.core.vhost.CrashRig.Command;
import io.mayflymq.core.vhost.CrashRig.Setup;
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

/** A broker under random commands and crashes at any moment, watched by a {@link StoreObserver}. */
class BrokerCrashTest {
  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void crashLosesNoConfirmedMessageAndRedeliversNoSettledOne(
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

  private static final List<Action> WEIGHTED =
      Arrays.stream(Action.values())
          .flatMap(action -> Collections.nCopies(action.weight, action).stream())
          .toList();
}
