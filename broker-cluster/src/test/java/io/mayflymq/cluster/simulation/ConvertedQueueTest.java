package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A classic queue is made a quorum queue while clients publish, and nodes end or are cut off
 * meanwhile. It is one of the two then, the same on all nodes, with all that was confirmed, once.
 */
class ConvertedQueueTest {
  private static final int PROGRAMS = Integer.getInteger("converted.programs", 60);
  private static final long ROOMY = 1L << 30;
  private static final String QUEUE = "q";
  private static final long HEALING_MILLIS = 15_000;
  private static final SimulatedClient.Content CONTENT =
      new SimulatedClient.Content(true, Message.NO_TTL, 40, true);

  private enum Fault {
    NONE,
    HOME_KILLED,
    HOME_LOSES_POWER,
    OTHER_KILLED,
    BROKEN
  }

  /** One run. */
  private static final class Program {
    private final Random random;
    private final SimulatedCluster cluster;
    private final Ledger ledger;
    private final SimulatedNode home;
    private final List<SimulatedClient> publishers = new ArrayList<>();

    Program(long seed) {
      random = new Random(seed);
      cluster = new SimulatedCluster(List.of(2, 1, 2), ROOMY, random);
      ledger = new Ledger(cluster);
      cluster.settle(random);
      // By turns its own node leads it at first, or any one.
      FieldTable.Builder arguments = FieldTable.builder();
      if (seed % 2 == 1) {
        arguments.put("x-queue-leader-locator", "balanced");
      }
      new SimulatedClient(cluster.nodes().get(0).process(), 0, ledger)
          .declare(QUEUE, true, arguments.build());
      cluster.settle(random);
      home =
          cluster.nodes().stream()
              .filter(node -> node.process().queue(QUEUE).isLocal())
              .findFirst()
              .orElseThrow();
      for (SimulatedNode node : cluster.nodes()) {
        publishers.add(new SimulatedClient(node.process(), 0, ledger));
      }
    }

    private static VirtualHost vhost(SimulatedNode node) {
      return node.process().vhost();
    }

    private void publish() {
      SimulatedClient publisher = publishers.get(random.nextInt(publishers.size()));
      if (publisher.process().isRunning()) {
        publisher.publish("", QUEUE, CONTENT);
      }
    }

    private void steps(int most) {
      for (int left = random.nextInt(most); left > 0; left--) {
        cluster.step(random);
        if (random.nextInt(40) == 0) {
          publish();
        }
        if (random.nextInt(10) == 0) {
          cluster.pass(1, random);
        }
      }
    }

    /** Returns how the queue is at last. */
    QueueType run(Fault fault) {
      for (int count = 0; count < 200; count++) {
        publish();
      }
      cluster.settle(random);
      CompletableFuture<Void> converted = vhost(home).convertQueue(QUEUE);
      steps(3_000);
      fail(fault);
      steps(1_000);
      mend();
      if (fault == Fault.NONE) {
        assertThat(converted).isCompleted();
      }
      cluster.processes().forEach(process -> process.faults().assertNone());
      return check();
    }

    private void fail(Fault fault) {
      if (fault != Fault.NONE) {
        ledger.trouble();
      }
      switch (fault) {
        case HOME_KILLED -> home.kill(random);
        case HOME_LOSES_POWER -> home.losePower(random);
        case OTHER_KILLED ->
            cluster.nodes().get((home.number() + 1 + random.nextInt(2)) % 3).kill(random);
        case BROKEN -> cluster.network().breakOne(random);
        default -> {}
      }
    }

    private void mend() {
      cluster.nodes().forEach(SimulatedNode::start);
      cluster.advance(HEALING_MILLIS, random);
      cluster.nodes().forEach(node -> vhost(node).endStrandedMoves());
      cluster.advance(HEALING_MILLIS, random);
      assertThat(vhost(home).isMoving(QUEUE)).as("is being converted").isFalse();
    }

    private QueueType check() {
      Queue queue = home.process().queue(QUEUE);
      QueueType type = queue.definition().settings().type();
      assertThat(queue.isReplicated()).isEqualTo(type == QueueType.QUORUM);
      for (SimulatedNode node : cluster.nodes()) {
        assertThat(node.process().queue(QUEUE).id()).isEqualTo(queue.id());
      }
      List<Integer> there = drain(cluster.nodes().get(1).process().queue(QUEUE));
      assertThat(new HashSet<>(there)).as("none is there twice").hasSize(there.size());
      for (int number = 0; number < ledger.published(); number++) {
        if (ledger.publication(number).isConfirmed()) {
          assertThat(there).as("%s", ledger.publication(number)).contains(number);
        }
      }
      return type;
    }

    private List<Integer> drain(Queue queue) {
      List<Integer> there = new ArrayList<>();
      while (true) {
        CompletableFuture<GetResult> fetched = queue.requests().fetch(false, LeaseUse.GET);
        cluster.settle(random);
        assertThat(fetched).isCompleted();
        GetResult result = fetched.join();
        if (result == null) {
          return there;
        }
        there.add(NumberedMessage.numberOf(result.message()));
      }
    }
  }

  @Test
  void queueIsCompleteWhateverHappensMeanwhile() {
    List<String> failures = new ArrayList<>();
    List<QueueType> types = new ArrayList<>();
    for (int seed = 0; seed < PROGRAMS; seed++) {
      Fault fault = Fault.values()[seed / 2 % Fault.values().length];
      try {
        QueueType type = new Program(seed).run(fault);
        types.add(type);
        assertThat(fault != Fault.NONE || type == QueueType.QUORUM).as("is converted").isTrue();
      } catch (AssertionError | RuntimeException e) {
        failures.add("program %d, %s: %s".formatted(seed, fault, e));
      }
    }
    assertThat(failures).isEmpty();
    assertThat(types).contains(QueueType.CLASSIC, QueueType.QUORUM);
  }
}
