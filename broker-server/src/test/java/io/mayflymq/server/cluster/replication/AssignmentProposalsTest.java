package io.mayflymq.server.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.metadata.MetadataCommand.AssignmentChanged;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AssignmentProposalsTest {
  private static final AssignmentChange SHRUNK = new AssignmentChange.InSync(1, Set.of(0, 1));
  private static final AssignmentChange ELECTED = new AssignmentChange.Elected(1, 1, Set.of(1, 2));

  private final List<List<AssignmentChanged>> proposed = new ArrayList<>();
  private final List<CompletableFuture<Void>> decided = new ArrayList<>();
  private final AssignmentProposals proposals =
      new AssignmentProposals(
          changes -> {
            proposed.add(List.copyOf(changes));
            List<CompletableFuture<Void>> futures =
                changes.stream().map(change -> new CompletableFuture<Void>()).toList();
            decided.addAll(futures);
            return futures;
          });

  @Test
  void changesThatFallTogetherAreProposedTogether() {
    proposals.propose(Map.of(4, ELECTED, 5, ELECTED, 6, SHRUNK));
    assertThat(proposed).hasSize(1);
    assertThat(proposed.get(0))
        .containsExactlyInAnyOrder(
            new AssignmentChanged(4, ELECTED),
            new AssignmentChanged(5, ELECTED),
            new AssignmentChanged(6, SHRUNK));
  }

  @Test
  void whatIsUnderWayIsNotProposedAgain() {
    proposals.propose(Map.of(4, ELECTED));
    proposals.propose(Map.of(4, ELECTED));
    proposals.propose(Map.of(4, SHRUNK));
    assertThat(proposed)
        .containsExactly(
            List.of(new AssignmentChanged(4, ELECTED)), List.of(new AssignmentChanged(4, SHRUNK)));
  }

  @Test
  void whatWasDecidedMayBeProposedAgain() {
    proposals.propose(Map.of(4, ELECTED));
    decided.get(0).completeExceptionally(new IllegalStateException("no majority"));
    proposals.propose(Map.of(4, ELECTED));
    decided.get(1).complete(null);
    proposals.propose(Map.of(4, ELECTED));
    assertThat(proposed).hasSize(3);
  }
}
