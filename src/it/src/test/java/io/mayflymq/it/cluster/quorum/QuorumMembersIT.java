package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.quorum.QuorumNodes.COUNT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.cluster.ClusterNodes;
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
    nodes.becomeProcesses(2);
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
    Set<Integer> piledUp = leaders();
    assertThat(piledUp).isSubsetOf(0, 1);
    Channel open = nodes.confirming(0);
    String others = "^" + queue;

    ControlCommand control = ControlCommand.of(nodes.broker(0));
    ControlCommand.Outcome none = control.run("rebalance", "quorum", "--queue-pattern", "^none$");
    assertThat(none.exit()).as("%s", none).isZero();
    assertThat(leaders()).isEqualTo(piledUp);
    ControlCommand.Outcome planned =
        control.run("--dry-run", "rebalance", "quorum", "--queue-pattern", others);
    assertThat(leaders()).as("nothing is done").isEqualTo(piledUp);
    ControlCommand.Outcome done = control.run("rebalance", "quorum", "--queue-pattern", others);

    assertThat(done.exit()).as("%s", done).isZero();
    assertThat(planned.out()).startsWith("Dry run: nothing was changed");
    assertThat(done.out().subList(1, done.out().size()))
        .isEqualTo(planned.out().subList(2, planned.out().size()));
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

  @Test
  void queueWithFewerMembersGrowsToACount() throws Exception {
    nodes.becomeProcesses(0);
    nodes.declare(0, queue, Map.of("x-quorum-initial-group-size", 1));
    QuorumNodes.publish(nodes.confirming(1), queue, QuorumNodes.bodies(0, 100));
    ControlCommand control = ControlCommand.of(nodes.broker(2));
    String[] grow = {"-q", "grow_to_count", "3", "all", "--queue-pattern", "^" + queue + "$"};

    assertThat(control.run("grow_to_count", "0", "all").err().toString())
        .contains("count '0': expected a number of members from 1 to 1000");
    assertThat(control.run("grow_to_count", "3", "some").err().toString())
        .contains("strategy 'some': expected all or even");
    assertThat(nodes.http(1).post("queues/quorum/replicas/grow", "{\"count\": 0}").reason())
        .isEqualTo("count 0: expected a number of replicas from 1 to 1000");
    ControlCommand.Outcome grown = control.run(grow);

    assertThat(grown.exit()).as("%s", grown).isZero();
    assertThat(grown.out()).containsExactly("vhost\tname\tsize\tresult", "/\t" + queue + "\t3\tok");
    awaitAllInSync(queue);
    assertThat(control.run(grow).out()).as("it has as many").hasSizeLessThan(2);
    nodes.killLeader(queue);
    assertThat(QuorumNodes.drain(nodes.channel(nodes.awaitLeader(queue)), queue))
        .isEqualTo(QuorumNodes.bodies(0, 100));
  }

  @Test
  void commandsForStreamsAreForStreamsOnly() throws Exception {
    nodes.declare(0, queue, Map.of());
    nodes
        .channel(0)
        .queueDeclare(queue + "-classic", true, false, false, Map.of("x-queue-type", "classic"));
    ControlCommand control = ControlCommand.of(nodes.broker(1));
    String node = ClusterNodes.name(0);

    assertThat(control.run("stream_status", queue).err().toString())
        .contains("Cannot get stream status of a quorum queue");
    assertThat(control.run("add_replica", queue, node).err().toString())
        .contains("queue '%s' in vhost '/' is of type quorum, not stream".formatted(queue));
    assertThat(control.run("delete_member", queue + "-classic", node).err().toString())
        .contains("Cannot change the members of a classic queue");
    assertThat(control.run("quorum_status", queue + "-classic").err().toString())
        .contains("Cannot get quorum status of a classic queue");
    assertThat(control.run("delete_replica", "none", node).err().toString())
        .contains("Queue 'none' in vhost '/' does not exist");
  }
}
