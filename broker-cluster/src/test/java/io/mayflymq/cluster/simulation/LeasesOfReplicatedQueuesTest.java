package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.partition.ReplicaLook;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Leases of replicated queues go on when another node leads, as docs/queue-leases.md says. */
class LeasesOfReplicatedQueuesTest {
  private static final long ROOMY = 1L << 30;
  private static final int PERIOD = 20_000;

  /** What a use that was not noted, and times under way, may add; and how often it is looked. */
  private static final int LATE_MILLIS = PERIOD / 20 + 100;

  private static final int STEP = 50;

  private final Random random = new Random(18);
  private final SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), ROOMY, random);
  private final Ledger ledger = new Ledger(cluster);
  private int partition;

  private void declare(int node) {
    ledger.trouble();
    cluster.settle(random);
    FieldTable arguments =
        FieldTable.builder().put("x-queue-type", "quorum").put("x-expires", PERIOD).build();
    new SimulatedClient(process(node), 0, ledger).declare("q", true, arguments);
    cluster.settle(random);
    partition = process(node).queue("q").replicatedPartition();
  }

  private NodeProcess process(int node) {
    return cluster.nodes().get(node).process();
  }

  private SimulatedNode leader() {
    return cluster.nodes().stream()
        .filter(node -> node.process() != null && node.process().isHosting())
        .filter(node -> ReplicaLook.state(node.process().control().hosted(), partition).leads())
        .findFirst()
        .orElseThrow();
  }

  private int other() {
    SimulatedNode leader = leader();
    return IntStream.range(0, 3)
        .filter(node -> cluster.nodes().get(node) != leader && process(node) != null)
        .findFirst()
        .orElseThrow();
  }

  private boolean isThere() {
    return cluster.processes().stream().anyMatch(process -> process.queue("q") != null);
  }

  /** Returns after how many ms from now on the queue is deleted. */
  private int goneAfter(int most) {
    for (int passed = 0; passed <= most; passed += STEP) {
      if (!isThere()) {
        return passed;
      }
      cluster.advance(STEP, random);
    }
    throw new AssertionError("the queue is still there after %d ms".formatted(most));
  }

  private void pass(long millis) {
    cluster.advance(millis, random);
  }

  private void get(int node) {
    CompletableFuture<?> answer = process(node).queue("q").requests().fetch(false, LeaseUse.GET);
    cluster.settle(random);
    assertThat(answer).isCompletedWithValue(null);
  }

  private void transfer() {
    SimulatedNode before = leader();
    before.handOver(partition, -1);
    cluster.settle(random);
    assertThat(leader()).isNotEqualTo(before);
  }

  private void assertGoneAfter(int expected) {
    assertThat(goneAfter(2 * PERIOD)).isBetween(expected, expected + LATE_MILLIS);
  }

  @Test
  void aLeaseGoesOnWhenLeadingIsHandedOver() {
    declare(0);
    pass(8_100);
    transfer();
    int left = PERIOD - 8_100;
    assertThat(goneAfter(PERIOD)).isBetween(left, left + 2 * STEP);
  }

  @Test
  void handingOverTellsUsesThatWereNotNoted() {
    declare(0);
    pass(5_000);
    get(1);
    pass(PERIOD / 20 - 100);
    get(2);
    pass(1_000);
    transfer();
    int left = PERIOD - 1_000;
    assertThat(goneAfter(PERIOD)).isBetween(left, left + 2 * STEP);
  }

  @Test
  void aLeaseGoesOnWhenTheLeaderIsKilled() {
    declare(0);
    for (int killed = 0; killed < 2; killed++) {
      SimulatedNode leader = leader();
      pass(6_000);
      leader.kill(random);
      pass(1_000);
      leader.start();
    }
    assertGoneAfter(PERIOD - 14_000);
  }

  /** What is unacknowledged is ready again at the next leader, and keeps the queue no more. */
  @Test
  void theLeaseOfAQueueThatAnUnacknowledgedMessageKeepsStartsAtTheNextLeader() {
    declare(0);
    SimulatedNode leader = leader();
    NodeProcess client = process(other());
    new SimulatedClient(client, 0, ledger)
        .publish("", "q", new SimulatedClient.Content(true, Message.NO_TTL, 0, true));
    cluster.settle(random);
    CompletableFuture<?> got = client.queue("q").requests().fetch(true, LeaseUse.GET);
    cluster.settle(random);
    assertThat(got.join()).isNotNull();
    pass(3 * PERIOD - 500);
    assertThat(isThere()).isTrue();
    leader.kill(random);
    pass(1_000);
    leader.start();
    assertGoneAfter(PERIOD - 1_000);
  }

  /** Whatever a client was told of is known to the next leader. */
  @Test
  void noLeaseEndsEarlyWhenTheLeaderIsKilledAfterAUse() {
    for (int unnoted = 0; unnoted < 10; unnoted++) {
      declare(0);
      pass(10_000);
      get(other());
      pass(unnoted * 200L);
      get(other());
      SimulatedNode leader = leader();
      leader.kill(random);
      assertGoneAfter(PERIOD);
      leader.start();
      pass(10_000);
    }
  }

  @Test
  void aLeaseThatWouldEndWithoutALeaderEndsSoonAfterOneIsThere() {
    declare(0);
    cluster.network().block(1, 2);
    cluster.network().block(2, 1);
    leader().kill(random);
    pass(PERIOD + 10_000);
    assertThat(isThere()).isTrue();
    cluster.network().heal();
    assertThat(goneAfter(PERIOD)).isBetween(2_000, 8_000);
  }

  /** It does not know that the queue is used at another leader. */
  @Test
  void aLeaderThatIsCutOffEndsNoLease() {
    declare(0);
    pass(PERIOD - 5_000);
    for (int other : List.of(1, 2)) {
      cluster.network().block(0, other);
      cluster.network().block(other, 0);
    }
    cluster.network().breakBlocked(random);
    pass(4_000);
    get(1);
    pass(4_000);
    cluster.network().heal();
    pass(1_000);
    assertGoneAfter(PERIOD - 5_000);
  }

  @Test
  void aLeaseBeginsAnewWhenItsConsumerGoesWithTheLeader() {
    declare(0);
    SimulatedNode leader = leader();
    Consumer consumer =
        new Consumer(
            ShortString.of("c"), new ConsumeOptions(false, false, 0, FieldTable.EMPTY), new Room());
    leader.process().queue("q").requests().subscribe(consumer, () -> {});
    pass(3L * PERIOD);
    assertThat(isThere()).isTrue();
    leader.kill(random);
    assertGoneAfter(PERIOD);
  }

  @Test
  void aConsumerThatGoesOnKeepsTheQueue() {
    declare(0);
    int node = other();
    Consumer consumer =
        new Consumer(
            ShortString.of("c"), new ConsumeOptions(false, false, 0, FieldTable.EMPTY), new Room());
    process(node).queue("q").requests().subscribe(consumer, () -> {});
    pass(3L * PERIOD);
    leader().kill(random);
    pass(3L * PERIOD);
    assertThat(isThere()).isTrue();
    process(node).queue("q").requests().cancel(consumer);
    cluster.settle(random);
    assertGoneAfter(PERIOD);
  }

  /** A replica that has taken part only since then knows the lease, too. */
  @Test
  void aReplicaThatWasStartedAgainKnowsTheLease() {
    declare(0);
    int back = other();
    cluster.nodes().get(back).losePower(random);
    pass(4_000);
    cluster.nodes().get(back).start();
    pass(4_000);
    leader().handOver(partition, back);
    cluster.settle(random);
    assertThat(leader().number()).isEqualTo(back);
    assertGoneAfter(PERIOD - 8_100);
  }

  @Test
  void aLeaseGoesOnAfterAQueueWasConverted() {
    ledger.trouble();
    cluster.settle(random);
    FieldTable arguments = FieldTable.builder().put("x-expires", PERIOD).build();
    new SimulatedClient(process(0), 0, ledger).declare("q", true, arguments);
    cluster.settle(random);
    pass(8_100);
    CompletableFuture<Void> converted = process(0).vhost().convertQueue("q");
    pass(1_000);
    assertThat(converted).isCompleted();
    partition = process(0).queue("q").replicatedPartition();
    transfer();
    assertGoneAfter(PERIOD - 9_100);
  }

  @Test
  void leasesBeginAnewWhenAllNodesAreStartedAgain() {
    declare(0);
    pass(15_000);
    cluster.nodes().forEach(node -> node.kill(random));
    pass(60_000);
    cluster.nodes().forEach(SimulatedNode::start);
    pass(PERIOD - 5_000);
    assertThat(isThere()).isTrue();
    goneAfter(PERIOD);
  }

  @Test
  void clocksThatDifferChangeNoLease() {
    cluster.nodes().get(1).setClock(600_000);
    cluster.nodes().get(2).setClock(-600_000);
    declare(0);
    pass(5_000);
    get(0);
    pass(5_100);
    transfer();
    pass(5_000);
    transfer();
    assertGoneAfter(PERIOD - 10_100);
  }

  /** Very many uses make few bursts. */
  @Test
  void usesThatFollowOneAnotherMakeNoBursts() {
    declare(0);
    long before = ReplicaLook.state(leader().process().control().hosted(), partition).last();
    for (int used = 0; used < 100; used++) {
      pass(10);
      get(0);
    }
    long last = ReplicaLook.state(leader().process().control().hosted(), partition).last();
    assertThat(last - before).isLessThanOrEqualTo(2);
  }

  /** Each message that a client gets keeps the queue until it is acknowledged. */
  @Test
  void getsThatAreAcknowledgedMakeFewBurstsMore() {
    FieldTable quorum = FieldTable.builder().put("x-queue-type", "quorum").build();
    long plain = burstsOfGets("plain", quorum);
    long leased = burstsOfGets("q", quorum.with("x-expires", new FieldValue.Int32(PERIOD)));
    assertThat(leased - plain).isBetween(1L, 5L);
    int sinceTheLast = PERIOD - 100;
    pass(100);
    transfer();
    assertThat(goneAfter(PERIOD)).isBetween(sinceTheLast - STEP, sinceTheLast + 2 * STEP);
  }

  /** The note that a use has begun was put off, and is made although nothing happens any more. */
  @Test
  void aMessageThatIsGotSoonAfterAnotherKeepsTheQueueAtTheNextLeader() {
    FieldTable quorum = FieldTable.builder().put("x-queue-type", "quorum").build();
    burstsOfGets("q", quorum.with("x-expires", new FieldValue.Int32(PERIOD)));
    new SimulatedClient(process(0), 0, ledger)
        .publish("", "q", new SimulatedClient.Content(true, Message.NO_TTL, 0, true));
    cluster.settle(random);
    CompletableFuture<?> got = process(other()).queue("q").requests().fetch(true, LeaseUse.GET);
    pass(3 * PERIOD);
    assertThat(got.join()).isNotNull();
    assertThat(isThere()).isTrue();
    SimulatedNode leader = leader();
    leader.kill(random);
    pass(1_000);
    leader.start();
    assertGoneAfter(PERIOD - 1_000);
  }

  /** Gets and acknowledges a hundred messages in a second. @return how many bursts that makes */
  private long burstsOfGets(String name, FieldTable arguments) {
    ledger.trouble();
    cluster.settle(random);
    SimulatedClient client = new SimulatedClient(process(0), 0, ledger);
    client.declare(name, true, arguments);
    cluster.settle(random);
    partition = process(0).queue(name).replicatedPartition();
    for (int number = 0; number < 100; number++) {
      client.publish("", name, new SimulatedClient.Content(true, Message.NO_TTL, number, true));
    }
    pass(2_000);
    Queue queue = leader().process().queue(name);
    Consumer getter = new Consumer(ShortString.of("get"), ConsumeOptions.DEFAULT, null);
    long before = lastBurst();
    for (int number = 0; number < 100; number++) {
      CompletableFuture<GetResult> got = queue.requests().fetch(true, LeaseUse.GET);
      cluster.settle(random);
      long sequence = got.join().sequence();
      queue.shard().execute(() -> queue.onShard().acknowledge(getter, sequence, sequence));
      pass(10);
    }
    return lastBurst() - before;
  }

  private long lastBurst() {
    return ReplicaLook.state(leader().process().control().hosted(), partition).last();
  }

  private static final class Room implements ConsumerTarget {
    @Override
    public boolean reserve(Consumer asking) {
      return true;
    }

    @Override
    public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {}

    @Override
    public void cancelled(Consumer gone) {}
  }
}
