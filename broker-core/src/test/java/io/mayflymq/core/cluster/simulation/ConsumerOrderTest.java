package io.mayflymq.core.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.queue.consumer.ConsumeOptions;
import io.mayflymq.core.queue.consumer.Consumer;
import io.mayflymq.core.queue.consumer.ConsumerTarget;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Consumers of all nodes at a replicated queue, while nodes end and come back: which one is the
 * single active one, and in which order messages go round, against a list of consumers.
 */
class ConsumerOrderTest {
  private static final long ROOMY = 1L << 30;
  private static final int CLUSTERS = 12;
  private static final int STEPS = 25;

  /** Longer than it takes to elect a leader, and to wait for nodes. */
  private static final long FAILOVER_MILLIS = 10_000;

  private final List<Subscriber> members = new ArrayList<>();
  private Random random;
  private SimulatedCluster cluster;
  private Ledger ledger;
  private Subscriber active;
  private int published;
  private int subscribed;

  /** A consumer that does not acknowledge, and has always room. */
  private static final class Subscriber implements ConsumerTarget {
    final NodeProcess process;
    final Consumer consumer;
    final List<Integer> got = new ArrayList<>();

    Subscriber(NodeProcess process, int number, long priority) {
      this.process = process;
      FieldTable arguments = FieldTable.builder().put(Consumer.PRIORITY, priority).build();
      this.consumer =
          new Consumer(
              ShortString.of("c" + number), new ConsumeOptions(false, false, 0, arguments), this);
    }

    @Override
    public boolean reserve(Consumer asking) {
      return true;
    }

    @Override
    public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
      got.add(NumberedMessage.numberOf(message));
    }

    @Override
    public void cancelled(Consumer gone) {
      throw new AssertionError(this + " was cancelled");
    }

    @Override
    public String toString() {
      return "%s of node %d, priority %d"
          .formatted(consumer.tag(), process.node().number(), consumer.priority());
    }
  }

  private void begin(long seed, boolean singleActive) {
    random = new Random(seed);
    cluster = new SimulatedCluster(List.of(2, 1, 2), ROOMY, random);
    ledger = new Ledger(cluster);
    members.clear();
    active = null;
    cluster.settle(random);
    FieldTable arguments =
        FieldTable.builder()
            .put("x-queue-type", "quorum")
            .put("x-single-active-consumer", singleActive)
            .build();
    client(anyProcess()).declare("q", true, arguments);
    cluster.settle(random);
  }

  private SimulatedClient client(NodeProcess process) {
    return new SimulatedClient(process, 0, ledger);
  }

  private NodeProcess anyProcess() {
    List<NodeProcess> all = cluster.processes();
    return all.get(random.nextInt(all.size()));
  }

  private Subscriber subscribe(NodeProcess process, long priority) {
    subscribed++;
    Subscriber added = new Subscriber(process, subscribed, priority);
    CompletableFuture<Void> joined =
        process.queue("q").requests().subscribe(added.consumer, () -> {});
    cluster.settle(random);
    assertThat(joined).isCompleted();
    members.add(added);
    if (active == null) {
      active = added;
    }
    return added;
  }

  private void cancel(Subscriber member) {
    member.process.queue("q").requests().cancel(member.consumer);
    cluster.settle(random);
    remove(List.of(member));
  }

  private void remove(List<Subscriber> gone) {
    members.removeAll(gone);
    if (gone.contains(active)) {
      active =
          members.stream()
              .min(Comparator.comparingLong(member -> -member.consumer.priority()))
              .orElse(null);
    }
  }

  private void lose(SimulatedNode node) {
    NodeProcess lost = node.process();
    node.losePower(random);
    remove(members.stream().filter(member -> member.process == lost).toList());
    cluster.advance(FAILOVER_MILLIS, random);
  }

  private int publish() {
    int number = published++;
    NodeProcess process = anyProcess();
    process.shards().get(0).execute(() -> publish(process, number));
    cluster.settle(random);
    return number;
  }

  private static void publish(NodeProcess process, int number) {
    Message message = NumberedMessage.of(number, true, Message.NO_TTL, 0);
    new ShardCommandSender(process.shards().get(0), process.broker().partitions(), () -> {})
        .publish(process.queue("q"), message, null, number);
  }

  private List<Subscriber> receivers(int number) {
    return members.stream().filter(member -> member.got.contains(number)).toList();
  }

  @Test
  void theSingleActiveConsumerStaysWhileItsNodeGoesOn() {
    for (long seed = 0; seed < CLUSTERS; seed++) {
      begin(seed, true);
      for (int step = 0; step < STEPS; step++) {
        change();
        int number = publish();
        if (active != null) {
          assertThat(receivers(number))
              .as("who gets message %d in cluster %d", number, seed)
              .containsExactly(active);
        }
      }
    }
  }

  private void change() {
    SimulatedNode node = cluster.nodes().get(random.nextInt(3));
    switch (random.nextInt(6)) {
      case 0 -> {
        if (!members.isEmpty()) {
          cancel(members.get(random.nextInt(members.size())));
        }
      }
      case 1 -> {
        if (cluster.processes().size() == 3) {
          lose(node);
        }
      }
      case 2 -> {
        node.start();
        cluster.advance(FAILOVER_MILLIS, random);
      }
      default -> subscribe(anyProcess(), random.nextInt(3));
    }
  }

  @Test
  void messagesGoRoundInTheSameOrderAtTheNextLeader() {
    for (long seed = 0; seed < CLUSTERS; seed++) {
      begin(seed, false);
      for (int count = 0; count < 8; count++) {
        subscribe(anyProcess(), 0);
      }
      lose(cluster.nodes().get(random.nextInt(3)));
      List<Subscriber> round = new ArrayList<>();
      for (int count = 0; count < members.size(); count++) {
        assertThat(receivers(publish())).hasSize(1).allSatisfy(round::add);
      }
      assertThat(round).as("the order in cluster %d", seed).isEqualTo(members);
    }
  }
}
