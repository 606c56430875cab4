package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a proof says of the nodes of a queue: what is lost with them, and what waits for them. */
class LostNodesTest {
  private static final int SEEDS = 40;
  private static final long MEMORY = 1 << 20;
  private static final SimulatedClient.Content SAFE =
      new SimulatedClient.Content(true, Message.NO_TTL, 10, true);

  /** Any node of three is gone at any moment, and does not come back: its disk is lost with it. */
  @Test
  void confirmedMessagesOfAQueueWithReplicasSurviveTheLossOfANode() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      SimulatedCluster cluster = new SimulatedCluster(List.of(1, 2, 1), MEMORY, random);
      Ledger ledger = new Ledger(cluster);
      cluster.settle(random);
      int lost = random.nextInt(3);
      int stays = (lost + 1 + random.nextInt(2)) % 3;
      SimulatedClient there = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
      there.declare("q", true, FieldTable.builder().put("x-queue-type", "quorum").build());
      cluster.settle(random);
      SimulatedClient client = new SimulatedClient(cluster.nodes().get(stays).process(), 0, ledger);
      for (int count = 0; count < 10; count++) {
        client.publish("", "q", SAFE);
        for (int steps = random.nextInt(80); steps > 0; steps--) {
          cluster.step(random);
        }
      }
      ledger.trouble();
      cluster.nodes().get(lost).losePower(random);
      cluster.advance(10_000, random);
      assertThat(client.isIdle()).as("seed %d: %s is idle", seed, client).isTrue();
      assertThat(ledger.confirmed()).as("seed %d: confirmed", seed).isEqualTo(10);
      assertThat(numbers(cluster, stays, random))
          .as("seed %d: without node %d", seed, lost)
          .containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }
  }

  private static List<Integer> numbers(SimulatedCluster cluster, int node, Random random) {
    Queue queue = cluster.nodes().get(node).process().queue("q");
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

  @Test
  void messagesOfAClassicQueueWaitForItsNode() {
    Random random = new Random(0);
    SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), MEMORY, random);
    Ledger ledger = new Ledger(cluster);
    cluster.settle(random);
    SimulatedClient there = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
    there.declare("q", true, FieldTable.EMPTY);
    cluster.settle(random);
    there.publish("", "q", SAFE);
    cluster.settle(random);
    assertThat(ledger.confirmed()).isEqualTo(1);
    ledger.trouble();
    cluster.nodes().get(0).kill(random);
    cluster.advance(10_000, random);
    Queue seen = cluster.nodes().get(1).process().queue("q");
    CompletableFuture<GetResult> fetched = seen.requests().fetch(false, LeaseUse.GET);
    cluster.advance(10_000, random);
    assertThat(fetched.isDone() && !fetched.isCompletedExceptionally())
        .as("no other node has it")
        .isFalse();

    cluster.nodes().get(0).start();
    cluster.advance(10_000, random);
    assertThat(numbers(cluster, 1, random)).containsExactly(0);
  }
}
