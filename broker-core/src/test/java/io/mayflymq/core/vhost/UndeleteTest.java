package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.PartitionCounts;
import io.mayflymq.core.metrics.PartitionCounts.LetGo;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.queue.RemovalReason;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.store.ForwardingPartitionStore;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Queues that are deleted, and brought back with what they had. */
class UndeleteTest {
  private static final int HOUR = 3_600_000;
  private static final FieldTable RECOVERABLE =
      FieldTable.builder().put("x-recoverable", HOUR).build();

  private TestBroker broker = TestBroker.of(2);

  private static FieldTable recoverable(String argument, int value) {
    return RECOVERABLE.toBuilder().put(argument, value).build();
  }

  private List<KeptQueue> deleted() {
    return broker.vhost.deletedQueues();
  }

  private Map<RemovalReason, Long> broughtBack(String name) {
    var report = broker.queue(name).requests().broughtBack();
    broker.trimMemory();
    return report.join().restored();
  }

  @Test
  void queueIsBackWithItsMessagesInOrderAndItsBindings() {
    Queue before = broker.declare("q", RECOVERABLE);
    Binding kept = Binding.toQueue("amq.direct", "q", "a");
    broker.vhost.bind(kept, broker);
    broker.publish("q", 0, 1, 2, 3, 4);
    GetResult taken = broker.fetch("q");
    assertThat(broker.delete("q")).isEqualTo(4);

    assertThat(broker.queue("q")).isNull();
    assertThat(deleted()).extracting(KeptQueue::name).containsExactly("q");
    Undeleted undeleted = broker.undelete("q");
    assertThat(undeleted).isEqualTo(new Undeleted("q", 1, List.of(), 0));
    assertThat(broker.vhost.routing().contains(kept)).isTrue();
    assertThat(broughtBack("q")).isEqualTo(Map.of(RemovalReason.DELETED, 5L));
    assertThat(deleted()).isEmpty();

    // The client that had it is too late.
    broker.settling(
        Settlement.ACKNOWLEDGE, before, TestBroker.getter(), taken.sequence(), taken.sequence());
    broker.publish("q", 5);
    GetResult first = broker.fetch("q");
    assertThat(first.redelivered()).isTrue();
    assertThat(first.message().headers().get("x-restored").toString()).contains("deleted");
    assertThat(broker.drain("q")).containsExactly(1, 2, 3, 4, 5);
    broker.settling(
        Settlement.REQUEUE,
        broker.queue("q"),
        TestBroker.getter(),
        first.sequence(),
        first.sequence());
    assertThat(broker.drain("q")).containsExactly(0);
  }

  @Test
  void queueIsAmongThoseOfOneMomentBeforeAndAfterItComesBack() {
    broker.declare("q", RECOVERABLE);
    broker.delete("q");
    VirtualHost.Queues before = broker.vhost.queuesNow();
    broker.undelete("q");
    VirtualHost.Queues after = broker.vhost.queuesNow();
    assertThat(before.present()).isEmpty();
    assertThat(before.deleted()).extracting(KeptQueue::name).containsExactly("q");
    assertThat(after.present()).extracting(Queue::name).containsExactly("q");
    assertThat(after.deleted()).isEmpty();
  }

  @Test
  void staleAcknowledgementsRemoveNothingOfTheQueueThatIsBack() {
    Queue before = broker.declare("q", RECOVERABLE);
    broker.publish("q", 0);
    GetResult taken = broker.fetch("q");
    broker.delete("q");
    broker.undelete("q");
    broker.fetch("q");
    Consumer late = TestBroker.getter();
    broker.settling(Settlement.ACKNOWLEDGE, before, late, taken.sequence(), taken.sequence());
    broker.trimMemory();
    assertThat(broker.afterKill().drain("q")).containsExactly(0);
  }

  @Test
  void crashAtAnyTimeKeepsWhatIsDeletedAndWhatIsBack() {
    broker.declare("q", RECOVERABLE);
    broker.vhost.bind(Binding.toQueue("amq.fanout", "q", ""), broker);
    broker.publish("q", IntStream.range(0, 3000).toArray());
    broker.vhost.deleteQueue("q", broker, false, false);
    broker.runLoops();
    broker.metadata.write();
    broker = broker.afterKill();
    assertThat(broker.queue("q")).isNull();
    broker = broker.afterKill(3);
    assertThat(broker.undelete("q").bindings()).isOne();
    assertThat(broker.ready("q")).isEqualTo(3000);
    broker.delete("q");
    broker.vhost.undeleteQueue(deleted().get(0), "q", broker);
    broker.metadata.write();
    for (int i = 0; i < 3; i++) {
      broker.loops.get(broker.queue("q").shard().index()).step();
    }
    broker = broker.afterKill();
    broker.trimMemory();
    assertThat(broker.drain("q")).hasSize(3000).isSorted();
    assertThat(broker.vhost.routing().bindings()).hasSize(1);
  }

  @Test
  void whatHadLeftBeforeCanStillBeBroughtBack() {
    broker.declare("q", RECOVERABLE);
    broker.publish("q", 0, 1);
    broker.purge("q");
    broker.publish("q", 2);
    broker.delete("q");
    broker = broker.afterKill();
    broker.undelete("q");
    assertThat(broker.ready("q")).isOne();
    Restoration.Choice all =
        new Restoration.Choice(0, EnumSet.of(RemovalReason.PURGED), true, false);
    var restored = broker.queue("q").requests().restore(all);
    broker.trimMemory();
    assertThat(restored.join().total()).isEqualTo(2);
    assertThat(broker.drain("q")).containsExactly(0, 1, 2);
  }

  @Test
  void isForgottenWhenTheTimeIsOver() {
    broker.declare("q", RECOVERABLE);
    broker.publish("q", 0);
    broker.delete("q");
    long left = deleted().get(0).untilMillis() - broker.clock().millis();
    broker.loops.advance(left - 50);
    broker.trimMemory();
    assertThat(deleted()).hasSize(1);
    assertThat(sizeOfDeleted()).isOne();
    broker.advance(100);
    assertThat(deleted()).isEmpty();
    broker = broker.afterKill();
    assertThat(deleted()).isEmpty();
    assertThat(broker.recovered.messages()).isZero();
  }

  private long sizeOfDeleted() {
    var size =
        deleted().get(0).queue().shard().call(() -> deleted().get(0).queue().onShard().sizes());
    broker.trimMemory();
    return size.join().recoverable().messages();
  }

  @Test
  void timeGoesOnWhileTheBrokerDoesNot() {
    broker.declare("q", RECOVERABLE);
    broker.publish("q", 0);
    broker.delete("q");
    broker.clock().advance(HOUR + 100);
    broker = broker.afterKill();
    broker.trimMemory();
    assertThat(deleted()).isEmpty();
  }

  @Test
  void bytesBoundWhatIsKept() {
    broker.declare("q", recoverable("x-recoverable-bytes", 350));
    PartitionCounts counts = broker.queue("q").partition().counts();
    broker.publish("q", 0, 1, 2, 3, 4);
    broker.delete("q");
    assertThat(sizeOfDeleted()).isLessThan(5).isPositive();
    assertThat(counts.letGo(LetGo.BYTES)).isEqualTo(5 - sizeOfDeleted());
    assertThat(counts.letGoBytes(LetGo.BYTES))
        .isEqualTo((5 - sizeOfDeleted()) * (100 + Integer.BYTES));
    assertThat(counts.letGo(LetGo.DISK)).isZero();
    broker.undelete("q");
    assertThat(broker.drain("q")).isNotEmpty().endsWith(4).doesNotContain(0);
  }

  @Test
  void queueOfThatNameIsInTheWayUnlessItGetsAnotherOne() {
    broker.declare("q", RECOVERABLE);
    broker.vhost.bind(Binding.toQueue("amq.direct", "q", "a"), broker);
    broker.publish("q", 0);
    broker.delete("q");
    broker.declare("q", RECOVERABLE);
    broker.publish("q", 1);
    KeptQueue first = deleted().get(0);
    assertThatThrownBy(() -> broker.vhost.undeleteQueue(first, "q", broker))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining(
            "deleted queue 'q' in vhost '/' cannot be brought back as 'q': there is a queue");
    assertThatThrownBy(() -> broker.vhost.requireUndeletable(first, "q"))
        .hasMessageContaining("there is a queue of that name");
    assertThatThrownBy(() -> broker.vhost.undeleteQueue(first, "amq.q", broker))
        .hasMessageContaining("amq.");
    assertThatThrownBy(() -> broker.vhost.requireUndeletable(first, "amq.q"))
        .hasMessageContaining("amq.");
    broker.vhost.requireUndeletable(first, "r").join();
    assertThat(broker.queue("r")).isNull();
    broker.delete("q");
    assertThat(deleted()).hasSize(2);
    broker.undelete("q");
    assertThat(broker.drain("q")).containsExactly(1);
    broker.vhost.undeleteQueue(
        broker.vhost.deletedQueue("q", OptionalLong.of(first.id())), "r", broker);
    broker.trimMemory();
    assertThat(broker.vhost.routing().contains(Binding.toQueue("amq.direct", "r", "a"))).isTrue();
    broker = broker.afterKill();
    assertThat(broker.drain("r")).containsExactly(0);
    assertThatThrownBy(() -> broker.vhost.deletedQueue("q", OptionalLong.of(first.id())))
        .hasMessageContaining("no deleted queue 'q' with id " + first.id());
  }

  @Test
  void policySaysForHowLong() {
    broker.declare("plain");
    broker.delete("plain");
    assertThat(deleted()).as("without the key").isEmpty();
    set("2h");
    broker.declare("q");
    broker.publish("q", 0, 1);
    broker.delete("q");
    KeptQueue kept = deleted().get(0);
    assertThat(kept.untilMillis()).isEqualTo(Deadlines.after(kept.deletedAtMillis(), 2 * HOUR));
    set("1h");
    assertThat(sizeOfDeleted()).isEqualTo(2);
    assertThat(kept.untilMillis()).isEqualTo(Deadlines.after(kept.deletedAtMillis(), HOUR));
    set(Long.MAX_VALUE);
    assertThat(kept.untilMillis()).isEqualTo(Deadlines.NEVER);
    set("1h");
    broker.loops.advance(HOUR / 2);
    set("10m");
    assertThat(deleted()).isEmpty();
  }

  @Test
  void whatIsOverBeginsAnewAlsoWhileTimeStandsStill() {
    broker.declare("q", recoverable("x-message-ttl", 1000));
    broker.publish("q", 0);
    broker.delete("q");
    broker.advance(5000);
    set(Map.of("pause", "deliveries", "pause-ttl", "stop"));
    broker.undelete("q");
    broker.advance(5000);
    set(Map.of("pause", "deliveries", "pause-ttl", "run"));
    broker.advance(1000);
    assertThat(broker.ready("q")).isOne();
    broker.advance(1);
    assertThat(broker.ready("q")).isZero();
  }

  private void set(Object time) {
    set(Map.of("recoverable", time));
  }

  private void set(Map<String, Object> keys) {
    var set =
        broker.vhost.policies().set(Policy.of(PolicyKind.POLICY, "undo", "q", "queues", 0, keys));
    broker.trimMemory();
    set.join();
  }

  @Test
  void endOfALeaseIsADeletion() {
    broker.declare("q", recoverable("x-expires", 1000));
    broker.publish("q", 0);
    broker.advance(3000);
    assertThat(broker.queue("q")).isNull();
    broker.undelete("q");
    assertThat(broker.ready("q")).isOne();
    broker.advance(3000);
    assertThat(broker.queue("q")).as("the lease begins anew").isNull();
    broker.undelete("q");
    assertThat(broker.drain("q")).containsExactly(0);
  }

  @Test
  void whatWasDeadLetteredIsNotKeptTwice() {
    broker.declare("dead");
    broker.declare(
        "q",
        TestBroker.deadLetteringTo("dead").toBuilder()
            .put("x-dead-letter-on", "queue_deleted")
            .put("x-recoverable", HOUR)
            .build());
    broker.publish("q", 0, 1);
    broker.delete("q");
    broker.undelete("q");
    assertThat(broker.ready("q")).isZero();
    assertThat(broker.drain("dead")).containsExactly(0, 1);
  }

  @Test
  void scheduledMessagesComeBackWithTheQueue() {
    for (boolean crash : new boolean[] {false, true}) {
      broker = TestBroker.of(1);
      Queue queue = broker.declare("q", RECOVERABLE);
      Message message = TestBroker.message(7);
      long due = broker.clock().millis() + 1000;
      broker.on(0, () -> broker.commands(0).schedule(queue, message, due, null, 0));
      broker.trimMemory();
      broker.delete("q");
      if (crash) {
        broker = broker.afterKill();
      }
      broker.advance(2000);
      broker.undelete("q");
      broker.advance(10);
      assertThat(broker.drain("q")).as("after a crash: %s", crash).containsExactly(7);
      Message next = TestBroker.message(8);
      Queue back = broker.queue("q");
      TestBroker at = broker;
      long soon = broker.clock().millis() + 50;
      broker.on(0, () -> at.commands(0).schedule(back, next, soon, null, 0));
      broker.trimMemory();
      broker = broker.afterKill();
      broker.advance(100);
      assertThat(broker.drain("q")).containsExactly(8);
    }
  }

  @Test
  void oldestGoesIfThereAreTooMany() {
    for (int i = 0; i <= TopologyChanges.MOST_KEPT; i++) {
      broker.declare("q" + i, RECOVERABLE);
      broker.delete("q" + i);
      broker.clock().advance(1);
    }
    assertThat(deleted()).hasSize(TopologyChanges.MOST_KEPT);
    assertThatThrownBy(() -> broker.undelete("q0"))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining("no deleted queue 'q0' in vhost '/' can be brought back");
    broker = broker.afterKill();
    assertThat(deleted()).hasSize(TopologyChanges.MOST_KEPT);
  }

  @Test
  void dryRunCountsAndChangesNothing() {
    broker.declare("q", RECOVERABLE);
    broker.publish("q", 0, 1);
    broker.delete("q");
    var counted = deleted().get(0).queue().requests().restore(Restoration.Choice.ofDeleted(true));
    broker.trimMemory();
    assertThat(counted.join().total()).isEqualTo(2);
    assertThat(sizeOfDeleted()).isEqualTo(2);
    var restored = deleted().get(0).queue().requests().restore(Restoration.Choice.ofDeleted(false));
    broker.trimMemory();
    assertThatThrownBy(restored::join).isInstanceOf(CompletionException.class);
  }

  @Test
  void deadLetterThatNoQueueTakesCanBeBroughtBack() {
    broker.declare(
        "q",
        TestBroker.deadLetteringTo("dead").toBuilder()
            .put("x-recoverable", HOUR)
            .put("x-message-ttl", 100)
            .build());
    broker.publish("q", 0);
    broker.advance(200);
    broker.declare("dead");
    broker.publish("q", 1);
    broker.advance(200);
    assertThat(broker.drain("dead")).containsExactly(1);
    var restored =
        broker
            .queue("q")
            .requests()
            .restore(new Restoration.Choice(0, EnumSet.allOf(RemovalReason.class), true, false));
    broker.trimMemory();
    assertThat(restored.join().restored()).isEqualTo(Map.of(RemovalReason.EXPIRED, 1L));
    assertThat(broker.drain("q")).containsExactly(0);
  }

  @Test
  void whatCannotComeBackIsLetGoInItsTime() {
    boolean[] fails = {false};
    broker =
        TestBroker.of(
            1,
            TestBroker.ROOMY,
            store ->
                new ForwardingPartitionStore(store) {
                  @Override
                  public Move move(UnsettledEntry source, Message message) {
                    if (fails[0]) {
                      throw new IllegalStateException("for the test");
                    }
                    return super.move(source, message);
                  }
                });
    broker.declare("q", RECOVERABLE);
    broker.publish("q", 0, 1, 2);
    broker.delete("q");
    fails[0] = true;
    broker.undelete("q");
    var report = broker.queue("q").requests().broughtBack();
    broker.trimMemory();
    assertThat(report).isCompletedExceptionally();
    fails[0] = false;
    assertThat(recoverable()).isPositive();
    broker.clock().advance(HOUR);
    broker.advance(1000);
    assertThat(recoverable()).isZero();
  }

  private long recoverable() {
    return QueueSnapshot.sizes(broker.queue("q")).recoverable().messages();
  }

  @Test
  void whatIsComingBackGoesOnIfTheQueueIsNotDeletedAgain() {
    broker.declare("q", RECOVERABLE);
    broker.publish("q", IntStream.range(0, 5000).toArray());
    broker.delete("q");
    broker.vhost.undeleteQueue(deleted().get(0), "q", broker);
    broker.metadata.write();
    var loop = broker.loops.get(broker.queue("q").shard().index());
    for (int steps = 0; QueueSnapshot.of(broker.queue("q")).totals().ready() == 0; steps++) {
      assertThat(steps).isLessThan(100);
      loop.step();
    }
    var again = broker.vhost.deleteQueue("q", broker, false, false);
    broker.runLoops();
    assertThat(broker.metadata.fail("for the test")).isTrue();
    broker.trimMemory();
    assertThat(again).isCompletedExceptionally();
    broker.advance(1000);
    assertThat(broker.drain("q")).hasSize(5000).isSorted();
  }

  @Test
  void forgettingIsTriedAgainOnceASecondAtMost() {
    broker = TestBroker.of(1);
    int[] asked = {0};
    boolean[] may = {false};
    broker
        .partitions
        .get(0)
        .setLeases(
            null,
            () -> {
              asked[0]++;
              return may[0];
            });
    set("1h");
    broker.declare("q");
    broker.delete("q");
    broker.clock().advance(HOUR + 100);
    broker.advance(100);
    List.of("50m", "40m", "30m").forEach(this::set);
    asked[0] = 0;
    broker.advance(5000);
    assertThat(asked[0]).isEqualTo(5);
    may[0] = true;
    broker.advance(1000);
    assertThat(deleted()).isEmpty();
  }

  private static FieldTable drained() {
    return TestBroker.deadLetteringTo("dead").toBuilder()
        .put("x-expires", 1000)
        .put("x-expires-action", "dead-letter")
        .put("x-recoverable", HOUR)
        .build();
  }

  @Test
  void whatWasDrainedOfAQueueThatStaysComesBackOnlyWhenAsked() {
    broker.declareOn(0, "q", drained());
    broker.publish("q", IntStream.range(0, 5000).toArray());
    broker.clock().advance(1001);
    long left = 5000;
    for (int steps = 0; left == 5000; steps++) {
      assertThat(steps).isLessThan(1000);
      broker.loops.get(0).step();
      left = QueueSnapshot.of(broker.queue("q")).totals().ready();
    }
    var used = broker.declaring("q", true, drained());
    broker.trimMemory();
    assertThat(used).isCompleted();
    left = broker.ready("q");
    assertThat(left).isBetween(1L, 4999L);
    broker = broker.afterKill();
    assertThat(broker.ready("q")).isEqualTo(left);
    var asked =
        broker
            .queue("q")
            .requests()
            .restore(new Restoration.Choice(0, RemovalReason.ofWord("deleted"), true, false));
    broker.trimMemory();
    assertThat(asked.join().restored()).isEqualTo(Map.of(RemovalReason.DRAINED, 5000 - left));
    assertThat(broker.drain("q")).hasSize(5000).isSorted();
  }

  @Test
  void whatWasDrainedComesBackWithAQueueThatWasDeleted() {
    broker.declare("q", drained());
    broker.publish("q", 0, 1);
    broker.advance(3000);
    assertThat(broker.queue("q")).isNull();
    broker = broker.afterKill();
    broker.undelete("q");
    assertThat(broughtBack("q")).isEqualTo(Map.of(RemovalReason.DRAINED, 2L));
    assertThat(broker.drain("q")).containsExactly(0, 1);
  }

  @Test
  void spaceIsMadeByLettingGoWhatHasLeftFirst() {
    broker.declare("q", RECOVERABLE);
    broker.declare("r", RECOVERABLE);
    broker.publish("q", IntStream.range(0, 3000).toArray());
    broker.publish("r", IntStream.range(0, 3000).toArray());
    List<PartitionCounts> counts =
        Stream.of("q", "r").map(name -> broker.queue(name).partition().counts()).toList();
    broker.delete("q");
    broker.purge("r");
    var all = RecoverableSpace.bytes(broker.broker);
    broker.trimMemory();
    var freed = RecoverableSpace.free(broker.broker, all.join() / 2);
    broker.trimMemory();
    assertThat(freed.join()).isEqualTo(all.join() / 2);
    var left = RecoverableSpace.bytes(broker.broker);
    broker.trimMemory();
    assertThat(left.join()).isBetween(all.join() / 2 - 1_000, all.join() / 2);
    assertThat(counts.stream().mapToLong(each -> each.letGoBytes(LetGo.DISK)).sum())
        .isEqualTo(all.join() - left.join());
    assertThat(counts).allMatch(each -> each.letGo(LetGo.DISK) >= 1400);
    assertThat(counts).allMatch(each -> each.letGo(LetGo.BYTES) == 0);
    assertThat(sizeOfDeleted()).isBetween(1400L, 1600L);
    broker.undelete("q");
    assertThat(broker.drain("q")).endsWith(2999).isSorted().doesNotContain(0);
  }
}
