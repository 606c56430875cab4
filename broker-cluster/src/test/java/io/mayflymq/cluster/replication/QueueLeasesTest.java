package io.mayflymq.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What followers know of leases. Node 0 leads, 1 follows; their clocks differ. */
class QueueLeasesTest implements LeaderEffects {
  private static final long FOLLOWER_IS_AHEAD = 1_000_000;

  private long now = 5_000;
  private final QueueLeases leads = new QueueLeases(this::now);
  private final QueueLeases follows = new QueueLeases(() -> now + FOLLOWER_IS_AHEAD);
  private final List<ReplicationMessage.ToFollower> sent = new ArrayList<>();
  private final Replica replica = new Replica(new SimulatedReplicaLog(List.of()), leads);
  private PartitionLeader leader;

  private long now() {
    return now;
  }

  @Override
  public void send(int to, ReplicationMessage.ToFollower message) {
    sent.add(message);
    if (message instanceof ReplicationMessage.Append append) {
      follows.heard(append.leases());
    }
  }

  @Override
  public long timeMillis() {
    return 0;
  }

  @Override
  public void startTakeOver(int to, Map<Long, Long> streamEnds) {}

  @Override
  public void propose(AssignmentChange.InSync change) {}

  @Override
  public void committed(long number) {}

  @Override
  public void relieve(String reason) {}

  private void lead() {
    leader = new PartitionLeader(0, Assignment.first(List.of(0, 1), 0), replica, this, now);
    force();
  }

  private void force() {
    leader.forced(replica.log().last(), now);
  }

  private void follow() {
    leader.connected(1);
    leader.received(1, new ReplicationMessage.Position(1, BurstId.NONE, EpochHistory.NONE), now);
  }

  private void answer() {
    leader.received(1, new ReplicationMessage.Forced(1, replica.last(), now), now);
  }

  @Test
  void aNoteGoesBeforeItsBurst() {
    lead();
    follow();
    leads.used(7, -100, () -> 0);
    assertThat(follows.unusedMillis(7)).isZero();
    leader.append(ByteBuffer.allocate(8), now);
    now += 300;
    assertThat(follows.unusedMillis(7)).isEqualTo(200);
    assertThat(follows.unusedMillis(8)).isZero();
  }

  @Test
  void aFollowerThatConnectsIsSentAllAtOnce() {
    lead();
    follows.heard(new LeaseNotes(false, List.of(new LeaseNote(99_999, 50))));
    for (long queue = 0; queue <= QueueLeases.MOST_AT_ONCE; queue++) {
      leads.used(queue, 0, () -> 0);
    }
    follow();
    now += 10;
    assertThat(follows.unusedMillis(0)).isEqualTo(10);
    assertThat(follows.unusedMillis(QueueLeases.MOST_AT_ONCE)).isEqualTo(10);
    assertThat(follows.unusedMillis(99_999)).isZero();
  }

  @Test
  void aQueueInUseIsNotUnusedAndOneThatIsGoneIsForgotten() {
    lead();
    follow();
    leads.used(7, 0, () -> 0);
    leads.used(8, 0, () -> 0);
    leader.tick(now);
    leads.inUse(7);
    leads.gone(8);
    now += 100;
    assertThat(follows.unusedMillis(8)).isEqualTo(100);
    leader.tick(now);
    assertThat(follows.unusedMillis(7)).isZero();
    assertThat(follows.unusedMillis(8)).isZero();
  }

  @Test
  void aNodeThatBeginsToLeadForgetsOtherQueues() {
    follows.heard(new LeaseNotes(true, List.of(new LeaseNote(1, 5), new LeaseNote(2, 5))));
    follows.begin(Set.of(1L));
    assertThat(follows.unusedMillis(1)).isEqualTo(5);
    assertThat(follows.unusedMillis(2)).isZero();
  }

  @Test
  void theNextLeaderHasAnsweredTheExactTimes() {
    lead();
    follow();
    leads.used(7, -1_000, () -> 250);
    leader.append(ByteBuffer.allocate(8), now);
    force();
    answer();
    assertThat(leader.successor(ReplicaMachine.ANY)).isEqualTo(1);
    now++;
    leads.noteExactly();
    leader.sendLeases(now);
    assertThat(follows.unusedMillis(7)).isEqualTo(250);
    assertThat(leader.successor(ReplicaMachine.ANY)).isEqualTo(ReplicaMachine.ANY);
    answer();
    assertThat(leader.successor(ReplicaMachine.ANY)).isEqualTo(1);
  }
}
