package io.mayflymq.server.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.cluster.replication.ReplicaRig.Node;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three nodes over sockets. */
class ReplicaControlTest {
  private static final Assignment LED_BY_A = Assignment.first(List.of(0, 1, 2), 0);
  private static final Assignment LED_BY_B = Assignment.first(List.of(0, 1, 2), 1);

  private ReplicaRig rig;
  private Node a;
  private Node b;
  private Node c;

  @BeforeEach
  void start() throws Exception {
    rig = new ReplicaRig(3, Map.of(3, LED_BY_A, 4, LED_BY_A, 5, LED_BY_B));
    a = rig.nodes.get(0);
    b = rig.nodes.get(1);
    c = rig.nodes.get(2);
    until(() -> rig.nodes.stream().allMatch(node -> node.transport.reachable().size() == 2));
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static void until(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("still waiting").isLessThan(end);
      Thread.sleep(5);
    }
  }

  /**
   * Waits until all nodes, and the replicas that they host, know the assignments that one knows.
   */
  private void untilAllKnowWhat(Node one) throws InterruptedException {
    until(
        () -> {
          Map<Integer, Assignment> known = Map.copyOf(one.partitions.all());
          return rig.nodes.stream()
              .allMatch(node -> node.partitions.all().equals(known) && node.assigned.equals(known));
        });
  }

  @Test
  void hostedReplicasAreToldOfAllAssignmentsAndOfEachChange() throws Exception {
    assertThat(b.assigned).isEqualTo(Map.of(3, LED_BY_A, 4, LED_BY_A, 5, LED_BY_B));
    AssignmentChange shrunk = new AssignmentChange.InSync(1, Set.of(0, 1));
    a.control.propose(3, shrunk);
    a.control.propose(3, new AssignmentChange.InSync(1, Set.of(0, 2)));
    a.control.propose(4, shrunk);
    until(() -> c.assigned.get(4).revision() == 2);
    for (Node node : rig.nodes) {
      assertThat(node.assigned).isEqualTo(Map.copyOf(node.partitions.all()));
      assertThat(node.assigned.get(3)).isEqualTo(LED_BY_A.after(shrunk));
    }
  }

  @Test
  void leadersAreElectedWhenTheNodeEndsThatLeadsThemAndTheCluster() throws Exception {
    rig.lead(0);
    a.end();
    until(() -> b.ended.contains(0) && c.ended.contains(0));
    assertThat(b.assigned.get(3).leader()).isZero();
    rig.lead(1);
    until(() -> b.assigned.get(3).leader() == 2 && b.assigned.get(4).leader() == 2);
    until(() -> c.assigned.equals(b.assigned));
    assertThat(c.assigned.get(4))
        .isEqualTo(new Assignment(List.of(0, 1, 2), 2, 2, Set.of(1, 2), 2));
    assertThat(c.assigned.get(5)).isEqualTo(LED_BY_B);
  }

  private static Throwable failureOf(CompletableFuture<Void> refused) {
    return Causes.of(catchThrowable(() -> refused.get(60, TimeUnit.SECONDS)));
  }

  @Test
  void anyNodeHasALeaderHandOver() throws Exception {
    c.control.transfer(3, "b@host").get(60, TimeUnit.SECONDS);
    assertThat(c.partitions.all().get(3).leader()).isEqualTo(1);
    a.control.transfer(4, "c@host").get(60, TimeUnit.SECONDS);
    assertThat(a.partitions.all().get(4))
        .isEqualTo(new Assignment(List.of(0, 1, 2), 2, 2, Set.of(0, 1, 2), 2));
    a.control.transfer(4, "c@host").get(60, TimeUnit.SECONDS);
    assertThat(a.partitions.all().get(4).epoch()).as("it leads already").isEqualTo(2);
  }

  @Test
  void leadingIsHandedOverOnlyToReplicasInSync() throws Exception {
    assertThat(failureOf(a.control.transfer(3, "x@host")))
        .hasMessageEndingWith("node 'x@host' is not a member of the cluster");
    a.control.propose(3, new AssignmentChange.InSync(1, Set.of(0, 1)));
    until(() -> b.assigned.get(3).revision() == 2);
    assertThat(failureOf(b.control.transfer(3, "c@host")))
        .hasMessageEndingWith("the replica on node 'c@host' is not in sync");
    a.mayHandOver = false;
    assertThat(failureOf(b.control.transfer(3, "b@host")))
        .hasMessageEndingWith("node 'a@host' does not lead it yet");
    c.end();
    until(() -> !a.transport.reachable().containsKey("c@host"));
    assertThat(failureOf(a.control.transfer(4, "c@host")))
        .hasMessageEndingWith("node 'c@host' cannot be reached");
  }

  @Test
  void allThatANodeLeadsGoesToTheOthersInEqualParts() throws Exception {
    b.control.transferAll().get(60, TimeUnit.SECONDS);
    untilAllKnowWhat(b);
    a.control.transferAll().get(60, TimeUnit.SECONDS);
    assertThat(a.partitions.all().values())
        .extracting(Assignment::leader)
        .doesNotContain(0)
        .contains(1, 2);
    untilAllKnowWhat(a);
    b.control.transferAll().get(60, TimeUnit.SECONDS);
    assertThat(b.partitions.all().values()).extracting(Assignment::leader).doesNotContain(1);
  }

  @Test
  void replicasAreRemovedAndAddedOneByOne() throws Exception {
    c.control.remove(3, "a@host").get(60, TimeUnit.SECONDS);
    Assignment without = c.partitions.all().get(3);
    assertThat(without.replicas()).containsExactly(1, 2);
    assertThat(without.leader()).as("it was handed over").isNotZero();
    assertThat(without.inSync()).containsExactlyInAnyOrder(1, 2);
    CompletableFuture<Void> added = b.control.add(3, "a@host");
    c.control.add(3, "a@host").get(60, TimeUnit.SECONDS);
    added.get(60, TimeUnit.SECONDS);
    assertThat(c.partitions.all().get(3).replicas()).containsExactly(1, 2, 0);
    assertThat(c.partitions.all().get(3).inSync()).doesNotContain(0);
    assertThat(failureOf(b.control.add(3, "x@host")))
        .hasMessageEndingWith("node 'x@host' is not a member of the cluster");
    int other = without.leader() == 1 ? 2 : 1;
    assertThat(failureOf(a.control.remove(3, "%c@host".formatted('a' + other))))
        .hasMessageEndingWith("too few of the other replicas are in sync");
  }

  @Test
  void lastReplicaStays() throws Exception {
    a.control.remove(5, "a@host").get(60, TimeUnit.SECONDS);
    untilAllKnowWhat(a);
    a.control.remove(5, "b@host").get(60, TimeUnit.SECONDS);
    assertThat(failureOf(a.control.remove(5, "c@host")))
        .hasMessageEndingWith("node 'c@host' has the last replica");
  }

  @Test
  void replicasOfAFormerMemberAreReplacedByThoseOfMembers() throws Exception {
    a.control.remove(4, "c@host").get(60, TimeUnit.SECONDS);
    rig.forget(b);
    until(() -> a.members.named("b@host").isEmpty());
    a.control.propose(3, new AssignmentChange.InSync(1, Set.of(0, 2)));
    until(() -> a.assigned.get(3).revision() == 2);
    a.control.replaceFormerMembers();
    until(() -> a.assigned.get(3).revision() == 3 && a.assigned.get(4).revision() == 3);
    assertThat(a.assigned.get(3).replicas()).as("there is no other one").containsExactly(0, 2);
    assertThat(a.assigned.get(4).replicas()).as("b is needed yet").containsExactly(0, 1, 2);
    assertThat(a.assigned.get(5)).as("another one is elected first").isEqualTo(LED_BY_B);
    a.control.propose(4, new AssignmentChange.InSync(3, Set.of(0, 2)));
    until(() -> a.assigned.get(4).revision() == 4);
    a.control.replaceFormerMembers();
    until(() -> a.assigned.get(4).revision() == 5);
    assertThat(a.assigned.get(4).replicas()).containsExactly(0, 2);
  }

  @Test
  void releaseIsWaitedFor() throws Exception {
    CompletableFuture<Void> waiting = CompletableFuture.runAsync(a.control::release);
    until(() -> a.isReleasing);
    assertThat(waiting).isNotDone();
    a.released.complete(null);
    waiting.get(60, TimeUnit.SECONDS);
  }

  @Test
  void releaseThatFailsDoesNotKeepTheNodeFromStopping() {
    a.released.completeExceptionally(new IllegalStateException("a failure of the test"));
    a.control.release();
    assertThat(a.isReleasing).isTrue();
  }

  @Test
  void partitionGrowsToASizeAsFarAsThereAreNodes() throws Exception {
    a.control.remove(3, "c@host").get(60, TimeUnit.SECONDS);
    until(() -> b.partitions.all().equals(a.partitions.all()));
    b.control.grow(3, 2).get(60, TimeUnit.SECONDS);
    assertThat(b.partitions.all().get(3).replicas()).as("it has as many").hasSize(2);
    b.control.grow(3, 7).get(60, TimeUnit.SECONDS);
    assertThat(b.partitions.all().get(3).replicas()).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void partitionsGrowTowardsTheirTargetsByOneReplicaInSyncAfterTheOther() throws Exception {
    a.control.remove(3, "c@host").get(60, TimeUnit.SECONDS);
    a.control.remove(4, "c@host").get(60, TimeUnit.SECONDS);
    a.control.remove(4, "b@host").get(60, TimeUnit.SECONDS);
    ReplicaChanges changes =
        new ReplicaChanges(
            new ReplicaControl.Node(a.members.ofNumber(0), a.members, a.partitions, null),
            new ReplicaNodes(0, a.members, () -> a.transport.reachable().keySet()),
            null);
    assertThat(changes.towards(Map.of(3, 2, 5, 3))).as("all are as large").isEmpty();
    assertThat(changes.towards(Map.of(3, 3, 9, 3))).containsOnlyKeys(3);
    assertThat(changes.towards(Map.of(3, 3)).get(3).replicas()).containsExactly(0, 1, 2);
    assertThat(changes.towards(Map.of(4, 2)).get(4).replicas())
        .as("there are two other nodes, so that it can get to three")
        .hasSize(2);
    a.control.add(3, "c@host").get(60, TimeUnit.SECONDS);
    assertThat(changes.towards(Map.of(3, 4))).as("one is not in sync").isEmpty();
    c.end();
    until(() -> !a.transport.reachable().containsKey("c@host"));
    assertThat(changes.towards(Map.of(4, 3))).as("two would be less safe than one").isEmpty();
  }

  @Test
  void replicaGoesOnAloneOnlyIfTheOthersCannotBeReached() throws Exception {
    assertThat(failureOf(a.control.goOnAlone(3)))
        .hasMessageEndingWith(
            "its members a@host, b@host, c@host can be reached, a majority: nothing is lost");
    a.control.remove(4, "c@host").get(60, TimeUnit.SECONDS);
    until(() -> c.partitions.all().equals(a.partitions.all()));
    assertThat(failureOf(c.control.goOnAlone(4)))
        .hasMessageEndingWith("node 'c@host' keeps no replica of it: ask one of a@host, b@host");
    b.end();
    c.end();
    until(() -> a.transport.reachable().isEmpty());
    a.control.requireLostMajority(3);
    a.control.goOnAlone(3).get(60, TimeUnit.SECONDS);
    assertThat(a.partitions.all().get(3)).isEqualTo(new Assignment(List.of(0), 0, 2, Set.of(0), 2));
  }

  @Test
  void replicaThatIsNotInSyncGoesOnAloneIfNoneInSyncIsThere() throws Exception {
    a.control.propose(3, new AssignmentChange.InSync(1, Set.of(0, 1)));
    until(() -> c.assigned.get(3).revision() == 2);
    a.end();
    b.end();
    until(() -> c.transport.reachable().isEmpty());
    c.control.requireLostMajority(3);
    assertThat(c.assigned.get(3).inSync()).doesNotContain(2);
  }
}
