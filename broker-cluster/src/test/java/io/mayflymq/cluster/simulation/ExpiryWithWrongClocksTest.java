package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.partition.ReplicaLook;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The clocks of nodes differ by seconds, and leaders change. Messages of replicated queues expire
 * when their TTL has passed all the same, as docs/quorum-queues.md says.
 */
class ExpiryWithWrongClocksTest {
  private static final int PROGRAMS = Integer.getInteger("clocks.programs", 30);
  private static final int ROUNDS = 5;
  private static final long ROOMY = 1L << 30;
  private static final int MOST_WRONG_MILLIS = 5_000;
  private static final int LONGEST_TTL_MILLIS = 60_000;

  /** Longer than an election and any retry. */
  private static final long HEALING_MILLIS = 15_000;

  /** In how many ms the time of a partition approaches a clock by one. */
  private static final int MILLIS_PER_MILLI = 2_000;

  /** What each change of the leader may add: the time under way, and what is rounded. */
  private static final int CHANGE_MILLIS = 2;

  /** How exact the time is that a node has kept which is started again. */
  private static final int KEPT_MILLIS = 50;

  private static final class Program {
    private final Random random;
    private final SimulatedCluster cluster;
    private final Ledger ledger;
    private final List<Publication> published = new ArrayList<>();

    /** From a fault on until everything works again. */
    private final List<Outage> outages = new ArrayList<>();

    private int partition;

    private record Outage(long began, long ended, boolean anyRestart) {
      boolean overlaps(long from, long to) {
        return began <= to && ended >= from;
      }
    }

    Program(long seed) {
      random = new Random(seed);
      cluster = new SimulatedCluster(List.of(1, 1, 1), ROOMY, new Random(seed));
      cluster
          .nodes()
          .forEach(
              node -> node.setClock(random.nextInt(2 * MOST_WRONG_MILLIS + 1) - MOST_WRONG_MILLIS));
      ledger = new Ledger(cluster);
      ledger.trouble();
      cluster.settle(random);
    }

    private SimulatedClient client(SimulatedNode node) {
      return new SimulatedClient(node.process(), 0, ledger);
    }

    private SimulatedNode anyNode() {
      return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }

    private SimulatedNode leader() {
      return cluster.nodes().stream().filter(node -> state(node).leads()).findFirst().orElseThrow();
    }

    private ReplicaState state(SimulatedNode node) {
      return ReplicaLook.state(node.process().control().hosted(), partition);
    }

    void run() {
      SimulatedClient declaring = client(anyNode());
      FieldTable.Builder arguments = FieldTable.builder().put("x-queue-type", "quorum");
      declaring.declare("dead", true, arguments.build());
      declaring.declare(
          "q",
          true,
          arguments
              .put("x-dead-letter-exchange", "")
              .put("x-dead-letter-routing-key", "dead")
              .build());
      cluster.settle(random);
      partition = declaring.process().queue("q").replicatedPartition();
      consume();
      for (int round = 0; round < ROUNDS; round++) {
        publish();
        cluster.advance(random.nextInt(4_000), random);
        long began = cluster.elapsedMillis();
        boolean anyRestart = fail();
        cluster.advance(1 + random.nextInt(8_000), random);
        mend();
        outages.add(new Outage(began, cluster.elapsedMillis(), anyRestart));
      }
      cluster.advance(LONGEST_TTL_MILLIS + HEALING_MILLIS, random);
      cluster.processes().forEach(process -> process.faults().assertNone());
      published.forEach(this::check);
    }

    /** All that is published is in the queue at once: no time passes, and there is a leader. */
    private void publish() {
      SimulatedClient client = client(anyNode());
      int first = ledger.published();
      for (int count = 0; count < 4; count++) {
        long ttl = 1L + random.nextInt(random.nextBoolean() ? 3_000 : LONGEST_TTL_MILLIS);
        client.publish("", "q", new SimulatedClient.Content(true, ttl, 10, true));
      }
      cluster.settle(random);
      for (int number = first; number < ledger.published(); number++) {
        assertThat(ledger.publication(number).isConfirmed()).as("message %d", number).isTrue();
        published.add(ledger.publication(number));
      }
      assertThat(ledger.published()).isEqualTo(first + 4);
    }

    /** From now on dead letters are taken, as long as no node ends. */
    private void consume() {
      SimulatedClient consuming = client(anyNode());
      consuming.acknowledgeAll();
      consuming.consume("dead", true, 0, false);
      cluster.settle(random);
    }

    /** Returns whether a node has ended. */
    private boolean fail() {
      SimulatedNode leader = leader();
      int kind = random.nextInt(5);
      switch (kind) {
        case 0 -> leader.handOver(partition, -1);
        case 1 ->
            cluster.nodes().stream()
                .filter(other -> other != leader)
                .forEach(other -> cut(leader.number(), other.number()));
        case 2 -> leader.kill(random);
        case 3 -> leader.losePower(random);
        default -> cluster.nodes().forEach(node -> node.losePower(random));
      }
      return kind > 1;
    }

    private void cut(int one, int other) {
      cluster.network().block(one, other);
      cluster.network().block(other, one);
    }

    private void mend() {
      cluster.network().heal();
      cluster.nodes().forEach(SimulatedNode::start);
      cluster.advance(HEALING_MILLIS, random);
      consume();
    }

    private void check(Publication publication) {
      KnownQueue dead = known("dead");
      List<Delivery> delivered = List.copyOf(ledger.deadLetters(dead, publication.number));
      assertThat(delivered).as("dead letters of message %d", publication.number).isNotEmpty();
      long ttl = publication.ttlMillis;
      long deadline = publication.publishedAt + ttl;
      boolean isKept =
          outages.stream()
              .anyMatch(
                  each -> each.anyRestart && each.overlaps(publication.publishedAt, deadline));
      long tolerance = 1 + ttl / MILLIS_PER_MILLI + (isKept ? KEPT_MILLIS : 0);
      for (Delivery each : delivered) {
        assertThat(each.atMillis - publication.publishedAt)
            .as("message %d has expired after", publication.number)
            .isGreaterThanOrEqualTo(ttl - tolerance);
      }
      long latest = deadline + tolerance + (long) CHANGE_MILLIS * (ROUNDS + 1);
      if (outages.stream().noneMatch(each -> each.overlaps(deadline, latest))) {
        long first = delivered.stream().mapToLong(each -> each.atMillis).min().orElseThrow();
        assertThat(first)
            .as("message %d is a dead letter at", publication.number)
            .isLessThanOrEqualTo(latest);
      }
    }

    private KnownQueue known(String name) {
      for (KnownQueue queue : ledger.queues()) {
        if (queue.name().equals(name)) {
          return queue;
        }
      }
      throw new AssertionError(name);
    }
  }

  @Test
  void messagesExpireWhenTheirTtlHasPassed() {
    List<String> failures = new ArrayList<>();
    for (int seed = 0; seed < PROGRAMS; seed++) {
      try {
        new Program(seed).run();
      } catch (AssertionError | RuntimeException e) {
        failures.add("program %d: %s".formatted(seed, e));
      }
    }
    assertThat(failures).isEmpty();
  }
}
