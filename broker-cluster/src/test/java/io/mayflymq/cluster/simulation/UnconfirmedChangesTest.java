package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.policy.Pause;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueuePause;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The cluster does not agree in time, and perhaps later: what those are told is true. */
class UnconfirmedChangesTest {
  private static final long ROOMY = 1L << 30;
  private static final int COUNT = 12;

  private final Random random = new Random(20);
  private final SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), ROOMY, random);

  private CompletableFuture<?> declare(String name, boolean exclusive) {
    NodeProcess process = cluster.nodes().get(0).process();
    CompletableFuture<?> declared =
        process
            .vhost()
            .declareQueue(
                new QueueDeclaration(
                    name,
                    !exclusive,
                    exclusive,
                    false,
                    FieldTable.EMPTY,
                    this,
                    process.shards().get(0),
                    false,
                    true));
    cluster.settle(random);
    return declared;
  }

  /** Declares a queue while the nodes that lead the decisions hang. */
  private void declareInVain(String name, boolean exclusive) {
    cluster.log().hold(true);
    CompletableFuture<?> declared = declare(name, exclusive);
    cluster.advance(SimulatedLog.PROPOSAL_MILLIS, random);
    assertThat(declared.handle((done, failure) -> Causes.of(failure).getMessage()).join())
        .startsWith("INTERNAL_ERROR - it is not known whether the change is made: ");
    cluster.log().hold(false);
    cluster.advance(5_000, random);
  }

  private List<String> known(String prefix) {
    return IntStream.range(0, COUNT)
        .mapToObj(number -> prefix + number)
        .filter(name -> cluster.nodes().get(1).process().queue(name) != null)
        .toList();
  }

  @Test
  void whatMayBeMadeLaterCanBeAskedForAgain() {
    cluster.settle(random);
    for (int number = 0; number < COUNT; number++) {
      declareInVain("q" + number, false);
    }
    assertThat(known("q")).as("declared later").isNotEmpty().hasSizeLessThan(COUNT);
    for (int number = 0; number < COUNT; number++) {
      assertThat(declare("q" + number, false)).isCompleted();
    }
    assertThat(known("q")).hasSize(COUNT);
  }

  /** Its connection has ended with the answer. */
  @Test
  void anExclusiveQueueThatIsDeclaredTooLateGoes() {
    cluster.settle(random);
    int before = cluster.log().size();
    for (int number = 0; number < COUNT; number++) {
      declareInVain("x" + number, true);
    }
    assertThat(cluster.log().size()).as("what was agreed upon later").isGreaterThan(before);
    assertThat(known("x")).isEmpty();
  }

  /** A request fails while its change comes into force on the node that was asked. */
  @Test
  void queuesLiveByPoliciesOfRequestsThatHaveFailed() {
    cluster.settle(random);
    declare("q", false);
    NodeProcess asked = cluster.nodes().get(0).process();
    int inForce = 0;
    for (int number = 0; number < 20 * COUNT; number++) {
      CompletableFuture<?> pausing =
          asked.vhost().policies().set(QueuePause.of("q", Pause.DELIVERIES, null));
      cluster.log().lose(random);
      for (int steps = 0; steps < 20; steps++) {
        cluster.step(random);
      }
      cluster.settle(random);
      boolean isPaused = asked.vhost().policies().table().pauses();
      inForce += pausing.isCompletedExceptionally() && isPaused ? 1 : 0;
      assertThat(asked.queue("q").settings().pace().pausesDeliveries()).isEqualTo(isPaused);
      cluster.log().decide(random);
      asked.vhost().policies().clear(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf("q"));
      cluster.advance(1_500, random);
    }
    assertThat(inForce).as("pauses of failed requests").isPositive();
  }
}
