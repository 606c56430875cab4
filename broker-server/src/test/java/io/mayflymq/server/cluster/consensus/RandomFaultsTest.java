package io.mayflymq.server.cluster.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import io.mayflymq.server.cluster.consensus.TestCluster.Node;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Proposes entries while links are cut, messages are lost and members restart, as a seed says.
 * Threads make the order of events differ from run to run; what must hold holds in all of them.
 */
@Execution(ExecutionMode.CONCURRENT)
class RandomFaultsTest {
  private static final int STEPS = 60;
  private static final ConsensusLimits SMALL = new ConsensusLimits(1_000, 2_000, 20);
  private static final ConsensusTimes TIMES = new ConsensusTimes(300, 600, 4_000);

  @TempDir Path directory;

  private final Map<String, CompletableFuture<LogPosition>> proposals = new HashMap<>();
  private final Map<Long, Set<String>> leaders = new ConcurrentHashMap<>();
  private int entries;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatIsConfirmedIsAppliedOnceByAll(long seed) throws Exception {
    Random random = new Random(seed);
    try (TestCluster cluster =
        new TestCluster(directory, new SimulatedNetwork(seed), TIMES, SMALL)) {
      cluster.start(random.nextBoolean() ? 3 : 5);
      cluster.nodes().forEach(this::watch);
      for (int step = 0; step < STEPS; step++) {
        disturb(cluster, random);
        for (int i = random.nextInt(10); i > 0; i--) {
          propose(one(cluster, random));
        }
        TimeUnit.MILLISECONDS.sleep(random.nextInt(100));
      }
      cluster.network().heal();
      cluster.nodes().forEach(node -> cluster.network().release(node.name()));
      for (CompletableFuture<LogPosition> proposal : proposals.values()) {
        proposal
            .handle((position, failure) -> failure)
            .get(TestCluster.PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      cluster.propose(cluster.leader(), "last");
      check(cluster);
    }
  }

  private void check(TestCluster cluster) {
    List<String> applied = cluster.agreed(1);
    assertThat(applied).contains("last").doesNotHaveDuplicates();
    Map<String, LogPosition> positions = new HashMap<>();
    cluster
        .leader()
        .state()
        .entries()
        .forEach(entry -> positions.put(entry.entry(), entry.position()));
    int confirmed = 0;
    for (Map.Entry<String, CompletableFuture<LogPosition>> proposal : proposals.entrySet()) {
      if (!proposal.getValue().isCompletedExceptionally()) {
        assertThat(positions.get(proposal.getKey()))
            .as(proposal.getKey())
            .isEqualTo(proposal.getValue().join());
        confirmed++;
      }
    }
    assertThat(confirmed).isPositive();
    assertThat(leaders).allSatisfy((term, names) -> assertThat(names).hasSize(1));
    assertThat(cluster.fatal()).isEmpty();
  }

  private void watch(Node node) {
    node.log()
        .listen(
            new ConsensusListener() {
              @Override
              public void leaderChanged(LeaderChange change) {
                if (change.here()) {
                  leaders
                      .computeIfAbsent(change.term(), term -> ConcurrentHashMap.newKeySet())
                      .add(change.leader());
                }
              }
            });
  }

  private void propose(Node node) {
    String entry = "entry " + entries++ + " of " + node.name() + " ";
    proposals.put(entry, TestCluster.proposed(node, entry));
  }

  private static Node one(TestCluster cluster, Random random) {
    List<Node> nodes = new ArrayList<>(cluster.nodes());
    return nodes.get(random.nextInt(nodes.size()));
  }

  private void disturb(TestCluster cluster, Random random) throws Exception {
    SimulatedNetwork network = cluster.network();
    Node node = one(cluster, random);
    switch (random.nextInt(12)) {
      case 0 -> network.isolate(node.name());
      case 1 -> network.cut(node.name(), one(cluster, random).name());
      case 2 -> network.disturb(0.1, 20);
      case 3 -> network.hold(node.name());
      case 4 -> new HashSet<>(cluster.nodes()).forEach(each -> network.release(each.name()));
      case 5, 6 -> network.heal();
      case 7 -> node.log().transferLeadership(one(cluster, random).name());
      case 8 -> {
        Member stopped = cluster.stop(node.name());
        watch(cluster.start(stopped, StartMode.RESTART));
      }
      default -> {
        // Nothing: time for elections.
        TimeUnit.MILLISECONDS.sleep(random.nextInt(400));
      }
    }
  }
}
