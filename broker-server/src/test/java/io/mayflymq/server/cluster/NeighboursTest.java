package io.mayflymq.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.ClusterMember.State;
import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NeighboursTest {
  private static MemberSet member(int number, String name, State state) {
    return new MemberSet(new ClusterMember(number, new UUID(0, number), name, "host:1", state, 3));
  }

  @Test
  void replicasAreShownByTheNamesOfTheirNodes() {
    ClusterMembers members =
        new ClusterMembers(
            new InMemoryMetadataLog(),
            List.of(
                member(0, "z@host", State.SERVING),
                member(1, "b@host", State.DRAINED),
                member(2, "gone@host", State.FORGOTTEN),
                member(3, "c@host", State.SERVING)));
    Neighbours neighbours = new Neighbours(0, members, () -> Set.of("b@host", "gone@host"));
    Assignment assignment = Assignment.first(List.of(0, 1, 2, 3), 1);
    assertThat(neighbours.replicas(assignment.after(assignment.elect(1, Set.of(0, 1, 3)))))
        .isEqualTo(
            new QueueReplicas(
                "b@host",
                2,
                List.of("b@host", "c@host", "gone@host", "z@host"),
                List.of("b@host", "c@host", "z@host"),
                List.of("b@host", "z@host")));
  }
}
