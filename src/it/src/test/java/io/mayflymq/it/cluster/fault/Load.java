package io.mayflymq.it.cluster.fault;

import static io.mayflymq.it.cluster.fault.FaultBench.NODES;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The clients of a bench: at each node one that publishes to the queues of all nodes, one that
 * consumes from the queue of another node, and one that makes and deletes objects.
 */
final class Load {
  private final FaultBench bench;
  private final Random random;
  private final List<MessageLedger> queues = new ArrayList<>();
  private final ObjectLedger objects = new ObjectLedger();
  private final LoadClients clients = new LoadClients();
  private final AtomicInteger moves = new AtomicInteger();
  private int starts;

  /** Makes a queue at each node. */
  Load(FaultBench bench, Random random) throws Exception {
    this.bench = bench;
    this.random = random;
    for (int node = 0; node < NODES; node++) {
      MessageLedger queue = new MessageLedger("of-node" + node);
      queues.add(queue);
      try (Connection connection = bench.node(node).factory().newConnection();
          Channel channel = connection.createChannel()) {
        channel.queueDeclare(queue.queue(), true, false, false, null);
        channel.exchangeDeclare(LoadDeclarer.EXCHANGE, "topic", true);
      }
    }
  }

  List<MessageLedger> queues() {
    return queues;
  }

  ObjectLedger objects() {
    return objects;
  }

  /** Starts all clients. */
  void start() {
    starts++;
    for (int node = 0; node < NODES; node++) {
      clients.add(new LoadPublisher(bench, node, queues, newRandom()));
      // Every pair of a node and a queue within three rounds.
      clients.add(new LoadConsumer(bench, node, queues.get((node + starts) % NODES)));
      String prefix = "r%d-n%d".formatted(starts, node);
      clients.add(new LoadDeclarer(bench, node, prefix, objects, newRandom()));
    }
    clients.start();
  }

  /**
   * Queues are moved from node to node as long as clients use them, also while other faults begin
   * and end: by one client at each node, to any node.
   */
  Fault moves() {
    return new Fault("moves of queues", this::startMoves, () -> {});
  }

  private void startMoves() {
    for (int node = 0; node < NODES; node++) {
      LoadMover mover = new LoadMover(bench, node, queues, moves, newRandom());
      clients.add(mover);
      mover.start();
    }
  }

  /** Returns how many queues have come to another node since this was called last. */
  int takeMoves() {
    return moves.getAndSet(0);
  }

  private Random newRandom() {
    return new Random(random.nextLong());
  }

  /** Has all clients end, and returns what is wrong with those that do not. */
  List<String> stop() throws InterruptedException {
    return clients.stop();
  }

  /** Returns how many messages must be in the queues. */
  long messages() {
    return queues.stream().mapToLong(MessageLedger::mustBeThere).sum();
  }
}
