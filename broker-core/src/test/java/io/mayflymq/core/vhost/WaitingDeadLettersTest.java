package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.mayflymq.core.deathjournal.DeathJournal;
import io.mayflymq.core.message.DeathHistory;
import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.queue.RemovalReason;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dead letters that no queue takes wait where their messages died, until one does. */
class WaitingDeadLettersTest {
  private TestBroker broker = TestBroker.of(2);

  private static FieldTable full(int length) {
    return FieldTable.builder()
        .put("x-max-length", length)
        .put("x-overflow", "reject-publish")
        .build();
  }

  private static FieldTable.Builder dyingTo(String target) {
    return TestBroker.deadLetteringTo(target).toBuilder().put("x-message-ttl", 100);
  }

  private static FieldTable atLeastOnce(String exchange) {
    return FieldTable.builder()
        .put("x-queue-type", "quorum")
        .put("x-overflow", "reject-publish")
        .put("x-dead-letter-strategy", "at-least-once")
        .put("x-dead-letter-exchange", exchange)
        .put("x-dead-letter-routing-key", "dead")
        .put("x-message-ttl", 100)
        .build();
  }

  /** The publisher is told of what is refused, so the queue need not keep it. */
  @Test
  void withRejectPublishDlxOnlyWhatWasInTheQueueWaits() {
    FieldTable.Builder arguments = atLeastOnce("").toBuilder();
    arguments.put("x-overflow", "reject-publish-dlx").put("x-max-length", 2);
    broker.declareOn(0, "q", arguments.build());
    die("q", 1, 2);
    assertThat(waiting("q").messages()).isEqualTo(2);
    broker.publish("q", 3);
    broker.advance(1300);
    assertThat(waiting("q").messages()).as("3 was refused").isEqualTo(2);
    assertThat(broker.queue("q").counters().get(Counter.DROPPED_UNROUTABLE)).isEqualTo(1);

    broker.declareOn(0, "dead");
    broker.advance(3000);
    assertThat(broker.drain("dead")).containsExactly(1, 2);
    broker.publish("q", 4, 5, 6);
    broker.advance(1300);
    assertThat(broker.drain("dead")).containsExactlyInAnyOrder(4, 5, 6);
  }

  private QueueTotals waiting(String queue) {
    List<QueueTotals> totals = new ArrayList<>();
    Queue source = broker.queue(queue);
    broker.on(source.shard().index(), () -> totals.add(QueueSnapshot.of(source).waiting()));
    return totals.get(0);
  }

  private void setExchange(String exchange) {
    broker
        .vhost
        .policies()
        .set(
            Policy.of(
                PolicyKind.POLICY,
                "p",
                "^q$",
                "queues",
                0,
                Map.of("dead-letter-exchange", exchange)));
    broker.trimMemory();
  }

  /** Publishes, and lets the messages die; everything is safe then. */
  private void die(String queue, int... numbers) {
    broker.publish(queue, numbers);
    broker.advance(1300);
  }

  private List<Integer> drainSlowly(String queue, int count) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.addAll(broker.drain(queue));
      broker.advance(1300);
    }
    return numbers;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void refusedDeadLettersWaitInOrderUntilTheirTargetHasRoom(int shard) {
    broker.declareOn(shard, "dead", full(1));
    broker.declareOn(0, "q", dyingTo("dead").build());
    die("q", 1, 2, 3, 4);

    assertThat(waiting("q").messages()).isEqualTo(3);
    assertThat(waiting("q").bytes()).isEqualTo(3 * Integer.BYTES);
    assertThat(broker.ready("q")).isZero();
    assertThat(broker.queue("q").counters().get(Counter.DROPPED_REFUSED)).isZero();
    assertThat(drainSlowly("dead", 4)).containsExactly(1, 2, 3, 4);
    assertThat(waiting("q").messages()).isZero();
    broker = broker.afterPowerLoss();
    assertThat(broker.recovered.messages()).as("nothing is left over").isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void waitingDeadLettersSurviveARestart(int shard) {
    broker.declareOn(shard, "dead", full(1));
    Queue queue = broker.declareOn(0, "q", TestBroker.deadLetteringTo("dead"));
    broker.publish("q", 1, 2, 3);
    for (int i = 0; i < 3; i++) {
      long sequence = broker.fetch("q").sequence();
      broker.settling(Settlement.REJECT, queue, TestBroker.getter(), sequence, sequence);
      broker.trimMemory();
    }
    broker.advance(1300);
    for (boolean power : new boolean[] {false, true}) {
      broker = power ? broker.afterPowerLoss() : broker.afterKill(3);
      assertThat(broker.recovered.messages()).isEqualTo(3);
      broker.advance(1300);
      assertThat(broker.ready("q")).as("no consumer gets a rejected message again").isZero();
      assertThat(waiting("q").messages()).isEqualTo(2);
    }
    assertThat(broker.drain("dead")).containsExactly(1);
    broker.advance(1300);
    Message deadLetter = broker.fetch("dead").message();
    assertThat(TestBroker.numberOf(deadLetter)).isEqualTo(2);
    assertThat(DeathHistory.of(deadLetter.headers()).deaths())
        .singleElement()
        .satisfies(death -> assertThat(death.count()).isOne());
  }

  @Test
  void laterDeadLettersDoNotOvertakeWaitingOnes() {
    broker.declareOn(1, "dead", full(1));
    broker.declareOn(0, "q", dyingTo("dead").build());
    die("q", 1, 2);
    broker.publish("q", 3);
    broker.loops.clock().advance(101);
    assertThat(broker.drain("dead")).containsExactly(1);
    broker.runLoops();
    assertThat(drainSlowly("dead", 3)).containsExactly(2, 3);
  }

  @Test
  void fullTargetDoesNotDelayDeadLettersOfOtherTargets() {
    broker.declareOn(1, "full", full(0));
    broker.declareOn(1, "roomy");
    broker.vhost.bind(Binding.toQueue("amq.direct", "full", "to full"), this);
    broker.vhost.bind(Binding.toQueue("amq.direct", "roomy", "key"), this);
    FieldTable.Builder arguments =
        FieldTable.builder().put("x-dead-letter-exchange", "amq.direct").put("x-message-ttl", 100);
    broker.declareOn(0, "q", arguments.put("x-dead-letter-routing-key-expired", "to full").build());
    die("q", 1);
    assertThat(waiting("q").messages()).isOne();
    Queue queue = broker.queue("q");
    broker.publish("q", 2);
    long sequence = broker.fetch("q").sequence();
    // For another reason it goes by its own key.
    broker.settling(Settlement.REJECT, queue, TestBroker.getter(), sequence, sequence);
    broker.advance(1300);
    assertThat(broker.drain("roomy")).containsExactly(2);
    assertThat(waiting("q").messages()).isOne();
  }

  @Test
  void targetDeclaredAgainReceivesTheWaitingDeadLetters() {
    broker.declareOn(1, "dead", full(0));
    broker.declareOn(0, "q", dyingTo("dead").build());
    die("q", 1, 2);
    broker.delete("dead");
    broker.advance(1300);
    assertThat(waiting("q").messages()).as("once it waits it is not dropped").isEqualTo(2);
    broker.declareOn(1, "dead");
    broker.advance(1300);
    assertThat(broker.drain("dead")).containsExactly(1, 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void unroutableDeadLetterIsDroppedUnlessTheStrategyIsAtLeastOnce(int shard) {
    broker.declareOn(0, "q", dyingTo("dead").build());
    broker.declareOn(0, "safe", atLeastOnce(""));
    broker.declareOn(0, "safest", atLeastOnce("missing"));
    die("q", 1);
    die("safe", 2);
    broker.publishing(broker.queue("safe"), TestBroker.message(3, false, Message.NO_TTL, 0), null);
    die("safest", 4);
    assertThat(waiting("q").messages()).isZero();
    assertThat(broker.queue("q").counters().get(Counter.DROPPED_UNROUTABLE)).isOne();
    assertThat(waiting("safe").messages()).as("also what is not persistent").isEqualTo(2);
    assertThat(waiting("safest").messages()).isOne();

    broker.declareOn(shard, "dead");
    broker.advance(1300);
    assertThat(broker.drain("dead")).containsExactly(2, 3);
    assertThat(waiting("safest").messages()).isOne();
  }

  @Test
  void refusedDeadLettersOfATransientOrDroppingQueueAreDroppedWithAWarning() {
    broker.declareOn(0, "dead", full(0));
    broker.declaring("transient", false, dyingTo("dead").build());
    broker.declareOn(0, "drops", dyingTo("dead").put("x-dead-letter-refused", "drop").build());
    broker.trimMemory();
    die("transient", 1);
    die("drops", 2);
    for (String queue : List.of("transient", "drops")) {
      assertThat(waiting(queue).messages()).as(queue).isZero();
      assertThat(broker.queue(queue).counters().get(Counter.DROPPED_REFUSED)).as(queue).isOne();
    }
    assertThat(broker.partitions.deaths().getNow(null)).isNull();
    broker.trimMemory();
    List<DeathJournal.Entry> entries = new ArrayList<>();
    broker
        .partitions
        .deaths()
        .thenAccept(journal -> entries.addAll(journal.latest(death -> true, Long.MAX_VALUE)));
    broker.trimMemory();
    assertThat(entries).extracting(entry -> entry.death().fate()).contains(DropOutcome.REFUSED);
    assertThat(broker.afterPowerLoss().recovered.messages()).isZero();
  }

  @Test
  void waitingDeadLettersCountForTheLimitOfARejectPublishQueue() {
    broker.declareOn(1, "dead", full(0));
    broker.declareOn(
        0, "q", dyingTo("dead").put("x-max-length", 3).put("x-overflow", "reject-publish").build());
    die("q", 1, 2);
    Map<Long, Boolean> accepted = new TreeMap<>();
    for (int number = 3; number < 6; number++) {
      broker.publishing(broker.queue("q"), TestBroker.message(number), accepted::put);
    }
    broker.trimMemory();
    assertThat(accepted).containsExactly(entry(3L, true), entry(4L, false), entry(5L, false));
  }

  @Test
  void dropHeadQueueKeepsWaitingDeadLettersUpToItsLimit() {
    broker.declareOn(1, "dead", full(0));
    broker.declareOn(0, "q", dyingTo("dead").put("x-max-length", 2).build());
    die("q", 1, 2, 3, 4, 5);
    assertThat(waiting("q").messages()).isEqualTo(2);
    assertThat(broker.queue("q").counters().get(Counter.DROPPED_REFUSED)).isEqualTo(3);
    broker.delete("dead");
    broker.declareOn(1, "dead");
    broker.advance(1300);
    assertThat(broker.drain("dead")).as("the youngest").containsExactly(4, 5);
  }

  @Test
  void purgeAndDeletionRemoveWaitingDeadLetters() {
    broker.declareOn(1, "dead", full(0));
    broker.declareOn(0, "q", dyingTo("dead").build());
    die("q", 1, 2);
    broker.publish("q", 3);
    assertThat(broker.purge("q")).isEqualTo(3);
    assertThat(waiting("q").messages()).isZero();

    die("q", 4);
    assertThatThrownBy(
            () -> {
              var deletion = broker.vhost.deleteQueue("q", this, false, true);
              broker.trimMemory();
              deletion.join();
            })
        .hasMessageContaining("not empty");
    broker.delete("q");
    broker.advance(1300);
    assertThat(broker.afterPowerLoss().recovered.messages()).isZero();
  }

  /** As dead letters, with their history; they do not expire again, as their time is over. */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void whatAPurgeTakesOfThoseThatWaitCanBeBroughtBack(String type) {
    broker.declareOn(1, "dead", full(0));
    broker.declareOn(
        0,
        "q",
        TestBroker.deadLetteringTo("dead").toBuilder()
            .put("x-queue-type", type)
            .put("x-recoverable", 3_600_000)
            .build());
    publishWithTtl(1, 2);
    broker.publish("q", 3);
    broker.advance(1300);
    assertThat(waiting("q").messages()).isEqualTo(2);
    assertThat(broker.purge("q")).isEqualTo(3);
    assertThat(waiting("q").messages()).isZero();
    assertThat(recoverable("q")).isEqualTo(3);

    broker = broker.afterPowerLoss();
    assertThat(waiting("q").messages()).isZero();
    assertThat(broker.ready("q")).isZero();
    assertThat(recoverable("q")).isEqualTo(3);
    Restoration.Report report = restore("q");
    assertThat(report.restored()).containsExactly(entry(RemovalReason.PURGED, 3L));
    assertThat(recoverable("q")).isZero();
    broker = broker.afterPowerLoss();
    broker.advance(1300);
    assertThat(TestBroker.numberOf(broker.fetch("q").message())).isEqualTo(3);
    Message first = broker.fetch("q").message();
    assertThat(TestBroker.numberOf(first)).isEqualTo(1);
    assertThat(DeathHistory.of(first.headers()).deaths())
        .singleElement()
        .satisfies(death -> assertThat(death.queue()).isEqualTo("q"));
    assertThat(TestBroker.numberOf(broker.fetch("q").message())).isEqualTo(2);
  }

  @Test
  void aPurgeOfVeryManyThatWaitKeepsAllOfThem() {
    broker.declareOn(1, "dead", full(0));
    broker.declareOn(
        0,
        "q",
        TestBroker.deadLetteringTo("dead").toBuilder().put("x-recoverable", 3_600_000).build());
    int[] numbers = IntStream.range(0, 1000).toArray();
    publishWithTtl(numbers);
    broker.advance(1300);
    assertThat(waiting("q").messages()).isEqualTo(1000);
    assertThat(broker.purge("q")).isEqualTo(1000);
    assertThat(restore("q").total()).isEqualTo(1000);
    assertThat(broker.drain("q"))
        .containsExactly(IntStream.range(0, 1000).boxed().toArray(Integer[]::new));
    assertThat(broker.afterPowerLoss().recovered.messages()).isZero();
  }

  private void publishWithTtl(int... numbers) {
    for (int number : numbers) {
      broker.publishing(broker.queue("q"), TestBroker.message(number, true, 100, 0), null);
    }
    broker.trimMemory();
  }

  private long recoverable(String queue) {
    List<Long> counts = new ArrayList<>();
    Queue source = broker.queue(queue);
    broker.on(
        source.shard().index(),
        () -> counts.add(QueueSnapshot.sizes(source).recoverable().messages()));
    return counts.get(0);
  }

  private Restoration.Report restore(String queue) {
    var restored =
        broker
            .queue(queue)
            .requests()
            .restore(new Restoration.Choice(0, EnumSet.allOf(RemovalReason.class), true, false));
    broker.trimMemory();
    return restored.join();
  }

  @Test
  void changedDeadLetterExchangeReceivesTheWaitingDeadLetters() {
    broker.declareOn(1, "dead", full(0));
    broker.declareOn(1, "other");
    broker.declareOn(0, "q", FieldTable.builder().put("x-message-ttl", 100).build());
    broker.vhost.bind(Binding.toQueue("amq.fanout", "dead", ""), this);
    setExchange("amq.fanout");
    die("q", 1);
    assertThat(waiting("q").messages()).isOne();
    broker.vhost.bind(Binding.toQueue("amq.direct", "other", "key"), this);
    setExchange("amq.direct");
    broker.advance(1300);
    GetResult getResult = broker.fetch("other");
    assertThat(getResult.message().exchange().value()).isEqualTo("amq.direct");
    assertThat(waiting("q").messages()).isZero();
  }
}
