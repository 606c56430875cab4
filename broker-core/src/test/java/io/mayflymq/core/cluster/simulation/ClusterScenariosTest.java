package io.mayflymq.core.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What random programs have found, as short stories. */
class ClusterScenariosTest {
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
}
