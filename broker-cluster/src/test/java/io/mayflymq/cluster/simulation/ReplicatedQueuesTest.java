package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.partition.ReplicaLook;
import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.cluster.simulation.ClusterRig.Setup;
import io.mayflymq.cluster.simulation.Command.Action;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A cluster with replicated queues under random commands of clients and faults, watched by a {@link
 * Ledger}.
 *
 * <p>A program repeats exactly by its number. The system properties {@code replicated.first} and
 * {@code replicated.programs} choose which run, and how many.
 */
class ReplicatedQueuesTest {
  private static final int FIRST = Integer.getInteger("replicated.first", 0);
  private static final int PROGRAMS = Integer.getInteger("replicated.programs", 100);

  private static final long ROOMY = 1L << 30;

  /** What these do is not for replicated queues. */
  private static final Set<Action> LEFT_OUT =
      EnumSet.of(Action.SCHEDULE, Action.FAILING_METADATA, Action.GIVE_UP);

  private static final List<Action> WEIGHTED = Action.weightedWithout(LEFT_OUT);

  static long run(long seed) {
    Random random = new Random(seed);
    List<Integer> shards = random.ints(3, 1, 3).boxed().toList();
    ClusterRig rig = new ClusterRig(new Setup(shards, ROOMY, seed, true));
    for (int left = 10 + random.nextInt(150); left > 0; left--) {
      Action action = WEIGHTED.get(random.nextInt(WEIGHTED.size()));
      rig.run(new Command(action, random.nextLong()));
    }
    rig.finish(random);
    return rig.trace();
  }

  @Test
  void clientsGetWhatTheyWerePromised() {
    List<String> failures = new ArrayList<>();
    for (int seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
      try {
        run(seed);
      } catch (AssertionError | RuntimeException e) {
        failures.add("program %d: %s".formatted(seed, e));
      }
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void programsRepeatExactly() {
    for (long seed = 0; seed < 5; seed++) {
      assertThat(run(seed)).as("trace of program %d", seed).isEqualTo(run(seed));
    }
  }

  /** The shard that a replica was on goes on meanwhile. */
  @Test
  void replicaIsRemovedAndAddedAgain() {
    Random random = new Random(0);
    SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), ROOMY, random);
    cluster.settle(random);
    Ledger ledger = new Ledger(cluster);
    NodeProcess leading = cluster.nodes().get(0).process();
    SimulatedClient client = new SimulatedClient(leading, 0, ledger);
    client.declare("q", true, FieldTable.builder().put("x-queue-type", "quorum").build());
    cluster.settle(random);
    client.publish("", "q", new SimulatedClient.Content(true, Message.NO_TTL, 10, true));
    cluster.settle(random);
    int partition = cluster.partitions().iterator().next();
    ReplicaManager there = cluster.nodes().get(2).process().control().hosted();
    assertThat(ReplicaLook.state(there, partition)).isNotNull();

    leading.control().changeReplicas(partition, 2);
    cluster.settle(random);
    assertThat(ReplicaLook.state(there, partition)).isNull();

    leading.control().changeReplicas(partition, 2);
    cluster.advance(10_000, random);
    assertThat(ReplicaLook.state(there, partition).inSync()).contains(2);
  }

  /** What was confirmed before the leader has lost its power is there at the next leader. */
  @Test
  void queueGoesOnWhenItsLeaderEnds() {
    for (long seed = 0; seed < 5; seed++) {
      Random random = new Random(seed);
      SimulatedCluster cluster = new SimulatedCluster(List.of(2, 1, 2), ROOMY, random);
      Ledger ledger = new Ledger(cluster);
      cluster.settle(random);
      SimulatedClient there = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
      there.declare("q", true, FieldTable.builder().put("x-queue-type", "quorum").build());
      cluster.settle(random);
      SimulatedClient here = new SimulatedClient(cluster.nodes().get(1).process(), 0, ledger);
      SimulatedClient.Content content = new SimulatedClient.Content(true, Message.NO_TTL, 10, true);
      for (int count = 0; count < 10; count++) {
        here.publish("", "q", content);
      }
      cluster.settle(random);
      assertThat(ledger.confirmed()).isEqualTo(10);
      ledger.trouble();
      cluster.nodes().get(0).losePower(random);
      here.publish("", "q", content);
      here.acknowledgeAll();
      here.consume("q", true, 0, false);
      cluster.advance(10_000, random);
      assertThat(here.isIdle()).as("%s is idle", here).isTrue();
      assertThat(ledger.confirmed()).isEqualTo(11);
      ledger.check();
    }
  }

  /** Whether the next leader learns first that it leads, or that the queue is back. */
  @Test
  void undeletedQueueIsCompleteIfAnotherReplicaBeginsToLeadMeanwhile() {
    for (long seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      SimulatedCluster cluster = new SimulatedCluster(List.of(2, 1, 2), ROOMY, random);
      Ledger ledger = new Ledger(cluster);
      cluster.settle(random);
      SimulatedClient there = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
      there.declare("q", true, quorum().put("x-recoverable", 600_000).build());
      cluster.settle(random);
      SimulatedClient here = new SimulatedClient(cluster.nodes().get(1).process(), 0, ledger);
      SimulatedClient.Content content = new SimulatedClient.Content(true, Message.NO_TTL, 10, true);
      for (int count = 0; count < 10; count++) {
        here.publish("", "q", content);
      }
      cluster.settle(random);
      assertThat(ledger.confirmed()).isEqualTo(10);
      here.delete("q", false);
      cluster.settle(random);
      assertThat(cluster.nodes().get(1).process().queue("q")).isNull();

      here.undelete("q");
      int partition = cluster.partitions().iterator().next();
      int before = random.nextInt(80);
      for (int step = 0; step < before; step++) {
        cluster.step(random);
      }
      if (seed % 2 == 0) {
        ledger.trouble();
        cluster.nodes().get(0).losePower(random);
      } else {
        cluster.nodes().get(0).handOver(partition, 1 + random.nextInt(2));
      }
      cluster.advance(20_000, random);

      assertThat(here.isIdle()).as("seed %d: %s is idle", seed, here).isTrue();
      assertThat(cluster.nodes().get(1).process().queue("q")).as("seed %d", seed).isNotNull();
      assertThat(numbers(cluster, "q", random))
          .as("seed %d", seed)
          .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }
  }

  /**
   * What a queue with reject-publish-dlx refuses is not in it, and is in the queue of its dead
   * letters, on whichever node the publisher is.
   */
  @Test
  void whatAFullQueueRefusesIsDeadLettered() {
    for (long seed = 0; seed < 5; seed++) {
      Random random = new Random(seed);
      SimulatedCluster cluster = new SimulatedCluster(List.of(2, 1, 2), ROOMY, random);
      Ledger ledger = new Ledger(cluster);
      cluster.settle(random);
      SimulatedClient there = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
      there.declare("dead", true, quorum().build());
      FieldTable.Builder full = quorum().put("x-max-length", 3);
      full.put("x-overflow", "reject-publish-dlx").put("x-dead-letter-exchange", "");
      there.declare("full", true, full.put("x-dead-letter-routing-key", "dead").build());
      cluster.settle(random);
      SimulatedClient here = new SimulatedClient(cluster.nodes().get(1).process(), 0, ledger);
      SimulatedClient.Content content = new SimulatedClient.Content(true, Message.NO_TTL, 10, true);
      for (int count = 0; count < 8; count++) {
        here.publish("", "full", content);
      }
      cluster.settle(random);
      assertThat(ledger.confirmed()).isEqualTo(3);
      ledger.trouble();
      cluster.nodes().get(0).losePower(random);
      here.publish("", "full", content);
      cluster.advance(10_000, random);
      assertThat(here.isIdle()).as("%s is idle", here).isTrue();
      assertThat(ledger.confirmed()).isEqualTo(3);
      assertThat(numbers(cluster, "full", random)).containsExactly(0, 1, 2);
      assertThat(numbers(cluster, "dead", random)).containsExactly(3, 4, 5, 6, 7, 8);
    }
  }

  /** Its own queue of dead letters is in the same partition: both change, or neither. */
  @Test
  void whatAFullQueueRefusesIsNotLostWithItsLeader() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      SimulatedCluster cluster = new SimulatedCluster(List.of(2, 1, 2), ROOMY, random);
      Ledger ledger = new Ledger(cluster);
      cluster.settle(random);
      SimulatedClient there = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
      FieldTable.Builder full = quorum().put("x-max-length", 3);
      full.put("x-overflow", "reject-publish-dlx").put("x-dead-letter-queue", "auto");
      there.declare("full", true, full.build());
      cluster.settle(random);
      SimulatedClient here = new SimulatedClient(cluster.nodes().get(1).process(), 0, ledger);
      SimulatedClient.Content content = new SimulatedClient.Content(true, Message.NO_TTL, 10, true);
      for (int count = 0; count < 8; count++) {
        here.publish("", "full", content);
        for (int steps = random.nextInt(60); steps > 0; steps--) {
          cluster.step(random);
        }
      }
      ledger.trouble();
      cluster.nodes().get(0).losePower(random);
      cluster.advance(10_000, random);
      assertThat(here.isIdle()).as("%s is idle", here).isTrue();
      assertThat(numbers(cluster, "full", random)).as("seed %d", seed).containsExactly(0, 1, 2);
      assertThat(numbers(cluster, "full.$dlq", random))
          .as("seed %d", seed)
          .containsExactly(3, 4, 5, 6, 7);
    }
  }

  private static FieldTable.Builder quorum() {
    return FieldTable.builder().put("x-queue-type", "quorum");
  }

  /** Takes all messages out of a queue, at the second node. @return their numbers */
  private static List<Integer> numbers(SimulatedCluster cluster, String name, Random random) {
    Queue queue = cluster.nodes().get(1).process().queue(name);
    List<Integer> numbers = new ArrayList<>();
    while (true) {
      CompletableFuture<GetResult> fetched = queue.requests().fetch(false, LeaseUse.GET);
      cluster.settle(random);
      if (fetched.join() == null) {
        return numbers;
      }
      numbers.add(NumberedMessage.numberOf(fetched.join().message()));
    }
  }
}
