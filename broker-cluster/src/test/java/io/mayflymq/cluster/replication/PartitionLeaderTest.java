package io.mayflymq.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.cluster.replication.ReplicationMessage.Append;
import io.mayflymq.cluster.replication.ReplicationMessage.Follow;
import io.mayflymq.cluster.replication.ReplicationMessage.Forced;
import io.mayflymq.cluster.replication.ReplicationMessage.Lead;
import io.mayflymq.cluster.replication.ReplicationMessage.Position;
import io.mayflymq.cluster.replication.ReplicationMessage.Refused;
import io.mayflymq.cluster.replication.ReplicationMessage.TakeOver;
import io.mayflymq.cluster.replication.ReplicationMessage.ToFollower;
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

/** What a leader waits for, one rule at a time. Node 0 leads; 1 and 2 may follow. */
class PartitionLeaderTest implements LeaderEffects {
  private static final int LAG = ReplicationTimes.USUAL.lag();

  private final SimulatedReplicaLog log = new SimulatedReplicaLog(List.of());
  private final Replica replica = new Replica(log, new QueueLeases(this::now));
  private final List<ToFollower> sent = new ArrayList<>();
  private final List<AssignmentChange.InSync> proposed = new ArrayList<>();
  private Assignment assignment = Assignment.first(List.of(0, 1, 2), 0);
  private String relieved;
  private long now;
  private PartitionLeader leader;

  @Override
  public void send(int to, ToFollower message) {
    sent.add(message);
  }

  @Override
  public long timeMillis() {
    return 0;
  }

  @Override
  public void startTakeOver(int to, Map<Long, Long> streamEnds) {}

  @Override
  public void propose(AssignmentChange.InSync change) {
    proposed.add(change);
  }

  @Override
  public void committed(long number) {
    assertThat(number).isEqualTo(replica.committed());
  }

  @Override
  public void relieve(String reason) {
    relieved = reason;
  }

  private long now() {
    return now;
  }

  private void lead() {
    leader = new PartitionLeader(0, assignment, replica, this, now);
    forceAll();
  }

  private void forceAll() {
    leader.forced(log.last(), now);
  }

  private long publish() {
    long number = leader.append(ByteBuffer.allocate(8), now);
    forceAll();
    return number;
  }

  private void follow(int follower) {
    leader.connected(follower);
    leader.received(follower, new Position(1, BurstId.NONE, EpochHistory.NONE), now);
  }

  private void answer(int follower, long forced) {
    leader.received(follower, new Forced(leader.epoch(), forced, now), now);
  }

  private void agree(AssignmentChange change) {
    assignment = assignment.after(change);
    leader.assigned(assignment, now);
  }

  /** Leads with nodes 0 and 1 in sync, while 2 is not. */
  private void leadWithoutTwo() {
    assignment = assignment.after(new AssignmentChange.InSync(1, Set.of(0, 1)));
    lead();
    follow(1);
  }

  @Test
  void burstIsCommittedWhenAllInSyncHaveForcedIt() {
    lead();
    follow(1);
    follow(2);
    long number = publish();
    answer(1, number);
    answer(2, number - 1);
    assertThat(replica.committed()).isEqualTo(number - 1);
    answer(2, number);
    assertThat(replica.committed()).isEqualTo(number);
  }

  @Test
  void burstIsNotCommittedBeforeTheLeaderHasForcedIt() {
    leadWithoutTwo();
    long number = leader.append(ByteBuffer.allocate(8), now);
    answer(1, number);
    assertThat(replica.committed()).isLessThan(number);
    forceAll();
    assertThat(replica.committed()).isEqualTo(number);
  }

  @Test
  void nothingIsSentBeforeTheEpochIsForced() {
    leader = new PartitionLeader(0, assignment, replica, this, now);
    leader.connected(1);
    leader.append(ByteBuffer.allocate(8), now);
    leader.tick(now);
    assertThat(sent).isEmpty();
    assertThat(proposed).isEmpty();
    forceAll();
    assertThat(sent).containsExactly(new Lead(1));
  }

  @Test
  void replicaWhoseProcessHasEndedIsTakenOutOfSyncAtOnce() {
    lead();
    follow(1);
    follow(2);
    answer(1, publish());
    leader.disconnected(2);
    leader.tick(now);
    assertThat(proposed).isEmpty();
    leader.ended(2, now);
    assertThat(proposed).containsExactly(new AssignmentChange.InSync(1, Set.of(0, 1)));
    agree(proposed.get(0));
    assertThat(replica.committed()).isEqualTo(log.last().number());
  }

  @Test
  void replicaThatHasEndedStaysIfAMajorityNeedsIt() {
    leadWithoutTwo();
    leader.ended(1, now);
    assertThat(proposed).isEmpty();
  }

  @Test
  void replicaThatHasBeenBehindForTooLongIsTakenOutOfSync() {
    lead();
    follow(1);
    follow(2);
    answer(1, publish());
    for (int time = 0; time <= LAG + 1_000; time += 500) {
      now = time;
      leader.tick(now);
      answer(1, publish());
    }
    assertThat(proposed).containsExactly(new AssignmentChange.InSync(1, Set.of(0, 1)));
    long number = publish();
    answer(1, number);
    assertThat(replica.committed()).as("before that is agreed").isLessThan(number);
    agree(proposed.get(0));
    assertThat(replica.committed()).isEqualTo(number);
  }

  @Test
  void replicasInSyncAreNeverFewerThanAMajority() {
    leadWithoutTwo();
    now = LAG * 10L;
    leader.tick(now);
    assertThat(proposed).isEmpty();
    assertThat(assignment.after(new AssignmentChange.InSync(assignment.revision(), Set.of(0))))
        .isEqualTo(assignment);
  }

  @Test
  void replicaIsInSyncOnlyWithAllThatIsCommitted() {
    leadWithoutTwo();
    follow(2);
    long number = publish();
    answer(1, number);
    answer(2, number - 1);
    leader.tick(now);
    assertThat(proposed).isEmpty();
    answer(2, number);
    leader.tick(now);
    assertThat(proposed).hasSize(1);
    assertThat(proposed.get(0).inSync()).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void replicaThatHasCaughtUpIsProposedWithItsAnswer() {
    leadWithoutTwo();
    follow(2);
    long number = publish();
    answer(1, number);
    answer(2, number - 1);
    assertThat(proposed).isEmpty();
    answer(2, number);
    assertThat(proposed).hasSize(1);
    assertThat(proposed.get(0).inSync()).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void commitWaitsForAReplicaWhileItIsProposed() {
    leadWithoutTwo();
    follow(2);
    answer(2, log.last().number());
    answer(1, log.last().number());
    leader.tick(now);
    assertThat(proposed).hasSize(1);
    long number = publish();
    answer(1, number);
    assertThat(replica.committed()).isEqualTo(number - 1);
    answer(2, number);
    assertThat(replica.committed()).isEqualTo(number);
  }

  @Test
  void burstsOfEarlierEpochsAreCommittedWithTheFirstOfThisOne() {
    lead();
    follow(1);
    publish();
    assignment = assignment.after(new AssignmentChange.Elected(1, 0, Set.of(0, 1)));
    PartitionLeader before = leader;
    assertThat(before.assigned(assignment, now)).isFalse();
    lead();
    leader.connected(1);
    leader.received(1, new Position(2, new BurstId(1, 2), log.history().cutAfter(2)), now);
    answer(1, 2);
    assertThat(replica.committed()).isZero();
    answer(1, 3);
    assertThat(replica.committed()).isEqualTo(3);
  }

  @Test
  void followerUndoesWhatTheLeaderDoesNotHave() {
    log.append(new Burst(new BurstId(1, 1), ByteBuffer.allocate(8)));
    assignment = assignment.after(new AssignmentChange.Elected(1, 0, Set.of(0, 1)));
    leader =
        new PartitionLeader(0, assignment, new Replica(log, new QueueLeases(() -> now)), this, now);
    leader.forced(log.last(), now);
    leader.connected(1);
    EpochHistory other = EpochHistory.NONE.with(new BurstId(1, 1));
    leader.received(1, new Position(2, new BurstId(1, 4), other), now);
    assertThat(sent).contains(new Follow(2, 1));
    assertThat(sent.get(sent.size() - 1)).isInstanceOf(Append.class);
  }

  @Test
  void replicaThatNeedsWhatIsNotInMemoryIsSentItFromTheLog() {
    leadWithoutTwo();
    answer(1, publish());
    sent.clear();
    follow(2);
    assertThat(sent.get(1)).isEqualTo(new Follow(1, 0));
    assertThat(((Append) sent.get(2)).bursts()).isEqualTo(log.bursts());
  }

  @Test
  void replicaThatNeedsWhatIsNotInTheLogTakesEverythingOver() {
    leadWithoutTwo();
    answer(1, publish());
    log.delete(1);
    follow(2);
    assertThat(sent).contains(new TakeOver(1));
    leader.tookOver(2, now);
    answer(2, log.last().number());
    leader.tick(now);
    assertThat(proposed).hasSize(1);
  }

  @Test
  void leaderHoldsItsLeaseWhileAllInSyncAnswer() {
    leadWithoutTwo();
    assertThat(leader.holdsLease(now)).isFalse();
    answer(1, 1);
    now = ReplicationTimes.USUAL.lease();
    assertThat(leader.holdsLease(now)).isTrue();
    assertThat(leader.holdsLease(now + 1)).isFalse();
  }

  @Test
  void leaderWhoseDiskStallsIsRelieved() {
    leadWithoutTwo();
    leader.append(ByteBuffer.allocate(8), now);
    leader.tick(now + ReplicationTimes.USUAL.stall());
    assertThat(relieved).isNull();
    leader.tick(now + ReplicationTimes.USUAL.stall() + 1);
    assertThat(relieved).isNotNull();
  }

  @Test
  void leaderThatIsRefusedLeadsNoMore() {
    lead();
    leader.connected(1);
    assertThat(leader.received(1, new Refused(1, 3), now)).isFalse();
    assertThat(replica.mayLead(2)).isFalse();
    assertThat(replica.mayLead(3)).isTrue();
  }

  @Test
  void restartedReplicaDoesNotLeadTheSameEpochAgain() {
    lead();
    Replica restarted = new Replica(log, new QueueLeases(() -> now));
    assertThat(restarted.mayLead(1)).isFalse();
    assertThatThrownBy(() -> new PartitionLeader(0, assignment, restarted, this, now))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void logThatWasCutRemembersForWhom() {
    lead();
    PartitionFollower follower = new PartitionFollower(replica);
    follower.received(new Follow(5, 0));
    assertThat(log.last()).isEqualTo(BurstId.NONE);
    assertThat(new Replica(log, new QueueLeases(() -> now)).mayLead(4)).isFalse();
  }

  @Test
  void forcedBurstThatWasUndoneIsNotTheOneOfTheSameNumber() {
    PartitionFollower follower = new PartitionFollower(replica);
    List<ReplicationMessage.ToLeader> answers = new ArrayList<>();
    follower.connected(answers::add);
    follower.received(new Follow(1, 0));
    follower.received(append(1, 1));
    follower.received(new Follow(2, 0));
    follower.received(append(2, 1));
    follower.forced(new BurstId(1, 1));
    assertThat(answers.get(answers.size() - 1)).isEqualTo(new Forced(2, 0, 0));
    follower.forced(new BurstId(2, 1));
    assertThat(answers.get(answers.size() - 1)).isEqualTo(new Forced(2, 1, 0));
  }

  private static Append append(long epoch, long number) {
    Burst burst = new Burst(new BurstId(epoch, number), ByteBuffer.allocate(8));
    return new Append(epoch, List.of(burst), 0, 0, 0);
  }

  @Test
  void whatIsCommittedIsNeverUndone() {
    PartitionFollower follower = new PartitionFollower(replica);
    follower.connected(message -> {});
    follower.received(new Follow(1, 0));
    follower.received(new Append(1, append(1, 1).bursts(), 1, 0, 0));
    assertThatThrownBy(() -> follower.received(new Follow(2, 0)))
        .isInstanceOf(IllegalStateException.class);
  }
}
