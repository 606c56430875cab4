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

/**
 * Changes of the leader and of the replicas in sync are proposed, and the cluster agrees upon them
 * late; or a node learns late of what was agreed upon.
 */
class UndecidedChangesTest {
  private static final long ROOMY = 1L << 30;
  private static final long LONGER_THAN_LEASES_MILLIS = 2_600;
  private static final long LONGER_THAN_LAGS_MILLIS = 4_000;
  private static final long HEALING_MILLIS = 10_000;

  /** Enough to open connections again, and to be answered by them. */
  private static final long RECONNECTION_MILLIS = 2_100;

  private final Random random = new Random(1);
  private final SimulatedCluster cluster =
      new SimulatedCluster(List.of(1, 1, 1), ROOMY, new Random(1));
  private final Ledger ledger = new Ledger(cluster);
  private final SimulatedNode leader = cluster.nodes().get(0);
  private final SimulatedNode second = cluster.nodes().get(1);
  private final SimulatedNode third = cluster.nodes().get(2);
  private int partition;

  @BeforeEach
  void declare() {
    ledger.trouble();
    cluster.settle(random);
    SimulatedClient client = client(leader);
    client.declare("q", true, FieldTable.builder().put("x-queue-type", "quorum").build());
    cluster.settle(random);
    partition = leader.process().queue("q").replicatedPartition();
    publish(leader);
    cluster.settle(random);
    assertThat(ledger.confirmed()).isEqualTo(1);
    assertThat(state(leader).mayDeliver()).isTrue();
  }

  private SimulatedClient client(SimulatedNode node) {
    return new SimulatedClient(node.process(), 0, ledger);
  }

  private void publish(SimulatedNode by) {
    client(by).publish("", "q", new SimulatedClient.Content(true, Message.NO_TTL, 10, true));
  }

  private ReplicaState state(SimulatedNode node) {
    return ReplicaLook.state(node.process().control().hosted(), partition);
  }

  private void cut(SimulatedNode one, SimulatedNode other) {
    cluster.network().block(one.number(), other.number());
    cluster.network().block(other.number(), one.number());
  }

  private void isolate(SimulatedNode node) {
    cluster.nodes().forEach(other -> cut(node, other));
    cluster.network().breakBlocked(random);
  }

  private void checkAtTheEnd() {
    cluster.network().heal();
    cluster.log().hold(false);
    for (SimulatedNode node : cluster.nodes()) {
      node.setUninformed(false);
      node.start();
    }
    cluster.advance(HEALING_MILLIS, random);
    cluster.processes().forEach(process -> process.faults().assertNone());
    assertThat(cluster.leaders().violations()).isEmpty();
    SimulatedClient consuming = client(second);
    consuming.acknowledgeAll();
    consuming.consume("q", true, 0, false);
    cluster.settle(random);
    ledger.check();
  }

  /**
   * A replica that lags is proposed to be in sync no more. Before the cluster agrees an operator
   * removes the other follower: the one that has lagged leads next.
   */
  @Test
  void replicaThatIsProposedToLeaveIsStillWaitedFor() {
    cluster.log().hold(true);
    cut(leader, third);
    cluster.network().breakBlocked(random);
    cluster.advance(LONGER_THAN_LAGS_MILLIS, random);
    publish(leader);
    cluster.settle(random);
    isolate(leader);
    second.changeReplicas(partition, second.number());
    cluster.log().hold(false);
    cluster.settle(random);
    assertThat(state(third).inSync()).containsExactlyInAnyOrder(leader.number(), third.number());
    leader.kill(random);
    cluster.advance(HEALING_MILLIS, random);
    assertThat(state(third).leads()).isTrue();
    checkAtTheEnd();
  }

  /**
   * The others report that they do not hear of their leader, and do so again before another one is
   * elected. The earlier one learns of that late.
   */
  @Test
  void newLeaderDeliversNothingWhileTheOneBeforeMay() {
    cluster.log().hold(true);
    isolate(leader);
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    leader.setUninformed(true);
    cluster.network().heal();
    cluster.advance(RECONNECTION_MILLIS, random);
    assertThat(state(leader).mayDeliver()).as("the leader may deliver again").isTrue();
    isolate(leader);
    cluster.log().hold(false);
    cluster.settle(random);
    assertThat(state(second).leads() || state(third).leads()).as("another one leads").isTrue();
    publish(second);
    publish(third);
    cluster.advance(100, random);
    assertThat(cluster.leaders().violations()).isEmpty();
    assertThat(state(leader).mayDeliver()).as("the leader may still deliver").isTrue();
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    assertThat(ledger.confirmed()).as("messages that the other one has confirmed").isEqualTo(3);
    checkAtTheEnd();
  }

  /**
   * The new leader and its follower are started again, and do not know what was committed. The
   * earlier leader, which does not know of them, reaches them with a message of its own.
   */
  @Test
  void earlierLeaderCommitsNothingWithRestartedReplicas() {
    isolate(leader);
    publish(leader);
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    publish(second);
    publish(third);
    cluster.advance(LONGER_THAN_LEASES_MILLIS, random);
    assertThat(ledger.confirmed()).as("messages that the later one has confirmed").isEqualTo(3);
    leader.setUninformed(true);
    cluster.log().hold(true);
    List.of(second, third).forEach(node -> node.kill(random));
    List.of(second, third).forEach(SimulatedNode::start);
    cluster.network().heal();
    cluster.advance(SimulatedLog.PROPOSAL_MILLIS + RECONNECTION_MILLIS, random);
    assertThat(state(second)).as("the replica of a node that could not catch up").isNotNull();
    checkAtTheEnd();
  }
}
