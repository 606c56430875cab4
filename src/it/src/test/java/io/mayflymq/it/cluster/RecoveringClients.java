package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Patience;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A client at each node, which publishes to a quorum queue and consumes from it. */
final class RecoveringClients implements AutoCloseable {
  private static final int PROGRESS = 20;

  private final List<RecoveringClient> clients = new ArrayList<>();

  /** Declares the queue, and begins. */
  RecoveringClients(ClusterNodes cluster, int nodes, String queue) throws Exception {
    cluster.channel(0).queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
    for (int node = 0; node < nodes; node++) {
      clients.add(new RecoveringClient(cluster, node, nodes, queue));
    }
  }

  /** Waits until more messages are confirmed to each of them. */
  void awaitMore() {
    for (RecoveringClient client : clients) {
      int before = client.confirmed().size();
      await()
          .atMost(Patience.TIME)
          .until(() -> client.failure() != null || client.confirmed().size() > before + PROGRESS);
    }
    assertThat(clients).allSatisfy(client -> assertThat(client.failure()).isNull());
  }

  /** Returns how often the connections of those have ended that are not at a node. */
  Map<RecoveringClient, Integer> interruptionsElsewhere(Broker node) {
    Map<RecoveringClient, Integer> interruptions = new HashMap<>();
    for (RecoveringClient client : clients) {
      if (!client.isAt(node)) {
        interruptions.put(client, client.interruptions());
      }
    }
    return interruptions;
  }

  /** Publishes nothing more, and waits until all is received that was confirmed. */
  void finish() throws InterruptedException {
    Set<Integer> confirmed = new TreeSet<>();
    for (RecoveringClient client : clients) {
      client.publishNoMore();
      confirmed.addAll(client.confirmed());
    }
    await()
        .atMost(Patience.TIME)
        .untilAsserted(
            () -> assertThat(missing(confirmed)).as("confirmed, not received").isEmpty());
  }

  private Set<Integer> missing(Set<Integer> confirmed) {
    Set<Integer> missing = new TreeSet<>(confirmed);
    clients.forEach(client -> missing.removeAll(client.received()));
    return missing;
  }

  @Override
  public void close() {
    clients.forEach(RecoveringClient::close);
  }
}
