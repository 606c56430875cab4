package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.simulation.ClusterRig.Setup;
import io.mayflymq.cluster.simulation.Command.Action;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** A cluster under random commands of clients and faults, watched by a {@link Ledger}. */
class ClusterFaultsTest {
  private static final long ROOMY = 1L << 30;

  private static final Set<Action> OF_REPLICAS =
      EnumSet.of(
          Action.BLACKOUT,
          Action.DRIFT,
          Action.HAND_OVER,
          Action.REPLICAS,
          Action.WAIT,
          Action.HOLD_LOG,
          Action.UNINFORM,
          Action.INFORM,
          Action.STALL_DISK,
          Action.POLICY,
          Action.CLEAR_POLICY);

  private static final List<Action> WEIGHTED = Action.weightedWithout(OF_REPLICAS);

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void clientsGetWhatTheyWerePromised(
      @ForAll("setups") Setup setup, @ForAll("commands") List<Command> commands) {
    run(setup, commands);
  }

  private static long run(Setup setup, List<Command> commands) {
    ClusterRig rig = new ClusterRig(setup);
    commands.forEach(rig::run);
    rig.finish(new Random(setup.seed()));
    return rig.trace();
  }

  @Provide
  Arbitrary<Setup> setups() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 2).list().ofSize(3),
            Arbitraries.of(0L, 2000L, ROOMY),
            Arbitraries.longs())
        .as((shards, memoryBytes, seed) -> new Setup(shards, memoryBytes, seed, false));
  }

  @Provide
  Arbitrary<List<Command>> commands() {
    return Combinators.combine(Arbitraries.of(WEIGHTED), Arbitraries.longs())
        .as(Command::new)
        .list()
        .ofMinSize(10)
        .ofMaxSize(120);
  }

  @Test
  void programsRepeatExactly() {
    Setup setup = new Setup(List.of(2, 1, 2), ROOMY, 1, false);
    List<Command> commands =
        new Random(1)
            .longs(120)
            .mapToObj(
                seed -> new Command(WEIGHTED.get(new Random(seed).nextInt(WEIGHTED.size())), seed))
            .toList();
    long[] traces = LongStream.range(0, 3).map(run -> run(setup, commands)).toArray();
    assertThat(traces).containsOnly(traces[0]);
  }
}
