package io.mayflymq.it.cluster.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** Three nodes, and quorum queues that each of them has a replica of. One thread, the test's. */
final class QuorumNodes implements AutoCloseable {
  static final int COUNT = 3;

  private final ClusterNodes cluster;

  private QuorumNodes(ClusterNodes cluster) {
    this.cluster = cluster;
  }

  /** Starts them; these are processes, which can be killed any number of times. */
  static QuorumNodes start(Path directory, int... processes) {
    ClusterNodes cluster =
        new ClusterNodes(directory, COUNT).set("shards", 2).asProcesses(processes);
    cluster.startAll();
    QuorumNodes nodes = new QuorumNodes(cluster);
    nodes.awaitAllRunning();
    return nodes;
  }

  /** Starts those that do not run, and waits until all of them say that all are running. */
  void heal() {
    List<Integer> dead = IntStream.range(0, COUNT).filter(node -> !isAlive(node)).boxed().toList();
    dead.forEach(cluster::launch);
    dead.forEach(node -> cluster.node(node).awaitReady());
    awaitAllRunning();
  }

  private boolean isAlive(int node) {
    return cluster.node(node).isAlive();
  }

  private void awaitAllRunning() {
    for (int node = 0; node < COUNT; node++) {
      Http http = http(node);
      await()
          .atMost(Patience.TIME)
          .ignoreExceptions()
          .until(() -> isOneDead() || running(http.get("nodes").json()) == COUNT);
    }
    assertThat(isOneDead()).as("a node has ended by itself, see %s", outputs()).isFalse();
  }

  private boolean isOneDead() {
    return IntStream.range(0, COUNT).anyMatch(node -> !isAlive(node));
  }

  private List<Path> outputs() {
    return isOneDead() ? cluster.brokers().stream().map(Broker::writeOutput).toList() : List.of();
  }

  private static int running(JsonNode nodes) {
    int running = 0;
    for (JsonNode node : nodes) {
      running += node.path("running").asBoolean() ? 1 : 0;
    }
    return running;
  }

  /** Ends nodes in order, one after the other, and starts each as a process, to be killed once. */
  void becomeProcesses(int... those) {
    for (int node : those) {
      assertThat(cluster.node(node).stop()).isZero();
      cluster.asProcesses(node).start(node);
      cluster.embedded(node);
      awaitAllRunning();
    }
  }

  /** Ends nodes by SIGKILL, all at once. */
  void kill(int... nodes) {
    for (int node : nodes) {
      cluster.process(node).kill();
    }
    for (int node : nodes) {
      cluster.node(node).awaitExit();
    }
  }

  Http http(int node) {
    return cluster.node(node).http();
  }

  Broker broker(int node) {
    return cluster.node(node);
  }

  /** Opens a channel of a connection of its own, which does not recover by itself. */
  Channel channel(int node) throws IOException, TimeoutException {
    return cluster.channel(node);
  }

  /** Opens a channel with confirms. */
  Channel confirming(int node) throws IOException, TimeoutException {
    Channel channel = channel(node);
    channel.confirmSelect();
    return channel;
  }

  /** Returns arguments of a quorum queue. */
  static Map<String, Object> quorum(Map<String, Object> more) {
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-queue-type", "quorum");
    return arguments;
  }

  /** Declares a quorum queue at a node. */
  void declare(int node, String queue, Map<String, Object> arguments) throws Exception {
    channel(node).queueDeclare(queue, true, false, false, quorum(arguments));
  }

  /** Returns what a node tells of a queue. */
  JsonNode told(int node, String queue) throws IOException, InterruptedException {
    return http(node).get("queues/%2F/" + queue).json();
  }

  /** Returns the node that leads a queue, when a node that runs says that one of those does. */
  int awaitLeader(String queue) {
    return await("a leader of " + queue)
        .atMost(Patience.TIME)
        .ignoreExceptions()
        .until(() -> leader(queue), leader -> leader >= 0);
  }

  private int leader(String queue) throws Exception {
    for (int node = 0; node < COUNT; node++) {
      if (isAlive(node)) {
        String name = told(node, queue).path("leader").asText();
        return IntStream.range(0, COUNT)
            .filter(each -> isAlive(each) && ClusterNodes.name(each).equals(name))
            .findFirst()
            .orElse(-1);
      }
    }
    return -1;
  }

  /** Kills the leader of a queue and waits until there is another one. */
  void killLeader(String queue) {
    kill(awaitLeader(queue));
    awaitLeader(queue);
  }

  /** Returns a node that follows a queue's leader: the first or the second one. */
  int follower(String queue, int which) {
    return (awaitLeader(queue) + 1 + which) % COUNT;
  }

  /** Publishes and waits until all are confirmed. By turns persistent and transient ones. */
  static void publish(Channel confirming, String queue, List<String> bodies) throws Exception {
    for (int i = 0; i < bodies.size(); i++) {
      BasicProperties properties =
          i % 2 == 0 ? RestartedBroker.PERSISTENT : RestartedBroker.TRANSIENT;
      confirming.basicPublish("", queue, properties, Amqp.bytes(bodies.get(i)));
    }
    confirming.waitForConfirmsOrDie(Patience.MILLIS);
  }

  static void publish(Channel confirming, String queue, String... bodies) throws Exception {
    publish(confirming, queue, List.of(bodies));
  }

  /** Returns the bodies {@code m0}, {@code m1} and so on. */
  static void publish(Channel confirming, String queue, Integer... priorities) throws Exception {
    for (int i = 0; i < priorities.length; i++) {
      BasicProperties properties =
          RestartedBroker.PERSISTENT.builder().priority(priorities[i]).build();
      confirming.basicPublish("", queue, properties, Amqp.bytes(priorities[i] + " " + i));
    }
    confirming.waitForConfirmsOrDie(Patience.MILLIS);
  }

  static List<String> bodies(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "m" + i).toList();
  }

  /** Gets all that is ready, and acknowledges it. */
  static List<String> drain(Channel channel, String queue) throws IOException {
    List<String> bodies = new ArrayList<>();
    for (GetResponse got = channel.basicGet(queue, true);
        got != null;
        got = channel.basicGet(queue, true)) {
      bodies.add(Amqp.text(got.getBody()));
    }
    return bodies;
  }

  /** Waits until so many messages are ready. */
  static void awaitReady(Channel channel, String queue, int count) {
    await("%d ready messages in %s".formatted(count, queue))
        .atMost(Patience.TIME)
        .until(() -> channel.queueDeclarePassive(queue).getMessageCount(), found -> found == count);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
