package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.fault.FaultBench.NODES;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.cluster.fault.FaultBench;
import io.mayflymq.it.cluster.fault.Ledger;
import io.mayflymq.it.cluster.fault.LoadClient.Loss;
import io.mayflymq.it.cluster.fault.LoadClients;
import io.mayflymq.it.cluster.fault.LoadConsumer;
import io.mayflymq.it.cluster.fault.LoadPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Quorum queues of several kinds, and at each node a client that publishes to all of them and
 * clients that consume.
 */
final class QuorumLoad {
  private static final Duration LIFETIME = Duration.ofMillis(1_500);
  private static final int DELIVERY_LIMIT = 2;
  private static final int RETURNED_ONE_OF = 3;

  private final FaultBench bench;
  private final Random random;
  private final List<Family> plain =
      IntStream.range(0, NODES).mapToObj(i -> family("plain" + i, Map.of())).toList();
  private final Family expiring = new Family("expiring", "expired", LIFETIME, Map.of());
  private final Family limited =
      new Family("limited", "poison", Duration.ZERO, Map.of("x-delivery-limit", DELIVERY_LIMIT));
  private final Family single = family("single", Map.of("x-single-active-consumer", true));
  private final Family fair = family("fair", Map.of("x-fair-by", "tenant"));
  private final UndoneQueue undone;
  private final UndeletedQueue undeleted;
  private final PausedQueue paused;
  private final List<Family> families = new ArrayList<>(plain);
  private final LoadClients clients = new LoadClients();
  private int starts;

  /** Declares the queues, by turns at all nodes. */
  QuorumLoad(FaultBench bench, Random random) throws Exception {
    this.bench = bench;
    this.random = random;
    this.undone = new UndoneQueue(bench);
    this.undeleted = new UndeletedQueue(bench);
    this.paused = new PausedQueue(bench);
    families.addAll(List.of(expiring, limited, single, fair, undone.family(), paused.family()));
    int declared = 0;
    for (Family family : families) {
      if (family.deadLetters() != null) {
        declare(declared++, family.deadLetters(), Map.of("x-queue-type", "quorum"));
      }
      declare(declared++, family.queue(), family.arguments());
    }
  }

  private static Family family(String queue, Map<String, Object> arguments) {
    return new Family(queue, null, Duration.ZERO, arguments);
  }

  private void declare(int turn, Ledger queue, Map<String, Object> arguments) throws Exception {
    try (Connection connection = bench.node(turn % NODES).factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(queue.queue(), true, false, false, arguments);
    }
  }

  List<Family> families() {
    return families;
  }

  /** Starts all clients. */
  void start() {
    starts++;
    List<Ledger> mayWait = List.of(paused.family().queue()); // With all of its connection.
    List<Ledger> others =
        families.stream().map(Family::queue).filter(queue -> !mayWait.contains(queue)).toList();
    for (int node = 0; node < NODES; node++) {
      clients.add(new LoadPublisher(bench, node, others, new Random(random.nextLong())));
      clients.add(new LoadPublisher(bench, node, mayWait, new Random(random.nextLong())));
      // Every pair of a node and a queue within three rounds.
      clients.add(new LoadConsumer(bench, node, plain.get((node + starts) % NODES).queue()));
      clients.add(new LoadConsumer(bench, node, single.queue()));
    }
    clients.add(new LoadConsumer(bench, turn(0), limited.queue(), RETURNED_ONE_OF));
    clients.add(new LoadConsumer(bench, turn(1), limited.queue(), RETURNED_ONE_OF));
    clients.add(new LoadConsumer(bench, turn(0), fair.queue()));
    clients.add(new LoadConsumer(bench, turn(2), fair.queue()));
    clients.add(new LoadConsumer(bench, turn(1), expiring.queue()));
    clients.add(new LoadConsumer(bench, turn(2), expiring.deadLetters()));
    clients.add(new LoadConsumer(bench, turn(0), paused.family().queue()));
    clients.add(new LoadConsumer(bench, turn(1), paused.family().queue()));
    clients.start();
    undone.start(random.nextLong());
    undeleted.start(random.nextLong());
    paused.start(random.nextLong());
  }

  private int turn(int after) {
    return (starts + after) % NODES;
  }

  /** Has all clients end, and returns what is wrong with those that do not. */
  List<String> stop() throws InterruptedException {
    undone.stop();
    undeleted.stop();
    paused.stop();
    List<String> wrong = new ArrayList<>(paused.takeWrong());
    wrong.addAll(clients.stop());
    return wrong;
  }

  /** All faults are over: what is away and can be brought back comes back. */
  void restoreAll() {
    undone.restoreAll();
    undeleted.restore();
  }

  /** Returns what clients have lost that have ended since this was called last. */
  List<Loss> takeLosses() {
    return clients.takeLosses();
  }

  /** Returns how often nothing was got of a paused queue, since this was called last. */
  int takePausesChecked() {
    return paused.takeChecked();
  }

  /** Returns the node that leads a queue, one that follows, or any one. */
  int victim() {
    String queue = families.get(random.nextInt(families.size())).queue().queue();
    int kind = random.nextInt(4);
    int offset = 1 + random.nextInt(NODES - 1);
    return switch (kind) {
      case 0 -> random.nextInt(NODES);
      case 1 -> (leader(queue) + offset) % NODES;
      default -> leader(queue);
    };
  }

  private int leader(String queue) {
    String name = "";
    try {
      name = bench.node(0).http().get("queues/%2F/" + queue).json().path("leader").asText();
    } catch (IOException e) {
      throw new AssertionError("the leader of " + queue + " is not known", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (int node = 0; node < NODES; node++) {
      if (ClusterNodes.name(node).equals(name)) {
        return node;
      }
    }
    throw new AssertionError("the leader of %s is '%s'".formatted(queue, name));
  }

  /** Returns the leader of each queue, for reports. */
  String leaders() {
    return families.stream()
        .map(family -> family.queue().queue() + " node" + leader(family.queue().queue()))
        .collect(Collectors.joining(", "));
  }
}
