package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.cluster.metadata.SimulatedCluster.Node;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.PartitionAssigned;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A queue in a replicated partition is on no node alone: every node knows it alike. */
class ReplicatedQueuesTest {
  private final Random random = new Random(1);
  private final SimulatedCluster cluster = new SimulatedCluster(3);

  @BeforeEach
  void addVhost() {
    cluster.nodes.get(0).administration.vhosts().put(VhostDefinition.of("v"));
    cluster.settle(random);
  }

  private static QueueDeclared queue(String name, QueuePlace place) {
    FieldTable arguments = FieldTable.EMPTY.with("x-queue-type", FieldValue.of("quorum"));
    QueueArguments.Valid valid = QueueArguments.parse(arguments, name, "v");
    return new QueueDeclared(
        "v",
        new QueueDefinition(name, true, false, false, valid.table(), valid.settings()),
        0,
        place);
  }

  private void declare(Node node, String name, int partition) {
    CompletableFuture<Void> assigned =
        node.propose(
            List.of(
                new PartitionAssigned(partition, Assignment.first(List.of(0, 1, 2), node.number))),
            null);
    CompletableFuture<Void> declared =
        node.propose(List.of(queue(name, QueuePlace.replicated(partition))), null);
    cluster.settle(random);
    assertThat(assigned).isCompleted();
    assertThat(declared).isCompleted();
  }

  private static Queue find(Node node, String name) {
    VirtualHost vhost = node.broker.virtualHost("v");
    return vhost.routing().queue(name);
  }

  @Test
  void isTheSameOnAllNodes() {
    declare(cluster.nodes.get(1), "q", 5);
    long id = find(cluster.nodes.get(1), "q").id();
    for (Node node : cluster.nodes) {
      Queue queue = find(node, "q");
      assertThat(queue.isReplicated()).isTrue();
      assertThat(queue.replicatedPartition()).isEqualTo(5);
      assertThat(queue.id()).isEqualTo(id);
    }
  }

  @Test
  void isThereAfterARestartWithItsPartition() {
    declare(cluster.nodes.get(1), "q", 5);
    for (Node node : cluster.nodes) {
      node.crash(random);
      assertThat(find(node, "q").replicatedPartition()).isEqualTo(5);
      assertThat(node.replicated.all().get(5).leader()).isEqualTo(1);
    }
    cluster.settle(random);
    assertThat(cluster.nodes.get(0).disk()).isEqualTo(cluster.nodes.get(2).disk());
  }

  @Test
  void isInForceOnceItIsOnTheDisk() {
    Node node = cluster.nodes.get(0);
    declare(node, "q", 5);
    node.propose(List.of(queue("r", QueuePlace.replicated(5))), null);
    cluster.commit(random);
    node.applyNext();
    assertThat(find(node, "r")).isNull();
    node.metadata.write();
    assertThat(find(node, "r")).isNotNull();
  }

  @Test
  void isDeletedOnAllNodes() {
    declare(cluster.nodes.get(1), "q", 5);
    cluster.nodes.get(2).propose(List.of(new MetadataCommand.QueueDeleted("v", "q")), null);
    cluster.settle(random);
    assertThat(cluster.nodes).allSatisfy(node -> assertThat(find(node, "q")).isNull());
    declare(cluster.nodes.get(0), "other", 6);
    cluster.nodes.get(0).administration.vhosts().delete("v");
    cluster.settle(random);
    assertThat(cluster.nodes).allSatisfy(node -> assertThat(node.broker.virtualHost("v")).isNull());
  }

  @Test
  void isNotMoved() {
    declare(cluster.nodes.get(0), "q", 5);
    VirtualHost vhost = cluster.nodes.get(0).broker.virtualHost("v");
    assertThatThrownBy(() -> vhost.moveQueue("q", "node1"))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining(
            "queue 'q' in vhost 'v' is replicated: it is on several nodes, and is not moved");
  }

  @Test
  void isNotProposedToNodesOfAnEarlierRelease() {
    ChangeProposer proposer =
        new ChangeProposer(
            entry -> {
              throw new AssertionError("proposed");
            },
            () -> ChangeVersions.OF_MOVES);
    for (MetadataCommand command :
        List.of(
            queue("q", QueuePlace.replicated(5)),
            new PartitionAssigned(5, Assignment.first(List.of(0, 1), 0)))) {
      assertThat(proposer.propose(List.of(command), null))
          .isCompletedExceptionally()
          .satisfies(
              refused ->
                  assertThatThrownBy(refused::join)
                      .hasCauseInstanceOf(ChannelException.class)
                      .hasMessageContaining("a node of an earlier release"));
    }
  }
}
