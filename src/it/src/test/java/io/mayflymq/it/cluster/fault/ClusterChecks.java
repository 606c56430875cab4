package io.mayflymq.it.cluster.fault;

import static io.mayflymq.it.cluster.fault.FaultBench.NODES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is true of a cluster once a fault is over and it has had the time to recover. */
public final class ClusterChecks {
  private final FaultBench bench;
  private final Map<Broker, Integer> read = new HashMap<>();

  /** Creates one for a bench. */
  public ClusterChecks(FaultBench bench) {
    this.bench = bench;
  }

  /** Waits until each node says that all are running. */
  public void awaitAllReachable() {
    for (int node = 0; node < NODES; node++) {
      int asked = node;
      await("node%d reaches all".formatted(node))
          .atMost(Patience.TIME)
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                List<Boolean> running = new ArrayList<>();
                bench
                    .node(asked)
                    .http()
                    .get("nodes")
                    .json()
                    .forEach(each -> running.add(each.path("running").asBoolean()));
                assertThat(running).hasSize(NODES).containsOnly(true);
              });
    }
  }

  /** Waits until each node carries out a declaration, a publish with confirm, and a deletion. */
  public void awaitEachNodeWorks() {
    for (int node = 0; node < NODES; node++) {
      int asked = node;
      await("node%d works".formatted(node))
          .atMost(Patience.TIME)
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(works(asked)).isTrue());
    }
  }

  private boolean works(int node) throws Exception {
    try (Connection connection = bench.node(node).factory().newConnection("probe")) {
      Channel channel = connection.createChannel();
      String queue = "probe" + node;
      channel.queueDeclare(queue, true, false, false, null);
      channel.confirmSelect();
      channel.basicPublish("", queue, RestartedBroker.PERSISTENT, new byte[1]);
      boolean confirmed = channel.waitForConfirms(Patience.MILLIS);
      channel.queueDelete(queue);
      return confirmed;
    }
  }

  /**
   * Waits until the definitions are the same on all nodes, and no queue of an ended client is left.
   *
   * @return these definitions
   */
  JsonNode awaitSameDefinitions() throws Exception {
    await("the same definitions on all nodes")
        .atMost(Patience.TIME)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              Map<String, Set<String>> first = definitions(0);
              for (int node = 1; node < NODES; node++) {
                assertThat(definitions(node)).isEqualTo(first);
              }
              for (int node = 0; node < NODES; node++) {
                assertThat(exclusiveQueues(node)).isEmpty();
              }
            });
    return bench.node(0).http().get("definitions").json();
  }

  /** Waits until no move is under way, and all nodes tell the same place of each queue. */
  void awaitNoMoves(List<MessageLedger> queues) {
    for (MessageLedger queue : queues) {
      await("the same place of %s on all nodes, and no move".formatted(queue.queue()))
          .atMost(Patience.TIME)
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                Set<String> places = new TreeSet<>();
                for (int node = 0; node < NODES; node++) {
                  JsonNode state = bench.node(node).http().get(LoadMover.path(queue)).json();
                  assertThat(state.path("moving").asBoolean(true)).isFalse();
                  places.add(state.path("node").asText());
                }
                assertThat(places).hasSize(1);
              });
    }
  }

  private Map<String, Set<String>> definitions(int node) throws Exception {
    Map<String, Set<String>> sorted = new TreeMap<>();
    JsonNode json = bench.node(node).http().get("definitions").json();
    for (Map.Entry<String, JsonNode> field : json.properties()) {
      if (field.getValue().isArray()) {
        Set<String> objects = new TreeSet<>();
        field.getValue().forEach(object -> objects.add(object.toString()));
        sorted.put(field.getKey(), objects);
      }
    }
    assertThat(sorted).as("definitions of node%d: %s", node, json).containsKey("queues");
    return sorted;
  }

  private List<String> exclusiveQueues(int node) throws Exception {
    List<String> names = new ArrayList<>();
    bench
        .node(node)
        .http()
        .get("queues")
        .json()
        .forEach(
            queue -> {
              if (queue.path("exclusive").asBoolean()) {
                names.add(queue.path("name").asText());
              }
            });
    return names;
  }

  /**
   * Returns the lines that processes have logged as errors since this was called last, without the
   * consequences of faults.
   */
  public List<String> errors(List<Fault> faults) {
    List<String> errors = new ArrayList<>();
    for (Broker broker : bench.brokers()) {
      List<String> lines = broker.output();
      for (String line : lines.subList(read.getOrDefault(broker, 0), lines.size())) {
        if (isError(line) && faults.stream().noneMatch(fault -> fault.expected().test(line))) {
          errors.add(line);
        }
      }
      read.put(broker, lines.size());
    }
    return errors;
  }

  private static boolean isError(String line) {
    return line.contains(" [error] ")
        || line.contains(" [critical] ")
        || line.contains("LEAK:")
        || line.startsWith("\tat ");
  }
}
