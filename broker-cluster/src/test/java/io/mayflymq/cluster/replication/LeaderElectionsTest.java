package io.mayflymq.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.store.BurstId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which reports lead to an election, one rule at a time. Node 0 leads until then. */
class LeaderElectionsTest {
  private static final int PARTITION = 7;
  private static final BurstId LAST = new BurstId(1, 20);

  private final LeaderElections elections = new LeaderElections();
  private Assignment assignment = Assignment.first(List.of(0, 1, 2), 0);
  private Set<Integer> reachable = Set.of(1, 2);
  private Set<Integer> drained = Set.of();
  private long now = 5_000;

  private void report(int replica, BurstId last) {
    elections.reported(new Leaderless(PARTITION, replica, assignment.epoch(), last, true), now);
  }

  private AssignmentChange.Elected due() {
    return elections
        .due(Map.of(PARTITION, assignment), new LeaderElections.Nodes(reachable, drained), now)
        .get(PARTITION);
  }

  @Test
  void leaderThatIsGoneIsReplacedWhenAllOthersHaveReported() {
    report(1, LAST);
    assertThat(due()).as("2 may hear of the leader").isNull();
    report(2, LAST);
    assertThat(due()).isEqualTo(new AssignmentChange.Elected(1, 1, Set.of(1, 2)));
  }

  @Test
  void replicaThatIsGoneIsNotWaitedFor() {
    reachable = Set.of(1);
    report(1, LAST);
    assertThat(due()).isNotNull();
    assertThat(due().leader()).isEqualTo(1);
    assertThat(due().inSync()).as("never fewer than a majority").containsExactlyInAnyOrder(0, 1);
  }

  @Test
  void longestLogLeads() {
    report(1, LAST);
    report(2, new BurstId(1, 21));
    assertThat(due().leader()).isEqualTo(2);
    report(1, new BurstId(2, 3));
    assertThat(due().leader()).as("a later epoch is further").isEqualTo(1);
  }

  @Test
  void leaderThatAReplicaStillHearsOfStays() {
    reachable = Set.of(0, 1, 2);
    report(1, LAST);
    now += LeaderElections.GRACE_MILLIS * 5;
    report(1, LAST);
    assertThat(due()).isNull();
  }

  @Test
  void leaderThatRunsAndReachesNoneIsReplacedByAMajority() {
    reachable = Set.of(0, 1, 2);
    report(1, LAST);
    report(2, LAST);
    assertThat(due().inSync()).containsExactlyInAnyOrder(1, 2);
  }

  @Test
  void leaderThatRunsIsNotReplacedByOneThatNeedsIt() {
    assignment = assignment.after(new AssignmentChange.InSync(1, Set.of(0, 1)));
    reachable = Set.of(0, 1, 2);
    report(1, LAST);
    assertThat(due()).isNull();
    reachable = Set.of(1, 2);
    assertThat(due()).isNotNull();
  }

  @Test
  void leaderThatHasEndedLeadingIsReplacedAfterAMoment() {
    reachable = Set.of(0, 1, 2);
    report(0, LAST);
    assertThat(due()).isNull();
    now += LeaderElections.GRACE_MILLIS;
    report(1, new BurstId(1, 21));
    assertThat(due()).isEqualTo(new AssignmentChange.Elected(1, 1, Set.of(0, 1, 2)));
  }

  @Test
  void restartedLeaderLeadsAgainIfItIsAlone() {
    assignment = Assignment.first(List.of(0), 0);
    reachable = Set.of(0);
    report(0, LAST);
    assertThat(due()).isEqualTo(new AssignmentChange.Elected(1, 0, Set.of(0)));
  }

  @Test
  void leaderWhoseDiskStallsIsNotElectedAgain() {
    reachable = Set.of(0, 1, 2);
    BurstId further = new BurstId(1, 50);
    elections.reported(new Leaderless(PARTITION, 0, 1, further, false), now);
    report(1, LAST);
    report(2, LAST);
    assertThat(due().leader()).isEqualTo(1);
  }

  @Test
  void nodeInMaintenanceModeIsElectedOnlyWithoutAnother() {
    drained = Set.of(1);
    report(1, new BurstId(1, 50));
    report(2, LAST);
    assertThat(due().leader()).as("with a shorter log").isEqualTo(2);
    reachable = Set.of(1);
    now += LeaderElections.VALID_MILLIS + 1;
    report(1, LAST);
    assertThat(due().leader()).as("the only one").isEqualTo(1);
  }

  @Test
  void leaderInMaintenanceModeWaitsForTheReportsOfOthers() {
    drained = Set.of(0);
    reachable = Set.of(0, 1, 2);
    report(0, LAST);
    now += LeaderElections.GRACE_MILLIS;
    assertThat(due()).as("1 and 2 may report").isNull();
    report(1, LAST);
    assertThat(due().leader()).isEqualTo(1);
    drained = Set.of(0, 1, 2);
    assertThat(due().leader()).as("all are in maintenance mode").isZero();
  }

  @Test
  void onlyReplicasInSyncAreElected() {
    assignment = assignment.after(new AssignmentChange.InSync(1, Set.of(0, 1)));
    report(2, new BurstId(1, 50));
    assertThat(due()).isNull();
    report(1, LAST);
    assertThat(due().leader()).isEqualTo(1);
  }

  @Test
  void reportsOfAnEarlierEpochOrTimeAreForgotten() {
    report(1, LAST);
    now += LeaderElections.VALID_MILLIS + 1;
    report(2, LAST);
    assertThat(due()).isNull();
    report(1, LAST);
    assignment = assignment.after(due());
    assertThat(due()).as("of the epoch before").isNull();
  }
}
