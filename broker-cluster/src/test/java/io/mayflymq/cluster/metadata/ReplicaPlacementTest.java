package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.metadata.SimulatedCluster.Node;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.MetadataCommand.AssignmentChanged;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Quorum queues get replicated partitions, which are made when they are needed. */
class ReplicaPlacementTest {
  private static final int PARTITIONS_OF_LIST = 2; // as many as a simulated node has shards
  private static final FieldTable QUORUM =
      FieldTable.EMPTY.with("x-queue-type", FieldValue.of("quorum"));
  private static final FieldTable BALANCED =
      QUORUM.with("x-queue-leader-locator", FieldValue.of("balanced"));

  private final Random random = new Random(1);
  private SimulatedCluster cluster;

  private void begin(int count) {
    cluster = new SimulatedCluster(count);
    cluster.nodes.get(0).administration.vhosts().put(VhostDefinition.of("v"));
    cluster.settle(random);
  }

  private static FieldTable sized(int replicas) {
    return FieldTable.builder()
        .put("x-queue-type", "quorum")
        .put("x-quorum-initial-group-size", replicas)
        .build();
  }

  private Node node(int number) {
    return cluster.nodes.get(number);
  }

  private static CompletableFuture<DeclaredQueue> declare(
      Node node, String name, FieldTable arguments) {
    return node.broker
        .virtualHost("v")
        .declareQueue(
            new QueueDeclaration(
                name,
                true,
                false,
                false,
                arguments,
                node,
                node.broker.shards().get(0),
                false,
                true));
  }

  private static Queue find(Node node, String name) {
    return node.broker.virtualHost("v").routing().queue(name);
  }

  private Assignment declared(Node node, String name, FieldTable arguments) {
    CompletableFuture<DeclaredQueue> done = declare(node, name, arguments);
    cluster.settle(random);
    assertThat(done).isCompleted();
    return assignment(name);
  }

  private Assignment assignment(String name) {
    return node(0).replicated.all().get(find(node(0), name).replicatedPartition());
  }

  @Test
  void queueIsLedByTheNodeThatWasAskedAndFollowedByTheNextOnes() {
    begin(5);
    assertThat(declared(node(1), "q", QUORUM))
        .isEqualTo(Assignment.first(List.of(1, 2, 3), 1))
        .extracting(Assignment::inSync)
        .isEqualTo(Set.of(1, 2, 3));
    assertThat(declared(node(4), "r", QUORUM).replicas()).containsExactly(4, 0, 1);
    assertThat(cluster.nodes)
        .allSatisfy(
            each ->
                assertThat(find(each, "q").replicatedPartition())
                    .isEqualTo(find(node(0), "q").replicatedPartition()));
  }

  @Test
  void partitionsAreMadeOnceAndQueuesTakeTurns() {
    begin(3);
    for (int i = 0; i < 6; i++) {
      declared(node(0), "q" + i, QUORUM);
    }
    assertThat(node(1).replicated.all()).hasSize(PARTITIONS_OF_LIST);
    assertThat(Stream.of(0, 2, 4).map(i -> find(node(0), "q" + i).replicatedPartition()))
        .containsOnly(find(node(0), "q0").replicatedPartition());
    assertThat(Stream.of(1, 3, 5).map(i -> find(node(0), "q" + i).replicatedPartition()))
        .containsOnly(find(node(0), "q1").replicatedPartition())
        .doesNotContain(find(node(0), "q0").replicatedPartition());
  }

  @Test
  void argumentSaysHowManyReplicasThereAre() {
    begin(3);
    FieldTable two = sized(2);
    assertThat(declared(node(2), "q", two).replicas()).containsExactly(2, 0);
    FieldTable one = sized(1);
    assertThat(declared(node(2), "r", one).replicas()).containsExactly(2);
    FieldTable many = sized(9);
    assertThat(declared(node(2), "s", many).replicas()).containsExactly(2, 0, 1);
  }

  @Test
  void balancedQueueIsLedByTheNodeWithTheFewestQueues() {
    begin(3);
    node(0).leastLoaded = 2;
    assertThat(declared(node(0), "q", BALANCED).replicas()).containsExactly(2, 0, 1);
  }

  @Test
  void nodesInMaintenanceAreTakenOnlyIfOthersAreTooFew() {
    begin(4);
    cluster.drained.add(1);
    assertThat(declared(node(0), "q", QUORUM).replicas()).containsExactly(0, 2, 3);
    cluster.drained.add(2);
    assertThat(declared(node(0), "r", QUORUM).replicas()).containsExactly(0, 1, 3);
  }

  @Test
  void queueGoesToAPartitionThatTheWantedNodeLeadsNow() {
    begin(3);
    declared(node(0), "q", QUORUM);
    int partition = find(node(0), "q").replicatedPartition();
    node(1)
        .propose(
            List.of(new AssignmentChanged(partition, assignment("q").elect(1, Set.of(0, 1, 2)))),
            null);
    cluster.settle(random);
    declared(node(1), "r", QUORUM);
    assertThat(find(node(0), "r").replicatedPartition()).isEqualTo(partition);
    declared(node(0), "s", QUORUM);
    declared(node(0), "t", QUORUM);
    assertThat(Stream.of("s", "t").map(name -> assignment(name).leader())).containsOnly(0);
    assertThat(node(0).replicated.all()).hasSize(PARTITIONS_OF_LIST);
  }

  @Test
  void nodeThatLeadsNoneOfItsPartitionsAnyMoreMakesNoOthers() {
    begin(3);
    declared(node(0), "q", QUORUM);
    node(1)
        .replicated
        .all()
        .forEach(
            (partition, assignment) ->
                node(1)
                    .propose(
                        List.of(
                            new AssignmentChanged(partition, assignment.elect(1, Set.of(1, 2)))),
                        null));
    cluster.settle(random);
    assertThat(declared(node(0), "r", QUORUM).leader()).isEqualTo(1);
    assertThat(node(0).replicated.all()).hasSize(PARTITIONS_OF_LIST);
  }

  @Test
  void nodesThatMakePartitionsAtOnceGetDifferentOnes() {
    begin(3);
    List<CompletableFuture<DeclaredQueue>> declared = new ArrayList<>();
    for (Node each : cluster.nodes) {
      for (int i = 0; i < 3; i++) {
        declared.add(declare(each, "q%d-%d".formatted(each.number, i), QUORUM));
      }
    }
    cluster.settle(random);
    assertThat(declared).allSatisfy(each -> assertThat(each).isCompleted());
    assertThat(node(0).replicated.all()).hasSize(3 * PARTITIONS_OF_LIST);
    for (Node each : cluster.nodes) {
      for (int i = 0; i < 3; i++) {
        assertThat(assignment("q%d-%d".formatted(each.number, i)).leader()).isEqualTo(each.number);
      }
    }
  }

  @Test
  void sameQueueOfSeveralNodesIsDeclaredOnce() {
    begin(3);
    List<CompletableFuture<DeclaredQueue>> declared = new ArrayList<>();
    cluster.nodes.forEach(each -> declared.add(declare(each, "q", QUORUM)));
    cluster.settle(random);
    assertThat(declared).allSatisfy(each -> assertThat(each).isCompleted());
    assertThat(cluster.nodes.stream().map(each -> find(each, "q").id()))
        .containsOnly(find(node(0), "q").id());
  }

  @Test
  void declarationThatFailsHalfWayLeavesPartitionsToTheNextOne() {
    begin(3);
    CompletableFuture<DeclaredQueue> lost = declare(node(0), "q", QUORUM);
    cluster.commit(random); // the partitions
    cluster.nodes.forEach(Node::applyNext);
    node(0).crash(random);
    cluster.settle(random);
    assertThat(lost).isNotDone();
    assertThat(find(node(0), "q")).isNull();
    assertThat(node(0).replicated.all()).hasSize(PARTITIONS_OF_LIST);
    declared(node(0), "q", QUORUM);
    assertThat(node(0).replicated.all()).hasSize(PARTITIONS_OF_LIST);
  }

  @Test
  void deadLetterQueueOfItsOwnIsInTheSamePartition() {
    begin(3);
    declared(node(0), "q", QUORUM.with("x-dead-letter-queue", FieldValue.of("auto")));
    assertThat(find(node(2), "q.$dlq").replicatedPartition())
        .isEqualTo(find(node(2), "q").replicatedPartition());
  }

  @Test
  void otherQueuesAreOnOneNode() {
    begin(3);
    CompletableFuture<DeclaredQueue> done = declare(node(0), "q", FieldTable.EMPTY);
    cluster.settle(random);
    assertThat(done).isCompleted();
    assertThat(find(node(1), "q").isReplicated()).isFalse();
    assertThat(node(0).replicated.all()).isEqualTo(Map.of());
  }

  @Test
  void queueOfTheOnlyMemberIsOnOneNode() {
    begin(1);
    CompletableFuture<DeclaredQueue> done = declare(node(0), "q", QUORUM);
    cluster.settle(random);
    assertThat(done).isCompleted();
    assertThat(find(node(0), "q").isReplicated()).isFalse();
  }

  @Property(tries = 100)
  void everyNodeKnowsThePartitionOfEveryQueue(@ForAll long seed) {
    Random steps = new Random(seed);
    begin(2 + steps.nextInt(3));
    for (int step = 0; step < 60; step++) {
      Node node = node(steps.nextInt(cluster.nodes.size()));
      switch (steps.nextInt(8)) {
        case 0, 1 -> cluster.commit(steps);
        case 2, 3 -> node.applyNext();
        case 4 -> node.metadata.write();
        case 5 -> {
          if (steps.nextInt(5) == 0) {
            node.crash(steps);
          } else if (steps.nextInt(3) == 0) {
            cluster.lose(steps);
          }
        }
        default -> {
          int queue = steps.nextInt(8);
          declare(node, "q" + queue, sized(1 + queue % 3));
        }
      }
    }
    cluster.settle(steps);
    Map<Integer, Assignment> all = node(0).replicated.all();
    for (Node node : cluster.nodes) {
      assertThat(node.replicated.all()).isEqualTo(all);
      assertThat(node.state()).isEqualTo(node(0).state());
      node.broker
          .virtualHost("v")
          .routing()
          .queues()
          .forEach(queue -> assertThat(all).containsKey(queue.replicatedPartition()));
    }
    assertThat(all.values().stream().map(Assignment::replicas).distinct().count())
        .isEqualTo(all.size() / PARTITIONS_OF_LIST);
  }
}
