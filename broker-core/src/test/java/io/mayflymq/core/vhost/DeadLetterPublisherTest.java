package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.store.ForwardingMove;
import io.mayflymq.core.store.ForwardingPartitionStore;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import org.junit.jupiter.api.Test;

/** Dead letters between queues of one shard and of several, and crashes on their way. */
class DeadLetterPublisherTest {
  private TestBroker broker = TestBroker.of(2);

  private static FieldTable with(FieldTable table, String name, int value) {
    return table.toBuilder().put(name, value).build();
  }

  private static FieldTable dyingTo(String target) {
    return with(TestBroker.deadLetteringTo(target), "x-message-ttl", 100);
  }

  /** Publishes, and lets the messages die; nothing of that is forced. */
  private void die(String queue, int... numbers) {
    broker.publish(queue, numbers);
    broker.loops.clock().advance(101);
    broker.runLoops();
  }

  @Test
  void deadLetteringWithinAShardIsAtomic() {
    broker.declareOn(0, "dead");
    broker.declareOn(0, "q", dyingTo("dead"));
    die("q", 1, 2, 3);

    TestBroker lost = broker.afterPowerLoss();
    lost.advance(1);
    assertThat(lost.drain("dead")).as("died again").containsExactly(1, 2, 3);

    broker.advance(1100);
    TestBroker kept = broker.afterPowerLoss();
    assertThat(kept.drain("q")).isEmpty();
    assertThat(kept.drain("dead")).containsExactly(1, 2, 3);
  }

  @Test
  void whatIsStoredBesideAMoveIsNoPartOfIt() {
    broker = TestBroker.of(1, TestBroker.ROOMY, this::storingBesideMoves);
    broker.declareOn(0, "dead");
    broker.declareOn(0, "other");
    broker.declareOn(0, "q", dyingTo("dead"));
    die("q", 1, 2);
    broker.advance(1100);
    broker = broker.afterPowerLoss();
    assertThat(broker.drain("other")).containsExactly(101, 102);
    assertThat(broker.drain("dead")).containsExactly(1, 2);
  }

  /** Another message, by its number 100 more, enters another queue before a move is written. */
  private PartitionStore storingBesideMoves(PartitionStore store) {
    return new ForwardingPartitionStore(store) {
      @Override
      public Move move(UnsettledEntry source, Message message) {
        return new ForwardingMove(super.move(source, message)) {
          @Override
          public void write(long nowMillis, boolean keepSource) {
            int number = 100 + TestBroker.numberOf(message);
            broker.queue("other").onShard().publish(TestBroker.message(number));
            super.write(nowMillis, keepSource);
          }
        };
      }
    };
  }

  @Test
  void deadLetterOnAnotherShardIsSafeBeforeItsSourceIsSettled() {
    broker.declareOn(1, "dead");
    broker.declareOn(0, "q", dyingTo("dead"));
    die("q", 1, 2);
    assertThat(broker.recovered.messages()).isZero();

    TestBroker before = broker.afterPowerLoss();
    assertThat(before.recovered.messages()).as("in the source").isEqualTo(2);
    before.advance(1);
    assertThat(before.drain("dead")).containsExactly(1, 2);

    broker.host.flush();
    TestBroker between = broker.afterPowerLoss();
    assertThat(between.recovered.messages()).as("in both").isEqualTo(4);

    broker.advance(1100);
    TestBroker after = broker.afterPowerLoss();
    assertThat(after.recovered.messages()).as("in the target").isEqualTo(2);
    assertThat(after.drain("dead")).containsExactly(1, 2);
  }

  @Test
  void deadLetterThatExpiresOnArrivalIsDeadLetteredAgain() {
    for (int shard = 0; shard < 2; shard++) {
      for (String limit : new String[] {"x-message-ttl", "x-max-length"}) {
        broker = TestBroker.of(2, shard == 0 ? 0 : TestBroker.ROOMY);
        broker.declareOn(0, "last");
        broker.declareOn(shard, "zero", with(TestBroker.deadLetteringTo("last"), limit, 0));
        broker.declareOn(0, "q", dyingTo("zero"));
        die("q", 1, 2);
        broker.advance(1100);

        broker = broker.afterPowerLoss();
        assertThat(broker.recovered.messages()).as("%s on %d", limit, shard).isEqualTo(2);
        assertThat(broker.drain("last")).as("%s on %d", limit, shard).containsExactly(1, 2);
      }
    }
  }

  @Test
  void deadLetterGoesToAllItsTargets() {
    for (int shard = 0; shard < 2; shard++) {
      broker = TestBroker.of(2);
      for (String name : new String[] {"one", "two"}) {
        broker.declareOn(shard, name);
        broker.vhost.bind(Binding.toQueue("amq.fanout", name, ""), this);
      }
      FieldTable arguments =
          FieldTable.builder()
              .put("x-dead-letter-exchange", "amq.fanout")
              .put("x-message-ttl", 100)
              .build();
      broker.declareOn(0, "q", arguments);
      die("q", 1, 2);
      broker.advance(1100);

      broker = broker.afterPowerLoss();
      assertThat(broker.drain("one")).containsExactly(1, 2);
      assertThat(broker.drain("two")).containsExactly(1, 2);
      assertThat(broker.drain("q")).isEmpty();
    }
  }

  @Test
  void queueCanDeadLetterToItself() {
    Queue queue = broker.declareOn(0, "q", dyingTo("q"));
    broker.publish("q", 1);
    long sequence = broker.fetch("q").sequence();
    broker.settling(Settlement.REJECT, queue, TestBroker.getter(), sequence, sequence);
    broker.advance(50);
    assertThat(broker.ready("q")).as("a client's doing").isOne();

    broker.advance(1200);
    assertThat(broker.ready("q")).as("a cycle").isZero();
    assertThat(broker.afterPowerLoss().recovered.messages()).isZero();
  }

  @Test
  void deadLettersRefusedByAFullQueueWaitInTheirSource() {
    for (int shard = 0; shard < 2; shard++) {
      broker = TestBroker.of(2);
      FieldTable full =
          FieldTable.builder().put("x-max-length", 1).put("x-overflow", "reject-publish").build();
      broker.declareOn(shard, "dead", full);
      broker.declareOn(0, "q", dyingTo("dead"));
      die("q", 1, 2, 3);
      broker.advance(1100);

      broker = broker.afterPowerLoss();
      assertThat(broker.recovered.messages()).isEqualTo(3);
      broker.advance(1100);
      assertThat(broker.drain("dead")).containsExactly(1);
      assertThat(broker.drain("q")).isEmpty();
    }
  }

  @Test
  void deadLetterRefusedUnderRejectPublishDlxIsDeadLetteredAgain() {
    for (int shard = 0; shard < 2; shard++) {
      broker = TestBroker.of(2);
      FieldTable full =
          with(TestBroker.deadLetteringTo("last"), "x-max-length", 1).toBuilder()
              .put("x-overflow", "reject-publish-dlx")
              .build();
      broker.declareOn(0, "last");
      broker.declareOn(shard, "dead", full);
      broker.declareOn(0, "q", dyingTo("dead"));
      die("q", 1, 2, 3);
      broker.advance(1100);

      broker = broker.afterPowerLoss();
      assertThat(broker.drain("dead")).containsExactly(1);
      assertThat(broker.drain("last")).containsExactly(2, 3);
    }
  }

  @Test
  void deadLettersUnderWayArriveIfTheirSourceIsDeleted() {
    broker.declareOn(1, "dead");
    broker.declareOn(0, "q", dyingTo("dead"));
    die("q", 1, 2);
    broker.publish("q", 3);
    broker.delete("q");
    broker.advance(1100);

    broker = broker.afterPowerLoss();
    assertThat(broker.recovered.messages()).isEqualTo(2);
    assertThat(broker.drain("dead")).containsExactly(1, 2);
  }

  @Test
  void compactionKeepsSourcesOfUnsafeDeadLetters() {
    broker.declareOn(1, "dead");
    broker.declareOn(0, "q", dyingTo("dead"));
    broker.declareOn(0, "busy");
    broker.publish("q", 1, 2);
    assertThat(broker.host.directory("shard-0").sizes()).containsKey("0000000001.log");
    broker.loops.clock().advance(101);
    broker.loops.get(0).step();
    broker.loops.get(0).step();
    for (int number = 100; number < 400; number++) {
      broker.publishing(broker.queue("busy"), TestBroker.message(number, true, -1, 300), null);
      broker.loops.get(0).step();
      // One in ten stays unacknowledged: segments do not empty by themselves.
      broker.queue("busy").requests().fetch(number % 10 == 0);
      broker.loops.get(0).step();
      broker.host.flush();
    }
    assertThat(broker.host.directory("shard-0").sizes())
        .as("compacted while shard 1 stood still")
        .doesNotContainKey("0000000001.log");
    broker.advance(1100);

    broker = broker.afterPowerLoss();
    assertThat(broker.drain("dead")).containsExactly(1, 2);
    assertThat(broker.drain("q")).isEmpty();
  }
}
