package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.LiveMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand.Assigning;
import io.mayflymq.core.metadata.MetadataCommand.AssignmentChanged;
import io.mayflymq.core.metadata.MetadataCommand.PartitionAssigned;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Of several changes of one assignment, the first one applies. */
class PartitionAssignmentsTest {
  private static final Assignment FIRST = Assignment.first(List.of(0, 1, 2), 0);

  private final LiveMetadataLog log = new LiveMetadataLog();
  private final List<PartitionAssigned> told = new ArrayList<>();
  private final PartitionAssignments partitions = open();

  private PartitionAssignments open() {
    return new PartitionAssignments(
        log,
        log.recover(),
        (partition, assignment) -> told.add(new PartitionAssigned(partition, assignment)));
  }

  private void apply(Assigning... changes) {
    assertThat(partitions.apply(List.of(changes))).isCompleted();
  }

  private void refuse(Assigning... changes) {
    assertThat(partitions.apply(List.of(changes)))
        .isCompletedExceptionally()
        .failsWithin(0, TimeUnit.SECONDS)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(UndoneException.class);
  }

  @Test
  void changeOfAnotherRevisionIsExcluded() {
    apply(new PartitionAssigned(4, FIRST));
    AssignmentChange elected = FIRST.elect(1, Set.of(1, 2));
    AssignmentChange shrunk = new AssignmentChange.InSync(1, Set.of(0, 1));
    apply(new AssignmentChanged(4, elected));
    refuse(new AssignmentChanged(4, shrunk));
    assertThat(partitions.all()).isEqualTo(Map.of(4, FIRST.after(elected)));
    assertThat(told)
        .containsExactly(
            new PartitionAssigned(4, FIRST), new PartitionAssigned(4, FIRST.after(elected)));
  }

  @Test
  void numberIsGivenOnce() {
    apply(new PartitionAssigned(4, FIRST));
    refuse(new PartitionAssigned(4, Assignment.first(List.of(5), 5)));
    assertThat(partitions.all()).isEqualTo(Map.of(4, FIRST));
  }

  @Test
  void changeOfAnUnknownPartitionIsExcluded() {
    refuse(new AssignmentChanged(4, FIRST.elect(1, Set.of(1, 2))));
  }

  @Test
  void unitIsCarriedOutAsAWhole() {
    apply(new PartitionAssigned(4, FIRST));
    AssignmentChange elected = FIRST.elect(1, Set.of(1, 2));
    refuse(new PartitionAssigned(5, FIRST), new AssignmentChanged(6, elected));
    apply(new AssignmentChanged(4, elected), new PartitionAssigned(5, FIRST));
    assertThat(partitions.all()).isEqualTo(Map.of(4, FIRST.after(elected), 5, FIRST));
  }

  @Test
  void assignmentsAreKept() {
    apply(new PartitionAssigned(4, FIRST));
    apply(new AssignmentChanged(4, FIRST.elect(2, Set.of(0, 1, 2))));
    assertThat(open().all()).isEqualTo(partitions.all());
    assertThat(partitions.all().get(4).leader()).isEqualTo(2);
  }

  @Test
  void listenerIsToldOfWhatThereIsAndOfWhatComes() {
    apply(new PartitionAssigned(4, FIRST), new PartitionAssigned(2, FIRST));
    told.clear();
    List<Integer> heard = new ArrayList<>();
    partitions.listen((partition, assignment) -> heard.add(partition));
    assertThat(heard).containsExactly(2, 4);
    apply(new PartitionAssigned(3, FIRST));
    assertThat(heard).containsExactly(2, 4, 3);
    assertThat(told).containsExactly(new PartitionAssigned(3, FIRST));
  }
}
