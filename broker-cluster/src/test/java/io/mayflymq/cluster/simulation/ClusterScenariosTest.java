package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What random programs have found, as short stories. */
class ClusterScenariosTest {
  private static final int TTL = 1_000;
  private static final SimulatedClient.Content SAFE =
      new SimulatedClient.Content(true, Message.NO_TTL, 10, true);

  private final Random random = new Random(1);

  /** The node that is asked chooses the partition, by its own number of them. */
  @Test
  void queueOfANodeWithFewerLoopsKeepsItsMessages() {
    SimulatedCluster cluster = new SimulatedCluster(List.of(4, 1, 1), 1 << 20, random);
    Ledger ledger = new Ledger(cluster);
    cluster.settle(random);
    List<String> queues = IntStream.range(0, 12).mapToObj(number -> "q" + number).toList();
    SimulatedClient client = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
    FieldTable balanced = FieldTable.builder().put("x-queue-leader-locator", "balanced").build();
    queues.forEach(queue -> client.declare(queue, true, balanced));
    queues.forEach(queue -> client.publish("", queue, SAFE));
    cluster.settle(random);
    for (SimulatedNode node : cluster.nodes()) {
      node.kill(random);
      node.start();
    }
    cluster.settle(random);
    SimulatedClient again = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
    again.acknowledgeAll();
    queues.forEach(queue -> again.get(queue, true));
    cluster.settle(random);
    assertThat(ledger.published()).isEqualTo(queues.size());
    ledger.check();
  }

  /** What a queue has delivered before a cancellation arrives before the answer to that. */
  @Test
  void noMessageIsLostToACancelledConsumer() {
    for (int seed = 0; seed < 40; seed++) {
      Random order = new Random(seed);
      SimulatedCluster cluster = new SimulatedCluster(List.of(2, 1, 1), 1 << 20, order);
      Ledger ledger = new Ledger(cluster);
      cluster.settle(order);
      SimulatedClient there = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
      List<String> queues = List.of("q0", "q1");
      queues.forEach(queue -> there.declare(queue, true, FieldTable.EMPTY));
      cluster.settle(order);
      SimulatedClient here = new SimulatedClient(cluster.nodes().get(1).process(), 0, ledger);
      queues.forEach(queue -> here.consume(queue, true, 0, false));
      cluster.settle(order);
      queues.forEach(queue -> here.publish("", queue, SAFE));
      here.close();
      for (int step = 0; step < 200; step++) {
        cluster.step(order);
      }
      cluster.settle(order);
      here.acknowledgeAll();
      for (String queue : queues) {
        here.get(queue, true);
      }
      cluster.settle(order);
      ledger.check();
    }
  }

  @Test
  void deadLetterArrivesWhenTheDiskOfItsTargetHasFailedMeanwhile() {
    SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), 1 << 20, random);
    Ledger ledger = new Ledger(cluster);
    cluster.settle(random);
    SimulatedNode other = cluster.nodes().get(1);
    SimulatedClient here = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
    new SimulatedClient(other.process(), 0, ledger).declare("dead", true, FieldTable.EMPTY);
    FieldTable deadLettering =
        FieldTable.builder()
            .put("x-dead-letter-exchange", "")
            .put("x-dead-letter-routing-key", "dead")
            .put("x-message-ttl", 10)
            .build();
    here.declare("jobs", true, deadLettering);
    cluster.settle(random);
    here.publish("", "jobs", SAFE);
    cluster.settle(random);
    other.failForces();
    cluster.advance(20, random);
    other.kill(random);
    other.start();
    cluster.advance(5_000, random);
    here.acknowledgeAll();
    here.get("dead", true);
    cluster.settle(random);
    ledger.check();
  }

  /** A limit that consumers share holds nothing up that another consumer can take. */
  @Test
  void releasedMessageGoesToAnotherConsumerBehindLaterOnes() {
    SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), 1 << 20, random);
    Ledger ledger = new Ledger(cluster);
    cluster.settle(random);
    SimulatedClient there = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
    there.declare("jobs", true, FieldTable.EMPTY);
    cluster.settle(random);
    NodeProcess here = cluster.nodes().get(1).process();
    SimulatedClient full = new SimulatedClient(here, 0, ledger);
    full.consume("jobs", true, 0, true);
    cluster.settle(random);
    full.consumers().get(0).setRoom(0);
    SimulatedClient other = new SimulatedClient(here, 0, ledger);
    other.consume("jobs", true, 0, false);
    other.acknowledgeAll();
    cluster.settle(random);
    for (int number = 0; number < 4; number++) {
      there.publish("", "jobs", SAFE);
    }
    cluster.settle(random);
    ledger.check();
  }

  /** Its client takes it late, on a node whose clock was set back. */
  @Test
  void heldMessageIsNotDeliveredAfterItsDeadline() {
    SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), 1 << 20, random);
    Ledger ledger = new Ledger(cluster);
    cluster.settle(random);
    SimulatedClient there = new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger);
    there.declare("jobs", true, FieldTable.builder().put("x-message-ttl", 50).build());
    cluster.settle(random);
    SimulatedNode node = cluster.nodes().get(1);
    SimulatedClient here = new SimulatedClient(node.process(), 0, ledger);
    here.consume("jobs", true, 0, false);
    cluster.settle(random);
    SimulatedConsumer consumer = here.consumers().get(0);
    consumer.setRoom(0);
    cluster.settle(random);
    there.publish("", "jobs", SAFE);
    cluster.settle(random);
    node.setClock(-10_000);
    cluster.advance(20, random);
    there.publish("", "jobs", SAFE);
    cluster.settle(random);
    cluster.advance(40, random);
    consumer.setRoom(10);
    here.acknowledgeAll();
    cluster.settle(random);
    node.process().faults().assertNone();
    ledger.check();
  }

  /**
   * What has expired meanwhile goes by the metadata of the moment, and not by those of its disk.
   */
  @Test
  void nodeCatchesUpBeforeAnythingExpires() {
    SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), 1 << 20, random);
    SimulatedNode home = declareJobs(cluster);
    home.kill(random);
    SimulatedNode other = cluster.nodes().get(1);
    new SimulatedClient(other.process(), 0, new Ledger(cluster))
        .declare("dead", true, FieldTable.EMPTY);
    cluster.settle(random);
    cluster.advance(TTL + 1, random);
    home.start();
    cluster.settle(random);
    assertThat(ready(home, "jobs")).isZero();
    assertThat(ready(other, "dead")).isEqualTo(1);
  }

  @Test
  void nodeWithoutMajorityStartsItsQueuesAllTheSame() {
    SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), 1 << 20, random);
    SimulatedNode home = declareJobs(cluster);
    cluster.nodes().forEach(node -> node.kill(random));
    cluster.advance(TTL + 1, random);
    home.start();
    cluster.settle(random);
    assertThat(ready(home, "jobs")).as("before it has tried to catch up").isEqualTo(1);
    cluster.advance(SimulatedLog.PROPOSAL_MILLIS, random);
    assertThat(ready(home, "jobs")).isZero();
  }

  /** A message expires in a queue of the first node, and goes to a queue that is not there yet. */
  private SimulatedNode declareJobs(SimulatedCluster cluster) {
    cluster.settle(random);
    SimulatedNode home = cluster.nodes().get(0);
    SimulatedClient client = new SimulatedClient(home.process(), 0, new Ledger(cluster));
    client.declare(
        "jobs",
        true,
        FieldTable.builder()
            .put("x-dead-letter-exchange", "")
            .put("x-dead-letter-routing-key", "dead")
            .put("x-message-ttl", TTL)
            .build());
    cluster.settle(random);
    client.publish("", "jobs", SAFE);
    cluster.settle(random);
    return home;
  }

  private static long ready(SimulatedNode node, String queue) {
    return node.process().queue(queue).onShard().contents().totals().ready();
  }

  /** What was published before has its deadline by the earlier time. */
  @Test
  void clockIsSetBackBeforeAnyTimeHasPassed() {
    SimulatedNode node = new SimulatedCluster(List.of(1, 1, 1), 1 << 20, random).nodes().get(0);
    long before = node.clock().millis();
    node.setClock(-40);
    assertThat(node.latestMillis()).isEqualTo(before);
  }
}
