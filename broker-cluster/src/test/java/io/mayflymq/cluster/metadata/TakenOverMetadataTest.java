package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakenOverMetadataTest {
  private static MetadataCommand queue(long id, int member, int partition) {
    return queue(id, new QueuePlace(member, partition));
  }

  private static MetadataCommand queue(long id, QueuePlace place) {
    String name = "q" + id;
    return new QueueDeclared(
        "v",
        new QueueDefinition(
            name,
            true,
            false,
            false,
            FieldTable.EMPTY,
            QueueArguments.parse(FieldTable.EMPTY, name, "v").settings()),
        id,
        place);
  }

  @Test
  void nodeKeepsInWhichPartitionItsQueuesAre() {
    MetadataCommand other = new GlobalParameterSet("a", "1");
    assertThat(
            TakenOverMetadata.keepingPlaces(
                List.of(other, queue(1, 0, 3), queue(2, 1, 3)), List.of(queue(1, 0, 1))))
        .containsExactly(other, queue(1, 0, 1), queue(2, 1, 3));
  }

  @Test
  void nodeKeepsInWhichPartitionTheCopyOfAQueueIs() {
    assertThat(
            TakenOverMetadata.keepingPlaces(
                List.of(new QueueMoving("v", "q1", new QueuePlace(0, 3), 5)),
                List.of(new QueueMoving("v", "q1", new QueuePlace(0, 1), 5))))
        .containsExactly(new QueueMoving("v", "q1", new QueuePlace(0, 1), 5));
    assertThat(
            TakenOverMetadata.keepingPlaces(
                List.of(queue(5, 0, 3)),
                List.of(new QueueMoving("v", "q5", new QueuePlace(0, 1), 5))))
        .containsExactly(queue(5, 0, 1));
  }

  @Test
  void replicatedPartitionHasTheSameNumberOnAllNodes() {
    MetadataCommand taken = queue(1, QueuePlace.replicated(3));
    assertThat(
            TakenOverMetadata.keepingPlaces(
                List.of(taken), List.of(queue(1, QueuePlace.replicated(1)))))
        .containsExactly(taken);
  }

  @Test
  void queueThatHasMovedIsWhereTheOthersSay() {
    assertThat(TakenOverMetadata.keepingPlaces(List.of(queue(1, 2, 3)), List.of(queue(1, 0, 1))))
        .containsExactly(queue(1, 2, 3));
  }
}
