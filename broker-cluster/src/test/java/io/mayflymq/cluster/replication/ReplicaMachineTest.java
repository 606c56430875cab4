package io.mayflymq.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.replication.ReplicationMessage.Append;
import io.mayflymq.cluster.replication.ReplicationMessage.Follow;
import io.mayflymq.cluster.replication.ReplicationMessage.Forced;
import io.mayflymq.cluster.replication.ReplicationMessage.Lead;
import io.mayflymq.cluster.replication.ReplicationMessage.Position;
import io.mayflymq.cluster.replication.ReplicationMessage.Refused;
import io.mayflymq.cluster.replication.ReplicationMessage.Released;
import io.mayflymq.cluster.replication.ReplicationMessage.ToFollower;
import io.mayflymq.cluster.replication.ReplicationMessage.ToLeader;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When node 1 leads, delivers and reports, one rule at a time. Node 0 leads at first. */
class ReplicaMachineTest implements ReplicaEffects {
  private final QueueLeases leases = new QueueLeases(this::now);
  private static final int LEASE = ReplicationTimes.USUAL.lease();
  private static final int PROMISE = ReplicationTimes.USUAL.promise();

  private final SimulatedReplicaLog log = new SimulatedReplicaLog(List.of());
  private final List<AssignmentChange> proposed = new ArrayList<>();
  private final List<Leaderless> reports = new ArrayList<>();
  private final List<ToFollower> sent = new ArrayList<>();
  private final List<ToLeader> answers = new ArrayList<>();
  private final Consumer<ToLeader> link = answers::add;
  private Assignment assignment = Assignment.first(List.of(0, 1), 0);
  private long now = 1_000;
  private ReplicaMachine replica = open();

  private ReplicaMachine open() {
    return new ReplicaMachine(1, assignment, log, this, now);
  }

  @Override
  public void send(int follower, ToFollower message) {
    sent.add(message);
  }

  private long now() {
    return now;
  }

  @Override
  public QueueLeases leases() {
    return leases;
  }

  @Override
  public long timeMillis() {
    return 0;
  }

  @Override
  public void heardTime(long timeMillis, long sentAt) {}

  @Override
  public void startTakeOver(int follower, Map<Long, Long> streamEnds) {}

  @Override
  public void propose(AssignmentChange change) {
    proposed.add(change);
  }

  @Override
  public void reportLeaderless(long epoch, BurstId last, boolean isCandidate) {
    reports.add(new Leaderless(7, 1, epoch, last, isCandidate));
  }

  @Override
  public void committed(long number) {
    assertThat(number).isEqualTo(log.last().number());
  }

  @Override
  public void leads(long epoch) {
    assertThat(log.last().epoch()).isEqualTo(epoch);
  }

  @Override
  public void leadsNoMore(String reason) {
    assertThat(reason).isNotEmpty();
  }

  private void receive(ToFollower message) {
    replica.received(message, link, now);
  }

  /** Follows node 0 with one burst of it, forced. */
  private void follow() {
    receive(new Lead(1));
    receive(new Follow(1, 0));
    Burst burst = new Burst(new BurstId(1, 1), ByteBuffer.allocate(8));
    receive(new Append(1, List.of(burst), 0, now, 0));
    replica.forced(log.last(), now);
  }

  private void elect(int leader) {
    assignment = assignment.after(assignment.elect(leader, Set.of(0, 1)));
    replica.assigned(assignment, now);
  }

  /** Node 0 follows, and answers what is sent now. */
  private void lead() {
    elect(1);
    replica.forced(log.last(), now);
    replica.connected(0);
    BurstId last = new BurstId(1, 1);
    replica.received(0, new Position(assignment.epoch(), last, EpochHistory.NONE.with(last)), now);
    answer();
  }

  private void answer() {
    replica.received(0, new Forced(assignment.epoch(), log.last().number(), now), now);
  }

  @Override
  public String toString() {
    return "node 1";
  }

  @Test
  void newLeaderDeliversWhenTheLeaseOfTheOneBeforeHasEnded() {
    now += 2L * LEASE;
    follow();
    long answeredAt = now;
    now += LEASE / 2;
    lead();
    assertThat(replica.leads()).isTrue();
    assertThat(replica.mayDeliver(now)).isFalse();
    now = answeredAt + LEASE;
    answer();
    assertThat(replica.mayDeliver(now)).as("as long as the one before may").isFalse();
    now = answeredAt + PROMISE;
    answer();
    assertThat(replica.mayDeliver(now)).isTrue();
  }

  @Test
  void leaderThatDeliversNothingAnyMoreIsNotWaitedFor() {
    follow();
    receive(new Released(1));
    receive(new Append(1, List.of(), 0, now, 0));
    lead();
    assertThat(replica.mayDeliver(now)).isTrue();
  }

  @Test
  void leaderHandsOverToAFollowerThatHasAll() {
    follow();
    replica.ended(0, now);
    lead();
    replica.append(ByteBuffer.allocate(8), now);
    replica.forced(log.last(), now);
    replica.handOver(ReplicaMachine.ANY, now);
    assertThat(replica.mayDeliver(now)).isFalse();
    assertThat(proposed).isEmpty();
    answer();
    assertThat(sent).contains(new Released(2));
    assertThat(proposed.get(0)).isEqualTo(assignment.elect(0, Set.of(0, 1)));
    assignment = assignment.after(proposed.get(0));
    replica.assigned(assignment, now);
    assertThat(replica.leads()).isFalse();
  }

  @Test
  void leaderThatHandsOverProposesTheSuccessorOnce() {
    follow();
    replica.ended(0, now);
    lead();
    replica.append(ByteBuffer.allocate(8), now);
    replica.forced(log.last(), now);
    replica.handOver(ReplicaMachine.ANY, now);
    answer();
    answer();
    replica.tick(now);
    assertThat(proposed).hasSize(1);
    assertThat(sent).containsOnlyOnce(new Released(2));

    replica.disconnected(0);
    replica.connected(0);
    replica.received(0, new Position(assignment.epoch(), log.last(), log.history()), now);
    answer();
    assertThat(proposed).as("the node with a new connection is told").hasSize(2);
  }

  @Test
  void silenceOfTheLeaderIsNoticedWithoutWaitingForTheNextHeartbeat() {
    follow();
    int heartbeat = ReplicationTimes.USUAL.heartbeat();
    assertThat(replica.nextTickMillis(now)).isEqualTo(heartbeat);
    now += LEASE - 100;
    assertThat(replica.nextTickMillis(now)).isEqualTo(101);
    now += 101;
    replica.tick(now);
    assertThat(reports).hasSize(1);
    assertThat(replica.nextTickMillis(now)).isEqualTo(heartbeat);
  }

  @Test
  void leaderThatCannotHandOverEndsLeadingAndReports() {
    follow();
    lead();
    replica.handOver(0, now);
    now += LEASE + 1;
    replica.tick(now);
    assertThat(replica.leads()).isFalse();
    replica.tick(now);
    assertThat(reports.get(reports.size() - 1).isCandidate()).isTrue();
  }

  @Test
  void replicaOfANodeThatStopsDoesNotLeadAgain() {
    follow();
    replica.retire();
    elect(1);
    assertThat(replica.leads()).isFalse();
    replica.tick(now);
    assertThat(reports.get(0).isCandidate()).isFalse();
  }

  @Test
  void leaderWhoseProcessHasEndedIsNotWaitedFor() {
    follow();
    replica.ended(0, now);
    lead();
    assertThat(replica.mayDeliver(now)).isTrue();
  }

  @Test
  void endOfAnotherProcessDoesNotEndThePromise() {
    follow();
    replica.ended(2, now);
    lead();
    assertThat(replica.mayDeliver(now)).isFalse();
  }

  @Test
  void restartedReplicaDoesNotKnowWhatItHasPromised() {
    follow();
    replica = open();
    replica.ended(0, now);
    lead();
    assertThat(replica.mayDeliver(now)).isFalse();
    now += PROMISE;
    answer();
    assertThat(replica.mayDeliver(now)).isTrue();
  }

  @Test
  void firstLeaderNeedNotWait() {
    assignment = Assignment.first(List.of(1), 1);
    replica = open();
    replica.start(now);
    replica.forced(log.last(), now);
    assertThat(replica.mayDeliver(now)).isTrue();
    assertThat(replica.committed()).isEqualTo(1);
  }

  @Test
  void replicaReportsALeaderThatIsNotHeardOfForTheTimeOfItsLease() {
    follow();
    now += LEASE;
    replica.tick(now);
    assertThat(reports).isEmpty();
    now++;
    replica.tick(now);
    assertThat(reports).containsExactly(new Leaderless(7, 1, 1, new BurstId(1, 1), true));
    receive(new Append(1, List.of(), 0, now, 0));
    replica.tick(now);
    assertThat(reports).hasSize(1);
  }

  @Test
  void replicaReportsALeaderThatHasEndedAtOnceAndAgain() {
    follow();
    replica.ended(0, now);
    assertThat(reports).hasSize(1);
    replica.tick(now);
    assertThat(reports).hasSize(2);
    elect(0);
    replica.tick(now);
    assertThat(reports).as("the next leader has time").hasSize(2);
  }

  @Test
  void replicaThatIsNotInSyncDoesNotReport() {
    assignment = new Assignment(List.of(0, 1), 0, 1, Set.of(0), 3);
    replica = open();
    now += 2L * LEASE;
    replica.tick(now);
    assertThat(reports).isEmpty();
  }

  @Test
  void restartedLeaderReportsItself() {
    assignment = Assignment.first(List.of(1, 0), 1);
    replica = open();
    replica.start(now);
    assertThat(replica.leads()).isTrue();
    replica = open();
    replica.start(now);
    assertThat(replica.leads()).as("the same epoch again").isFalse();
    replica.tick(now);
    assertThat(reports).containsExactly(new Leaderless(7, 1, 1, log.last(), true));
  }

  @Test
  void leaderWhoseDiskStallsLeadsNoMoreAndIsNoCandidate() {
    follow();
    lead();
    replica.append(ByteBuffer.allocate(8), now);
    now += ReplicationTimes.USUAL.stall() + 1;
    replica.tick(now);
    assertThat(replica.leads()).isFalse();
    replica.tick(now);
    assertThat(reports).hasSize(1);
    assertThat(reports.get(0).isCandidate()).isFalse();
    replica.forced(log.last(), now);
    replica.tick(now);
    assertThat(reports.get(1).isCandidate()).isTrue();
  }

  @Test
  void leaderLeadsNoMoreWhenALaterOneSpeaks() {
    follow();
    lead();
    receive(new Lead(assignment.epoch() + 1));
    assertThat(replica.leads()).isFalse();
    assertThat(answers.get(answers.size() - 1)).isInstanceOf(Position.class);
  }

  @Test
  void earlierLeaderIsRefused() {
    follow();
    elect(0);
    answers.clear();
    receive(new Append(1, List.of(), 0, now, 0));
    assertThat(answers).containsExactly(new Refused(1, 2));
  }

  @Test
  void leaderGoesOnWhenAnEarlierOneSpeaks() {
    lead();
    receive(new Lead(1));
    assertThat(replica.leads()).isTrue();
  }

  @Test
  void whatComesOverAnEarlierConnectionIsIgnored() {
    follow();
    List<ToLeader> later = new ArrayList<>();
    replica.received(new Lead(1), later::add, now);
    receive(new Follow(1, 0));
    assertThat(log.last()).isEqualTo(new BurstId(1, 1));
    assertThat(later).hasSize(1);
  }

  @Test
  void connectionsThatWereOpenedBeforeAreUsed() {
    follow();
    replica.connected(0);
    elect(1);
    replica.forced(log.last(), now);
    assertThat(sent).containsExactly(new Lead(2));
  }
}
