package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.deathjournal.DeathRecord;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.Moved;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.queue.BrowsedMessage;
import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.vhost.deadletter.MoveRequest;
import io.mayflymq.core.vhost.deadletter.Redrive;
import io.mayflymq.core.vhost.deadletter.RedriveReport;
import io.mayflymq.core.vhost.deadletter.RedriveReport.Skipped;
import io.mayflymq.core.vhost.deadletter.RedriveReport.State;
import io.mayflymq.core.vhost.deadletter.RedriveRequest;
import io.mayflymq.core.vhost.deadletter.RedriveRequest.Destination;
import io.mayflymq.core.vhost.deadletter.RedriveRequest.Filter;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.Int64Header;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Moving single messages to other queues, and crashes on their way. */
class MoveMessageTest {
  private static final int FAR = 1;
  private static final int NEAR = 0;

  private TestBroker broker = TestBroker.of(2);
  private boolean allowed = true;

  private final Redrive.Conditions conditions =
      new Redrive.Conditions() {
        @Override
        public boolean publishersWait() {
          return false;
        }

        @Override
        public boolean mayPublish(String exchange, String routingKey) {
          return allowed;
        }
      };

  private static MessageChoice one(long sequence) {
    return new MessageChoice(sequence, 0, null, Map.of(), Long.MAX_VALUE);
  }

  private static MessageChoice some(long count, long olderThan) {
    return new MessageChoice(MessageChoice.ANY, olderThan, null, Map.of(), count);
  }

  private static MoveRequest toQueue(MessageChoice choice, String queue) {
    return new MoveRequest(choice, queue, null, null, "ann", false);
  }

  private static MoveRequest toExchange(MessageChoice choice, String exchange, String key) {
    return new MoveRequest(choice, null, exchange, key, "ann", false);
  }

  private RedriveReport move(MoveRequest request) {
    var begun = broker.vhost.redrives().move(broker.queue("q"), request, conditions);
    broker.trimMemory();
    assertThat(begun.join().done()).isDone();
    return begun.join().report();
  }

  private List<BrowsedMessage> browse(String queue) {
    var page = broker.queue(queue).requests().browse(0, 1000, 1 << 20);
    broker.trimMemory();
    return page.join().messages();
  }

  private List<Integer> numbers(String queue) {
    return browse(queue).stream().map(browsed -> TestBroker.numberOf(browsed.message())).toList();
  }

  private void publish(Message message) {
    broker.publishing(broker.queue("q"), message, (sequence, accepted) -> {});
    broker.trimMemory();
  }

  @Test
  void oneMessageMovesAndTheOthersStay() {
    for (int shard : new int[] {NEAR, FAR}) {
      broker = TestBroker.of(2);
      broker.declareOn(NEAR, "q");
      broker.declareOn(shard, "to");
      broker.publish("q", 0, 1, 2, 3);
      RedriveReport report = move(toQueue(one(2), "to"));
      assertThat(report.state()).isEqualTo(State.DONE);
      assertThat(report.moved()).isEqualTo(1);
      assertThat(report.movedTo()).isEqualTo(Map.of("to", 1L));
      assertThat(report.skipped()).isEmpty();
      assertThat(move(toQueue(one(2), "to")).moved()).as("once").isZero();
      assertThat(move(toQueue(one(4711), "to")).moved()).isZero();
      assertThat(broker.queue("q").counters().get(Counter.MOVED)).isEqualTo(1);
      broker.advance(1100);
      broker = broker.afterPowerLoss();
      assertThat(numbers("q")).containsExactly(0, 1, 3);
      assertThat(browse("q")).noneMatch(BrowsedMessage::redelivered);
      assertThat(browse("to")).hasSize(1);
      BrowsedMessage moved = browse("to").get(0);
      assertThat(moved.redelivered()).isFalse();
      assertThat(moved.message().routingKey().value()).isEqualTo("key");
      assertThat(moved.message().headers().names()).containsExactly(Moved.HEADER);
      FieldTable mark = ((FieldValue.Table) moved.message().headers().get(Moved.HEADER)).table();
      assertThat(mark.get("queue")).isEqualTo(FieldValue.of("q"));
      assertThat(mark.get("sequence").longValue()).isEqualTo(2);
      assertThat(mark.get("time").longValue()).isPositive();
      assertThat(broker.drain("to")).containsExactly(2);
    }
  }

  @Test
  void theJournalSaysWhoMovedAndWhoDeleted() {
    broker.declareOn(NEAR, "q");
    broker.declareOn(FAR, "to");
    broker.publish("q", 0, 1, 2);
    move(toQueue(one(1), "to"));
    move(new MoveRequest(one(0), "to", null, null, "dry", true));
    broker.queue("q").requests().purge(one(2), true, "dry");
    broker.queue("q").requests().purge(one(2), false, "bob");
    broker.trimMemory();
    List<DeathRecord> deaths = new ArrayList<>();
    var journal = broker.partitions.deaths();
    broker.trimMemory();
    journal.join().latest(death -> true, 10).forEach(entry -> deaths.add(entry.death()));
    assertThat(deaths).extracting(DeathRecord::reasonName).containsExactly("deleted", "moved");
    assertThat(deaths).extracting(death -> death.removal().user()).containsExactly("bob", "ann");
    assertThat(deaths).extracting(DeathRecord::targets).containsExactly(List.of(), List.of("to"));
    assertThat(deaths)
        .allSatisfy(
            death -> {
              assertThat(death.queue()).isEqualTo("q");
              assertThat(death.message().routingKey()).isEqualTo("key");
              assertThat(death.reason()).isNull();
            });
  }

  @Test
  void moveWithinAShardLosesAndDuplicatesNothingInACrash() {
    Set<Integer> left = new HashSet<>();
    for (int steps = 0; steps < 40; steps++) {
      dieAfter(steps, NEAR);
      List<Integer> all = new ArrayList<>(broker.drain("q"));
      left.add(all.size());
      all.addAll(broker.drain("to"));
      assertThat(all).as("after %d steps", steps).containsExactlyInAnyOrder(0, 1, 2, 3);
    }
    assertThat(left).as("before and after").contains(2, 4);
  }

  @Test
  void moveToAnotherShardLosesNothingInACrashAndDoublesAreMarked() {
    int doubled = 0;
    int moved = 0;
    for (int steps = 0; steps < 40; steps++) {
      dieAfter(steps, FAR);
      List<BrowsedMessage> there = browse("to");
      assertThat(there)
          .allSatisfy(each -> assertThat(each.message().headers().names()).contains("x-moved"));
      List<Integer> here = broker.drain("q");
      List<Integer> all = new ArrayList<>(here);
      all.addAll(broker.drain("to"));
      assertThat(all).as("after %d steps", steps).contains(0, 1, 2, 3);
      assertThat(all.size()).isLessThanOrEqualTo(6);
      doubled += all.size() > 4 ? 1 : 0;
      moved += here.size() == 2 ? 1 : 0;
    }
    assertThat(doubled).as("between the two disks").isPositive();
    assertThat(moved).as("after both").isPositive();
  }

  /** Begins to move two messages, and loses the power after so many steps. */
  private void dieAfter(int steps, int shard) {
    broker = TestBroker.of(2);
    broker.declareOn(NEAR, "q");
    broker.declareOn(shard, "to");
    broker.publish("q", 0, 1, 2, 3);
    broker.advance(1100);
    broker.vhost.redrives().move(broker.queue("q"), toQueue(some(2, 0), "to"), conditions);
    for (int step = 0; step < steps; step++) {
      switch (step % 4) {
        case 0 -> broker.loops.get(0).step();
        case 1 -> broker.host.flush(step / 4 % broker.host.flusherCount());
        case 2 -> broker.loops.get(1).step();
        default -> broker.loops.advance(1);
      }
    }
    broker = broker.afterPowerLoss();
  }

  /** Deleted queues are in the routing table for a moment longer. */
  @Test
  void queueThatIsDeletedAndBackMeanwhileHasWhatWasNotTakenOnly() {
    FieldTable kept = FieldTable.builder().put("x-recoverable", 3_600_000).build();
    FieldTable full =
        FieldTable.builder().put("x-max-length", 1).put("x-overflow", "reject-publish").build();
    for (boolean isFull : new boolean[] {false, true}) {
      for (int flushedAfter = 0; flushedAfter < 3; flushedAfter++) {
        broker = TestBroker.of(2);
        broker.declareOn(NEAR, "q", kept);
        broker.declareOn(FAR, "to", isFull ? full : FieldTable.EMPTY);
        broker.publish("q", 0, 1, 2, 3);
        broker.vhost.redrives().move(broker.queue("q"), toQueue(some(2, 0), "to"), conditions);
        run(flushedAfter == 0);
        broker.vhost.deleteQueue("q", broker, false, false);
        run(flushedAfter == 1);
        broker.vhost.undeleteQueue(broker.vhost.deletedQueues().get(0), "q", broker);
        run(flushedAfter == 2);
        broker.trimMemory();
        assertThat(browse("q"))
            .as("flushed after %d", flushedAfter)
            .noneMatch(BrowsedMessage::redelivered);
        broker = broker.afterKill();
        assertThat(broker.drain("to")).isEqualTo(isFull ? List.of(0) : List.of(0, 1));
        assertThat(broker.drain("q")).isEqualTo(isFull ? List.of(1, 2, 3) : List.of(2, 3));
      }
    }
  }

  /** Everything but the disks, unless they are to. */
  private void run(boolean disks) {
    do {
      broker.runLoops();
    } while (broker.metadata.write());
    if (disks) {
      broker.trimMemory();
    }
  }

  @Test
  void messagesThatADeletedQueueDidNotTakeStay() {
    for (int shard : new int[] {NEAR, FAR}) {
      broker = TestBroker.of(2);
      broker.declareOn(NEAR, "q");
      broker.declareOn(shard, "gone");
      broker.declareOn(shard, "free");
      broker.vhost.bind(Binding.toQueue("amq.fanout", "gone", ""), broker);
      broker.vhost.bind(Binding.toQueue("amq.fanout", "free", ""), broker);
      broker.publish("q", 0, 1, 2);
      broker.queue("gone").lifecycle().forget();
      broker.trimMemory();
      RedriveReport none = move(toQueue(some(3, 0), "gone"));
      assertThat(none.moved()).as("shard %d", shard).isZero();
      assertThat(none.skipped()).as("shard %d", shard).isEqualTo(Map.of(Skipped.NO_QUEUE, 3L));
      assertThat(numbers("q")).containsExactly(0, 1, 2);
      RedriveReport report = move(toExchange(one(1), "amq.fanout", "new"));
      assertThat(report.movedTo()).isEqualTo(Map.of("free", 1L));
      assertThat(numbers("q")).containsExactly(0, 2);
    }
  }

  @Test
  void timeThatIsLeftGoesOn() {
    for (int shard : new int[] {NEAR, FAR}) {
      broker = TestBroker.of(2);
      broker.declareOn(NEAR, "q");
      broker.declareOn(shard, "to");
      publish(TestBroker.message(7, true, 1000, 0));
      broker.advance(400);
      assertThat(move(toQueue(one(0), "to")).moved()).isEqualTo(1);
      Message moved = browse("to").get(0).message();
      assertThat(moved.ttlMillis()).isEqualTo(600);
      assertThat(moved.properties().expiration()).isEqualTo("600");
      broker.advance(600);
      assertThat(numbers("to")).containsExactly(7);
      broker.advance(1);
      assertThat(numbers("to")).isEmpty();
    }
  }

  @Test
  void timeThatStoodStillIsLeft() {
    for (int shard : new int[] {NEAR, FAR}) {
      broker = TestBroker.of(2);
      broker.declareOn(NEAR, "q");
      broker.declareOn(shard, "to");
      publish(TestBroker.message(7, true, 1000, 0));
      publish(TestBroker.message(8, true, 1000, 0));
      broker.advance(400);
      pausing("stop");
      broker.advance(5000);
      assertThat(move(toQueue(one(0), "to")).moved()).isEqualTo(1);
      pausing("run");
      broker.advance(100);
      assertThat(move(toQueue(one(1), "to")).moved()).isEqualTo(1);
      assertThat(browse("to"))
          .extracting(moved -> moved.message().properties().expiration())
          .containsExactly("600", "500");
      broker.advance(500);
      assertThat(numbers("to")).containsExactly(7, 8);
      broker.advance(1);
      assertThat(numbers("to")).isEmpty();
    }
  }

  private void pausing(String ttl) {
    Map<String, Object> keys = Map.of("pause", "deliveries", "pause-ttl", ttl);
    var set =
        broker.vhost.policies().set(Policy.of(PolicyKind.POLICY, "pause", "q", "queues", 0, keys));
    broker.trimMemory();
    set.join();
  }

  @Test
  void ageAndNumberChooseMessages() {
    broker.declareOn(NEAR, "q");
    broker.declareOn(FAR, "to");
    broker.publish("q", 0, 1, 2);
    broker.advance(1000);
    broker.publish("q", 3);
    RedriveReport report = move(toQueue(some(2, 500), "to"));
    assertThat(report.moved()).isEqualTo(2);
    assertThat(move(toQueue(some(5, 500), "to")).moved()).isEqualTo(1);
    assertThat(numbers("q")).containsExactly(3);
    assertThat(broker.drain("to")).containsExactly(0, 1, 2);
  }

  @Test
  void messageThatNoQueueTakesStays() {
    FieldTable full =
        FieldTable.builder().put("x-max-length", 0).put("x-overflow", "reject-publish").build();
    for (int shard : new int[] {NEAR, FAR}) {
      broker = TestBroker.of(2);
      broker.declareOn(NEAR, "q");
      broker.declareOn(shard, "full", full);
      broker.declareOn(shard, "free");
      broker.publish("q", 0, 1, 2);
      assertThat(move(toQueue(one(1), "full")).skipped()).isEqualTo(Map.of(Skipped.REFUSED, 1L));
      assertThat(move(toExchange(one(1), "", "nowhere")).skipped())
          .isEqualTo(Map.of(Skipped.UNROUTABLE, 1L));
      assertThat(move(toQueue(one(1), "none")).skipped()).isEqualTo(Map.of(Skipped.NO_QUEUE, 1L));
      assertThat(move(toExchange(one(1), "none", "k")).skipped())
          .isEqualTo(Map.of(Skipped.NO_EXCHANGE, 1L));
      assertThat(move(toQueue(one(1), "q")).skipped()).isEqualTo(Map.of(Skipped.TO_ITSELF, 1L));
      allowed = false;
      assertThat(move(toQueue(one(1), "free")).skipped()).isEqualTo(Map.of(Skipped.FORBIDDEN, 1L));
      allowed = true;
      assertThat(numbers("q")).containsExactly(0, 1, 2);
      assertThat(browse("q")).noneMatch(BrowsedMessage::redelivered);
      assertThat(QueueSnapshot.of(broker.queue("q")).totals().unacked()).isZero();
    }
  }

  @Test
  void fullQueueTakesWhatWaitsThereForItsTime() {
    for (int shard : new int[] {NEAR, FAR}) {
      broker = TestBroker.of(2);
      broker.declareOn(NEAR, "q");
      broker.declareOn(
          shard,
          "full",
          FieldTable.builder()
              .put("x-max-length", 0)
              .put("x-overflow", "reject-publish")
              .put("x-deliver-at-header", "at")
              .build());
      publish(TestBroker.message(7).with(new Int64Header("at"), broker.clock().millis() + 1000));
      assertThat(move(toQueue(one(0), "full")).moved()).as("shard %d", shard).isEqualTo(1);
      assertThat(numbers("q")).isEmpty();
      assertThat(QueueSnapshot.of(broker.queue("full")).scheduled().ready()).isEqualTo(1);
    }
  }

  @Test
  void oneQueueThatTakesItIsEnough() {
    for (int shard : new int[] {NEAR, FAR}) {
      broker = TestBroker.of(2);
      broker.declareOn(NEAR, "q");
      broker.declareOn(
          shard,
          "full",
          FieldTable.builder().put("x-max-length", 0).put("x-overflow", "reject-publish").build());
      broker.declareOn(shard, "free");
      broker.vhost.bind(Binding.toQueue("amq.fanout", "full", ""), broker);
      broker.vhost.bind(Binding.toQueue("amq.fanout", "free", ""), broker);
      broker.trimMemory();
      broker.publish("q", 0, 1);
      RedriveReport report = move(toExchange(some(2, 0), "amq.fanout", "new"));
      assertThat(report.moved()).isEqualTo(2);
      assertThat(report.movedTo()).isEqualTo(Map.of("free", 2L));
      assertThat(numbers("q")).isEmpty();
      assertThat(browse("free").get(0).message().exchange().value()).isEqualTo("amq.fanout");
      assertThat(browse("free").get(0).message().routingKey().value()).isEqualTo("new");
      assertThat(broker.drain("free")).containsExactly(0, 1);
      assertThat(numbers("full")).isEmpty();
    }
  }

  @Test
  void messagesOfAQueueAreMovedByOneAtATime() {
    broker.declareOn(NEAR, "q");
    broker.declareOn(FAR, "to");
    broker.publish("q", 0, 1, 2);
    var redrive =
        broker
            .vhost
            .redrives()
            .start(
                broker.queue("q"),
                new RedriveRequest(Destination.QUEUE, "to", Filter.ALL, 2, 1, false, false),
                conditions);
    broker.runLoops();
    var second = broker.vhost.redrives().move(broker.queue("q"), toQueue(one(1), "to"), conditions);
    broker.trimMemory();
    assertThatThrownBy(second::join).hasMessageContaining("is being redriven");
    broker.advance(3000);
    assertThat(redrive.join().done()).isDone();
    assertThat(move(toQueue(one(2), "to")).moved()).isEqualTo(1);
    assertThat(broker.drain("to")).containsExactly(0, 1, 2);
  }
}
