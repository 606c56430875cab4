package io.mayflymq.server.management.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.core.vhost.queue.OwningNode;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.core.vhost.queue.RemoteCommands;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.server.json.Json;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is shown of the replicas of a queue. */
class QuorumStatusTest {
  private static final FieldTable QUORUM =
      FieldTable.EMPTY.with("x-queue-type", FieldValue.of("quorum"));
  private static final List<String> ALL = List.of("a", "b", "c");

  private static Queue queue(FieldTable arguments, QueuePlace place, QueueReplicas replicas) {
    QueueArguments.Valid valid = QueueArguments.parse(arguments, "q", "v");
    QueueHost vhost =
        (QueueHost)
            Proxy.newProxyInstance(
                QueueHost.class.getClassLoader(),
                new Class<?>[] {QueueHost.class},
                (proxy, method, given) -> method.getName().equals("name") ? "v" : replicas);
    OwningNode<Queue> home =
        new OwningNode<>() {
          @Override
          public String node() {
            return "b";
          }

          @Override
          public void send(RemoteCommands<Queue> commands) {
            throw new UnsupportedOperationException();
          }
        };
    return new Queue(
        new QueueIdentity(
            1,
            new QueueDefinition("q", true, false, false, valid.table(), valid.settings()),
            null,
            place),
        vhost,
        null,
        home,
        queue -> new Queue.Implementation(null, null, null, null));
  }

  private static Queue replicated(List<String> inSync, List<String> online) {
    return queue(QUORUM, QueuePlace.replicated(4), new QueueReplicas("b", 7, ALL, inSync, online));
  }

  private static Map<String, Object> row(String node, String state, boolean inSync, Object... log) {
    return Json.object(
        "Node Name", node,
        "Raft State", state,
        "Membership", log[0],
        "Last Log Index", log[1],
        "Last Written", log[2],
        "Last Applied", log[1],
        "Commit Index", log[3],
        "Snapshot Index", log[4],
        "Term", log[5],
        "Machine Version", log[6],
        "In Sync", inSync);
  }

  @Test
  void eachMemberHasARow() {
    ReplicaState state = new ReplicaState(7, 30, 29, 28, Set.of(), false, false, List.of());
    assertThat(
            QuorumStatus.of(
                replicated(List.of("a", "b"), List.of("b", "c")),
                Map.of("b", QuorumStatus.positions(state))))
        .containsExactly(
            row("a", "nodedown", true, "", "", "", "", "", "", ""),
            row("b", "leader", true, "voter", 30L, 29L, 28L, -1, 7L, 0),
            row("c", "follower", false, "", "", "", "", "", "", ""));
  }

  @Test
  void queueOnOneNodeHasOneMember() {
    assertThat(QuorumStatus.of(queue(QUORUM, new QueuePlace(1, 0), null), Map.of()))
        .containsExactly(row("b", "leader", true, "voter", 0L, 0L, 0L, -1, 1L, 0));
  }

  @Test
  void queueWhoseLeaderIsGoneShowsWhoIsLeft() {
    assertThat(QueueFields.down(replicated(ALL, List.of("a", "c"))))
        .containsEntry("state", "down")
        .containsEntry("leader", null)
        .containsEntry("node", "b")
        .containsEntry("members", ALL)
        .containsEntry("online", List.of("a", "c"));
    assertThat(QueueFields.down(replicated(ALL, List.of("a")))).containsEntry("state", "minority");
    assertThat(QueueFields.down(replicated(ALL, ALL)))
        .as("its node is there and does not answer")
        .containsEntry("state", "down")
        .containsEntry("leader", "b");
  }
}
