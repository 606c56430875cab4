package io.mayflymq.core.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which nodes may keep a partition next. Node 0 leads. */
class AssignmentTest {
  private Assignment assignment = Assignment.first(List.of(0, 1, 2), 0);

  private void inSync(Integer... replicas) {
    assignment =
        assignment.after(new AssignmentChange.InSync(assignment.revision(), Set.of(replicas)));
  }

  private boolean applies(AssignmentChange change) {
    Assignment before = assignment;
    assignment = assignment.after(change);
    return !assignment.equals(before);
  }

  @Test
  void replicaThatIsAddedIsNotInSync() {
    assertThat(applies(assignment.with(7))).isTrue();
    assertThat(assignment).isEqualTo(new Assignment(List.of(0, 1, 2, 7), 0, 1, Set.of(0, 1, 2), 2));
    assertThat(applies(assignment.with(8))).isTrue();
    assertThat(applies(new AssignmentChange.InSync(assignment.revision(), Set.of(0, 1))))
        .as("two of five are no majority")
        .isFalse();
  }

  @Test
  void replicaThatIsRemovedIsNotInSyncEither() {
    AssignmentChange earlier = new AssignmentChange.InSync(1, Set.of(0, 1));
    assertThat(applies(assignment.without(2))).isTrue();
    assertThat(assignment).isEqualTo(new Assignment(List.of(0, 1), 0, 1, Set.of(0, 1), 2));
    assertThat(applies(earlier)).as("what its leader has proposed meanwhile").isFalse();
    assertThat(applies(assignment.without(1))).isTrue();
    assertThat(assignment.inSync()).containsExactly(0);
  }

  @Test
  void replicaStaysWithoutWhichTooFewAreInSync() {
    inSync(0, 1);
    assertThat(applies(assignment.without(1))).as("1 of 2 is no majority").isFalse();
    assertThat(applies(assignment.without(2))).as("it is not in sync").isTrue();
    assertThat(applies(assignment.without(0))).as("it leads").isFalse();
  }

  @Test
  void replicaIsReplacedByOneThatIsNotInSync() {
    inSync(0, 1);
    assertThat(applies(new AssignmentChange.Replicas(2, List.of(0, 1, 7)))).isTrue();
    assertThat(assignment).isEqualTo(new Assignment(List.of(0, 1, 7), 0, 1, Set.of(0, 1), 3));
    assertThat(applies(new AssignmentChange.Replicas(3, List.of(0, 7, 8)))).isFalse();
  }

  @Test
  void replicaThatGoesOnAloneLeadsTheNextEpoch() {
    inSync(0, 1);
    AssignmentChange earlier = assignment.elect(1, Set.of(0, 1));
    assertThat(applies(new AssignmentChange.Alone(2, 7))).as("it keeps none").isFalse();
    assertThat(applies(new AssignmentChange.Alone(1, 2))).as("of an earlier revision").isFalse();
    assertThat(applies(new AssignmentChange.Alone(2, 2))).as("it need not be in sync").isTrue();
    assertThat(assignment).isEqualTo(new Assignment(List.of(2), 2, 2, Set.of(2), 3));
    assertThat(applies(earlier)).as("an election that was under way").isFalse();
    assertThat(applies(assignment.with(5))).as("it gets others again").isTrue();
  }
}
