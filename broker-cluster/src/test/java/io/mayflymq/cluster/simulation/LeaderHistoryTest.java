package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A leader is cut off for so long that another one is elected, and reached again before it knows of
 * that. Both have clients that publish, and that take messages.
 */
class LeaderHistoryTest {
  private static final long ROOMY = 1L << 30;
  private static final int PROGRAMS = 30;
  private static final long LONGER_THAN_LEASES_MILLIS = 6_000;

  private final List<String> violations = new ArrayList<>();
  private int led;
  private long confirmed;

  @Test
  void oneLeaderAtATimeConfirms() {
    runAll(Fencing.ON);
    assertThat(violations).isEmpty();
    assertThat(led).as("programs in which two nodes led").isEqualTo(PROGRAMS);
    assertThat(confirmed).isEqualTo(9 * PROGRAMS);
  }

  @Test
  void twoLeadersThatConfirmAreFoundIfEpochsAreNotChecked() {
    runAll(Fencing.NO_EPOCHS);
    assertThat(violations).anyMatch(each -> each.contains("two leaders commit"));
  }

  @Test
  void twoLeadersThatMayTellClientsAreFoundIfLeasesDoNotEnd() {
    runAll(Fencing.NO_LEASE);
    assertThat(violations).anyMatch(each -> each.contains("two leaders may tell clients"));
  }

  private void runAll(Fencing fencing) {
    for (int seed = 0; seed < PROGRAMS; seed++) {
      run(new Random(seed), fencing);
    }
  }

  private void run(Random random, Fencing fencing) {
    SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), ROOMY, random);
    cluster.network().setFencing(fencing);
    Ledger ledger = new Ledger(cluster);
    ledger.trouble();
    cluster.settle(random);
    List<SimulatedClient> clients =
        cluster.processes().stream()
            .map(process -> new SimulatedClient(process, 0, ledger))
            .toList();
    clients.get(0).declare("q", true, FieldTable.builder().put("x-queue-type", "quorum").build());
    cluster.settle(random);
    publish(clients);
    cluster.settle(random);

    cutOff(cluster, 0);
    clients.get(0).get("q", true);
    publish(clients);
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    clients.get(0).get("q", true);
    cluster.settle(random);

    cluster.network().heal();
    publish(clients);
    for (int steps = 0; steps < 400; steps++) {
      cluster.step(random);
      if (steps % 10 == 0) {
        cluster.pass(100, random);
      }
    }
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    violations.addAll(cluster.leaders().violations());
    led += cluster.hasElected() ? 1 : 0;
    confirmed += ledger.confirmed();
  }

  private static void publish(List<SimulatedClient> clients) {
    for (SimulatedClient client : clients) {
      client.publish("", "q", new SimulatedClient.Content(true, Message.NO_TTL, 10, true));
    }
  }

  private static void cutOff(SimulatedCluster cluster, int node) {
    for (SimulatedNode other : cluster.nodes()) {
      cluster.network().block(node, other.number());
      cluster.network().block(other.number(), node);
    }
  }
}
