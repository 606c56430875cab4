package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.quorum.QuorumNodes.COUNT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Patience;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Operators decide who leads and who keeps quorum queues, while these are used. */
class QuorumMembersIT extends QuorumFixture {
  private static final int QUEUES = 6;

  private void awaitAllInSync(String name) {
    await("all members of %s in sync".formatted(name))
        .atMost(Patience.TIME)
        .ignoreExceptions()
        .until(
            () -> {
              int inSync = 0;
              for (JsonNode row :
                  nodes.http(0).get("queues/quorum/%2F/" + name + "/status").json()) {
                inSync += row.path("In Sync").asBoolean() ? 1 : 0;
              }
              return inSync == COUNT;
            });
  }

  private Set<Integer> leaders() {
    Set<Integer> leaders = new HashSet<>();
    for (int i = 0; i < QUEUES; i++) {
      leaders.add(nodes.awaitLeader(queue + i));
    }
    return leaders;
  }

  @Test
  void leadersThatPileUpAfterAFailoverAreSpreadAgain() throws Exception {
    for (int i = 0; i < QUEUES; i++) {
      nodes.declare(i % COUNT, queue + i, Map.of());
      QuorumNodes.publish(nodes.confirming(0), queue + i, "before");
    }
    nodes.kill(2);
    for (int i = 0; i < QUEUES; i++) {
      assertThat(nodes.awaitLeader(queue + i)).isLessThan(2);
    }
    nodes.heal();
    for (int i = 0; i < QUEUES; i++) {
      awaitAllInSync(queue + i);
    }
    assertThat(leaders()).hasSize(2);
    Channel open = nodes.confirming(0);
    String others = "^" + queue;

    ControlCommand control = ControlCommand.of(nodes.process(0));
    ControlCommand.Outcome none = control.run("rebalance", "quorum", "--queue-pattern", "^none$");
    assertThat(none.exit()).as("%s", none).isZero();
    assertThat(leaders()).hasSize(2);
    ControlCommand.Outcome planned =
        control.run("--dry-run", "rebalance", "quorum", "--queue-pattern", others);
    assertThat(leaders()).as("nothing is done").hasSize(2);
    ControlCommand.Outcome done = control.run("rebalance", "quorum", "--queue-pattern", others);

    assertThat(done.exit()).as("%s", done).isZero();
    assertThat(done.out()).isEqualTo(planned.out());
    assertThat(done.out().get(1).split("\t"))
        .containsExactly(
            "Node name",
            "Number of quorum queues",
            "Number of replicated classic queues",
            "Number of stream queues",
            "Moved here");
    assertThat(leaders()).hasSize(COUNT);
    for (int i = 0; i < QUEUES; i++) {
      QuorumNodes.publish(open, queue + i, "after");
      assertThat(QuorumNodes.drain(open, queue + i)).containsExactly("before", "after");
    }
  }
}
