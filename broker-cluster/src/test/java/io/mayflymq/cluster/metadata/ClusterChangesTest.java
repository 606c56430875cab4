package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.metadata.SimulatedCluster.Node;
import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * Whatever the nodes of a cluster request at once, whatever is lost and whichever nodes crash: all
 * have the same metadata in the end, in memory and on their disks.
 */
class ClusterChangesTest {
  private static final int STEPS = 120;
  private static final FieldTable NONE = FieldTable.EMPTY;

  private final Object connection = new Object();

  private static QueueDeclaration queue(Node node, String name, boolean durable, Object owner) {
    boolean exclusive = !durable && name.endsWith("0");
    return new QueueDeclaration(
        name, durable, exclusive, false, NONE, owner, node.broker.shards().get(0), false, true);
  }

  private static ExchangeDefinition exchange(String name, boolean durable, boolean autoDelete) {
    return new ExchangeDefinition(name, ExchangeType.DIRECT, durable, autoDelete, false, NONE);
  }

  private static Binding binding(String exchange, String queue, String key) {
    return new Binding(exchange, DestinationKind.QUEUE, queue, key, NONE);
  }

  @Test
  void changeOfOneNodeIsInForceOnAll() {
    SimulatedCluster cluster = new SimulatedCluster(3);
    Random random = new Random(1);
    Node first = cluster.nodes.get(0);
    CompletableFuture<Boolean> vhost = first.administration.vhosts().put(VhostDefinition.of("v"));
    assertThat(vhost).isNotDone();
    cluster.settle(random);
    assertThat(vhost).isCompletedWithValue(true);

    VirtualHost onSecond = cluster.nodes.get(1).broker.virtualHost("v");
    var declared = onSecond.declareQueue(queue(cluster.nodes.get(1), "q", true, connection));
    cluster.settle(random);
    assertThat(declared).isCompleted();
    for (Node node : cluster.nodes) {
      assertThat(node.broker.virtualHost("v").routing().queue("q")).isNotNull();
    }
  }

  @Test
  void nodesThatDeclareTheSameQueueAtOnceGetOneQueue() {
    SimulatedCluster cluster = new SimulatedCluster(3);
    Random random = new Random(1);
    cluster.nodes.get(0).administration.vhosts().put(VhostDefinition.of("v"));
    cluster.settle(random);
    List<CompletableFuture<?>> declared = new ArrayList<>();
    for (Node node : cluster.nodes) {
      declared.add(node.broker.virtualHost("v").declareQueue(queue(node, "q", true, connection)));
    }
    cluster.settle(random);
    assertThat(declared).allSatisfy(each -> assertThat(each).isCompleted());
    assertThat(
            cluster.nodes.stream()
                .map(node -> node.broker.virtualHost("v").routing().queue("q").id()))
        .containsOnly(cluster.nodes.get(0).broker.virtualHost("v").routing().queue("q").id());
  }

  @Test
  void fullDiskDelaysANodeAndDividesNothing() {
    SimulatedCluster cluster = new SimulatedCluster(3);
    Random random = new Random(1);
    cluster.nodes.get(0).administration.vhosts().put(VhostDefinition.of("v"));
    cluster.settle(random);
    Node slow = cluster.nodes.get(2);
    VirtualHost vhost = cluster.nodes.get(0).broker.virtualHost("v");
    vhost.declareExchange(exchange("x", true, false), connection);
    cluster.commit(random);
    vhost.declareExchange(exchange("y", true, false), connection);
    cluster.commit(random);
    slow.applyNext();
    slow.applyNext();
    slow.metadata.fail();
    cluster.settle(random);
    assertThat(slow.state()).isEqualTo(cluster.nodes.get(0).state());
    assertThat(slow.disk()).isEqualTo(cluster.nodes.get(0).disk());
  }

  @Test
  void onlyChangesThatOtherFilesReferToWaitForTheDiskOfANode() {
    SimulatedCluster cluster = new SimulatedCluster(2);
    Random random = new Random(1);
    Node home = cluster.nodes.get(0);
    Node other = cluster.nodes.get(1);
    home.administration.vhosts().put(VhostDefinition.of("v"));
    cluster.settle(random);
    VirtualHost vhost = home.broker.virtualHost("v");
    VirtualHost onOther = other.broker.virtualHost("v");

    var queue = vhost.declareQueue(queue(home, "q", true, connection));
    cluster.commit(random);
    home.applyNext();
    other.applyNext();
    assertThat(queue).isNotDone();
    assertThat(onOther.routing().queue("q")).isNotNull();
    home.metadata.write();
    assertThat(queue).isCompleted();

    var exchange = vhost.declareExchange(exchange("x", true, false), connection);
    cluster.commit(random);
    home.applyNext();
    assertThat(exchange).isCompleted();
    home.crash(random);
    cluster.settle(random);
    assertThat(home.state()).isEqualTo(other.state()).anyMatch(each -> each.contains("name=x,"));
  }

  @Property(tries = 150)
  void allNodesHaveTheSameMetadata(@ForAll long seed) {
    Random random = new Random(seed);
    SimulatedCluster cluster = new SimulatedCluster(3);
    for (int step = 0; step < STEPS; step++) {
      Node node = cluster.nodes.get(random.nextInt(cluster.nodes.size()));
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> cluster.commit(random);
        case 3, 4 -> node.applyNext();
        case 5 -> node.metadata.write();
        case 6 -> {
          if (random.nextInt(10) == 0) {
            node.crash(random);
          } else if (random.nextInt(5) == 0) {
            cluster.lose(random);
          } else if (random.nextInt(5) == 0) {
            node.metadata.fail();
          }
        }
        default -> request(node, random);
      }
    }
    cluster.settle(random);
    Node first = cluster.nodes.get(0);
    for (Node node : cluster.nodes) {
      assertThat(node.state()).as("node %d", node.number).isEqualTo(first.state());
      assertThat(node.disk()).as("disk of node %d", node.number).isEqualTo(first.disk());
    }
    // What is on the disks leads to the same state again.
    first.crash(random);
    cluster.settle(random);
    assertThat(first.state()).isEqualTo(cluster.nodes.get(1).state());
  }

  private void request(Node node, Random random) {
    try {
      if (random.nextInt(4) == 0) {
        administer(node, random);
      } else {
        List<VirtualHost> vhosts = node.broker.virtualHosts();
        if (!vhosts.isEmpty()) {
          declare(node, vhosts.get(random.nextInt(vhosts.size())), random);
        }
      }
    } catch (AmqpException | AdministrationException e) {
      // The request does not fit what this node has: a client would be told.
    }
  }

  private void declare(Node node, VirtualHost vhost, Random random) {
    String exchange = "x" + random.nextInt(3);
    String queue = "q" + random.nextInt(3);
    boolean flag = random.nextBoolean();
    switch (random.nextInt(10)) {
      case 0, 1 ->
          vhost.declareExchange(exchange(exchange, flag, random.nextBoolean()), connection);
      case 2 -> vhost.deleteExchange(exchange, flag, connection);
      case 3, 4 -> vhost.declareQueue(queue(node, queue, flag, connection));
      case 5 -> vhost.deleteQueue(queue, connection, false, false);
      case 6, 7 -> vhost.bind(binding(exchange, queue, "k" + random.nextInt(2)), connection);
      case 8 -> vhost.unbind(binding(exchange, queue, "k" + random.nextInt(2)), connection);
      default -> {
        String policy = "p" + random.nextInt(2);
        if (flag) {
          vhost
              .policies()
              .set(
                  Policy.parse(
                      PolicyKind.POLICY,
                      policy,
                      Map.of(
                          "pattern",
                          ".*",
                          "definition",
                          Map.of("max-length", random.nextInt(100)))));
        } else {
          vhost.policies().clear(PolicyKind.POLICY, policy);
        }
      }
    }
  }

  private static void administer(Node node, Random random) {
    String vhost = "v" + random.nextInt(2);
    String user = "u" + random.nextInt(2);
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> node.administration.vhosts().put(VhostDefinition.of(vhost));
      case 3 -> {
        if (random.nextInt(4) == 0) {
          node.administration.vhosts().delete(vhost);
        }
      }
      case 4 ->
          node.administration
              .users()
              .put(user, PasswordHash.NONE, List.of("t" + random.nextInt(3)));
      case 5 -> node.administration.users().delete(user);
      case 6 ->
          node.administration.permissions().set(user, vhost, ".*", "a" + random.nextInt(3), "");
      default ->
          node.administration.globalParameters().set("g", Integer.toString(random.nextInt(9)));
    }
  }
}
