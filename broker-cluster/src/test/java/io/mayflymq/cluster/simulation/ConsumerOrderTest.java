package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.partition.ReplicaLook;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Consumers of all nodes at a replicated queue, while nodes end and come back: which one is the
 * single active one, and in which order messages go round, against a list of consumers.
 *
 * <p>What the single active one does was seen of RabbitMQ 4.3.6: it gets nothing new once a
 * consumer of a higher priority has joined, and that one takes over when it has nothing to settle.
 */
class ConsumerOrderTest {
  private static final long ROOMY = 1L << 30;
  private static final int CLUSTERS = 12;
  private static final int STEPS = 25;

  /** Longer than it takes to elect a leader, and to wait for nodes. */
  private static final long FAILOVER_MILLIS = 10_000;

  private final List<Subscriber> members = new ArrayList<>();

  /** Those that were cancelled before they had settled all. */
  private final List<Subscriber> cancelled = new ArrayList<>();

  /** The messages that no consumer has. */
  private final Set<Integer> ready = new TreeSet<>();

  private Random random;
  private SimulatedCluster cluster;
  private Ledger ledger;
  private Subscriber active;
  private int published;
  private int subscribed;

  /** A consumer that has always room. */
  private static final class Subscriber implements ConsumerTarget {
    final NodeProcess process;
    final Consumer consumer;
    final List<Integer> got = new ArrayList<>();

    /** The sequence number by which it got each message last. */
    final Map<Integer, Long> sequences = new HashMap<>();

    /** What it is to have got. */
    final Set<Integer> expected = new TreeSet<>();

    /** What it has to settle of that. */
    final Set<Integer> held = new TreeSet<>();

    Subscriber(NodeProcess process, int number, boolean acknowledges, long priority) {
      this.process = process;
      FieldTable arguments = FieldTable.builder().put(Consumer.PRIORITY, priority).build();
      this.consumer =
          new Consumer(
              ShortString.of("c" + number),
              new ConsumeOptions(acknowledges, false, 0, arguments),
              this);
    }

    void expect(Set<Integer> messages) {
      expected.addAll(messages);
      if (consumer.acknowledges()) {
        held.addAll(messages);
      }
    }

    @Override
    public boolean reserve(Consumer asking) {
      return true;
    }

    @Override
    public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
      got.add(NumberedMessage.numberOf(message));
      sequences.put(NumberedMessage.numberOf(message), sequence);
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
    cancelled.clear();
    ready.clear();
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

  private void subscribe(NodeProcess process, boolean acknowledges, long priority) {
    subscribed++;
    Subscriber added = new Subscriber(process, subscribed, acknowledges, priority);
    CompletableFuture<Void> joined =
        process.queue("q").requests().subscribe(added.consumer, () -> {});
    cluster.settle(random);
    assertThat(joined).isCompleted();
    members.add(added);
    handOut();
  }

  private void cancel(Subscriber member) {
    member.process.queue("q").requests().cancel(member.consumer);
    cluster.settle(random);
    remove(member);
    cancelled.add(member);
    handOut();
  }

  private void remove(Subscriber gone) {
    members.remove(gone);
    if (gone == active) {
      active = null;
    }
  }

  /** The model: lets the one get what is ready whose turn it is. */
  private void handOut() {
    Subscriber highest =
        members.stream()
            .min(Comparator.comparingLong(member -> -member.consumer.priority()))
            .orElse(null);
    boolean isHigher = active != null && highest.consumer.priority() > active.consumer.priority();
    if (isHigher && !active.held.isEmpty()) {
      return;
    }
    if (active == null || isHigher) {
      active = highest;
    }
    if (active != null) {
      active.expect(ready);
      ready.clear();
    }
  }

  private void lose(SimulatedNode node) {
    boolean leads =
        ReplicaLook.state(
                node.process().control().hosted(), node.process().queue("q").replicatedPartition())
            .leads();
    NodeProcess lost = node.process();
    node.losePower(random);
    for (Subscriber each : Stream.concat(members.stream(), cancelled.stream()).toList()) {
      if (leads || each.process == lost) {
        ready.addAll(each.held);
        each.held.clear();
      }
      if (each.process == lost) {
        remove(each);
      }
    }
    handOut();
    cluster.advance(FAILOVER_MILLIS, random);
  }

  /** The active one acknowledges or gives back some of what it has. */
  private void settle() {
    Subscriber settling = active;
    boolean acknowledges = random.nextInt(3) > 0;
    boolean all = random.nextBoolean();
    for (int number : List.copyOf(settling.held)) {
      if (all || random.nextBoolean()) {
        Shard home = settling.process.shards().get(0);
        home.execute(() -> settle(settling, home, settling.sequences.get(number), acknowledges));
        settling.held.remove(number);
        if (!acknowledges) {
          ready.add(number);
        }
        cluster.settle(random);
        handOut();
      }
    }
  }

  private static void settle(Subscriber settling, Shard home, long sequence, boolean acknowledges) {
    Queue queue = settling.process.queue("q");
    ShardCommandSender sender =
        new ShardCommandSender(home, settling.process.broker().partitions(), () -> {});
    if (acknowledges) {
      sender.acknowledge(queue, settling.consumer, sequence, sequence);
    } else {
      sender.requeue(queue, settling.consumer, sequence, sequence);
    }
  }

  private int publish() {
    int number = published++;
    NodeProcess process = anyProcess();
    process.shards().get(0).execute(() -> publish(process, number));
    cluster.settle(random);
    ready.add(number);
    handOut();
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
        check(seed, step);
        publish();
        check(seed, step);
      }
    }
  }

  private void check(long seed, int step) {
    for (Subscriber member : members) {
      assertThat(new TreeSet<>(member.got))
          .as("what %s got in cluster %d, step %d", member, seed, step)
          .isEqualTo(member.expected);
    }
  }

  private void change() {
    SimulatedNode node = cluster.nodes().get(random.nextInt(3));
    switch (random.nextInt(8)) {
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
      case 3, 4 -> {
        if (active != null) {
          settle();
        }
      }
      default -> subscribe(anyProcess(), random.nextInt(4) > 0, random.nextInt(3));
    }
  }

  @Test
  void messagesGoRoundInTheSameOrderAtTheNextLeader() {
    for (long seed = 0; seed < CLUSTERS; seed++) {
      begin(seed, false);
      for (int count = 0; count < 8; count++) {
        subscribe(anyProcess(), false, 0);
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
