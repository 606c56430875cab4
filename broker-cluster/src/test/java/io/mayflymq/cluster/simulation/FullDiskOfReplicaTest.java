package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.partition.ReplicaLook;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log of a replica is to be opened again, and the disk has no room for that, or fails. */
class FullDiskOfReplicaTest {
  private static final long ROOMY = 1L << 30;
  private static final long LONGER_THAN_LEASES_MILLIS = 10_000;
  private static final long LONGER_THAN_RETRIES_MILLIS = 40_000;

  private final Random random = new Random(1);
  private final SimulatedCluster cluster =
      new SimulatedCluster(List.of(1, 1, 1), ROOMY, new Random(1));
  private final Ledger ledger = new Ledger(cluster);
  private final SimulatedNode first = cluster.nodes().get(0);
  private final SimulatedNode second = cluster.nodes().get(1);
  private SimulatedClient client;
  private int partition;

  @BeforeEach
  void declare() {
    ledger.trouble();
    cluster.settle(random);
    client = client(first);
    client.declare("q", true, FieldTable.builder().put("x-queue-type", "quorum").build());
    cluster.settle(random);
    partition = cluster.partitions().iterator().next();
    publish(client, 1);
    cluster.settle(random);
    assertThat(ledger.confirmed()).isEqualTo(1);
    assertThat(state(first).leads()).isTrue();
  }

  private SimulatedClient client(SimulatedNode node) {
    return new SimulatedClient(node.process(), 0, ledger);
  }

  private void publish(SimulatedClient by, int messages) {
    for (int count = 0; count < messages; count++) {
      by.publish("", "q", new SimulatedClient.Content(true, Message.NO_TTL, 10, true));
    }
  }

  private ReplicaState state(SimulatedNode node) {
    return ReplicaLook.state(node.process().control().hosted(), partition);
  }

  private boolean isClosed(SimulatedNode node) {
    return ReplicaLook.isClosed(node.process().control().hosted(), partition);
  }

  private void requireInSyncAgain(SimulatedNode node) {
    node.disk().fill(Long.MAX_VALUE);
    cluster.advance(LONGER_THAN_RETRIES_MILLIS, random);
    assertThat(isClosed(node)).isFalse();
    assertThat(state(node).inSync()).containsExactlyInAnyOrder(0, 1, 2);
    cluster.processes().forEach(process -> process.faults().assertNone());
    client.acknowledgeAll();
    client.consume("q", true, 0, false);
    cluster.settle(random);
    ledger.check();
  }

  /** The others elect another one, and the node is in sync again when there is room. */
  @Test
  void electedNodeIsInSyncAgainWhenThereIsRoom() {
    second.disk().fill(0);
    first.handOver(partition, second.number());
    publish(client, 2);
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    assertThat(isClosed(second)).as("the replica without room is closed").isTrue();
    assertThat(ledger.confirmed()).isEqualTo(3);
    requireInSyncAgain(second);
  }

  /** It has bursts that the next leader has not, and no room to undo them. */
  @Test
  void earlierLeaderIsInSyncAgainWhenThereIsRoom() {
    List.of(1, 2).forEach(other -> cut(first.number(), other));
    publish(client, 2);
    cluster.settle(random);
    first.disk().fill(0);
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    cluster.network().heal();
    publish(client(second), 1);
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    assertThat(isClosed(first)).as("the replica without room is closed").isTrue();
    requireInSyncAgain(first);
    assertThat(ledger.confirmed()).isEqualTo(4);
  }

  /**
   * The leader has no room, and one of the others is not in sync. The remaining one leads before
   * the first one tries to open its replica again.
   */
  @Test
  void leaderWithoutRoomIsReplacedByTheOnlyOtherReplicaInSync() {
    List.of(0, 1).forEach(other -> cut(2, other));
    publish(client, 1);
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    assertThat(state(first).inSync()).containsExactlyInAnyOrder(0, 1);
    first.disk().fill(0);
    publish(client, 1);
    cluster.advance(5_000, random);
    assertThat(isClosed(first)).as("the replica without room is closed").isTrue();
    cluster.network().heal();
    publish(client(second), 1);
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    assertThat(state(second).leads()).isTrue();
    assertThat(state(second).inSync()).containsExactlyInAnyOrder(1, 2);
    assertThat(ledger.confirmed()).isGreaterThanOrEqualTo(3);
    requireInSyncAgain(first);
  }

  /** What it was to force is not on the disk, and what can be read says nothing of that. */
  @Test
  void replicaWhoseDiskFailsIsNotOpenedBeforeARestart() {
    second.failForces();
    first.handOver(partition, second.number());
    publish(client, 2);
    cluster.advance(LONGER_THAN_RETRIES_MILLIS, random);
    assertThat(isClosed(second)).as("the replica whose disk has failed is closed").isTrue();
    assertThat(ledger.confirmed()).isEqualTo(3);
    second.kill(random);
    second.start();
    requireInSyncAgain(second);
  }

  private void cut(int one, int other) {
    cluster.network().block(one, other);
    cluster.network().block(other, one);
  }
}
