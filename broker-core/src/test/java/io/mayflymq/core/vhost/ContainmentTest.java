package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.store.ForwardingPartitionStore;
import io.mayflymq.core.store.ForwardingQueueStore;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.ShortString;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One command, message or timer that fails, and everything beside it, which goes on. */
class ContainmentTest {
  /** The number of the message whose storing fails. */
  private static final int BROKEN = 666;

  private boolean movesFail;
  private boolean settlementsFail;
  private TestBroker broker = broker(2);

  private TestBroker broker(int shards) {
    return TestBroker.of(shards, TestBroker.ROOMY, Breaking::new)
        .expectFaults(IllegalStateException.class);
  }

  /** What the publishers of messages were told, by their numbers. */
  private final Map<Integer, Boolean> told = new HashMap<>();

  private void publishAll(Queue queue, int... numbers) {
    int shard = queue.shard().index();
    broker.on(
        shard,
        () -> {
          for (int number : numbers) {
            broker
                .commands(shard)
                .publish(
                    queue,
                    TestBroker.message(number),
                    (sequence, accepted) -> told.put((int) sequence, accepted),
                    number);
          }
        });
    broker.trimMemory();
  }

  @Test
  void failingCommandOfABatchDoesNotAffectTheOthers() {
    Queue queue = broker.declare("q");
    publishAll(queue, 1, BROKEN, 2);
    assertThat(told).isEqualTo(Map.of(1, true, BROKEN, false, 2, true));
    assertThat(broker.commands(queue.shard().index()).bytesUnderWay()).isZero();
    assertThat(broker.commands(queue.shard().index()).isSettled()).isTrue();
    assertThat(broker.faults.take())
        .containsExactly(
            "a command of queue 'q' in vhost '/': java.lang.IllegalStateException: message 666");
    broker.advance(1100);
    broker = broker.afterPowerLoss();
    assertThat(broker.drain("q")).containsExactly(1, 2);
  }

  @Test
  void messageThatCouldNotBeStoredIsInNoQueue() {
    broker.declare("q");
    TestBroker.Collector collector = broker.consume("q", true, 0);
    publishAll(broker.queue("q"), 1, BROKEN, 2);
    assertThat(collector.numbers()).containsExactly(1, 2);
    assertThat(QueueSnapshot.of(broker.queue("q")).totals().messages()).isEqualTo(2);
    assertThat(told.get(BROKEN)).isFalse();
  }

  @Test
  void failingPublishListenerDoesNotPreventOthersFromBeingCalled() {
    Queue queue = broker.declare("q");
    int shard = queue.shard().index();
    broker.on(
        shard,
        () -> {
          for (int number = 1; number <= 3; number++) {
            broker
                .commands(shard)
                .publish(
                    queue,
                    TestBroker.message(number),
                    (sequence, accepted) -> {
                      if (sequence == 2) {
                        throw new IllegalStateException("receipt");
                      }
                      told.put((int) sequence, accepted);
                    },
                    number);
          }
        });
    broker.trimMemory();
    assertThat(told).isEqualTo(Map.of(1, true, 3, true));
    assertThat(broker.commands(shard).isSettled()).isTrue();
  }

  @Test
  void failingDeadLetterStaysInItsQueueAndDoesNotAffectOtherQueues() {
    for (int shard = 0; shard < 2; shard++) {
      broker = broker(2);
      broker.declareOn(0, "dead");
      broker.declareOn(shard, "q", TestBroker.deadLetteringTo("dead"));
      broker.declareOn(0, "other");
      publishAll(broker.queue("q"), 1, 2, 3);
      long first = broker.fetch("q").sequence();
      movesFail = true;
      broker.settling(Settlement.REJECT, broker.queue("q"), TestBroker.getter(), first, first);
      broker.trimMemory();
      movesFail = false;
      assertThat(broker.faults.take()).as("shard %d", shard).isNotEmpty();
      publishAll(broker.queue("other"), 7, 8);
      assertThat(told).containsEntry(7, true).containsEntry(8, true);
      assertThat(broker.drain("dead")).isEmpty();
      assertThat(TestBroker.numberOf(broker.fetch("other").message())).isEqualTo(7);
      broker.advance(1100);
      broker = broker.afterPowerLoss();
      broker.trimMemory();
      assertThat(broker.drain("other")).containsExactly(7, 8);
      assertThat(broker.drain("q")).as("kept where it died").containsExactly(1, 2, 3);
    }
  }

  @Test
  void failingSettlementDoesNotAffectOthersOfItsRun() {
    broker.declareOn(0, "dead");
    Queue queue = broker.declareOn(0, "q", TestBroker.deadLetteringTo("dead"));
    publishAll(queue, 1, 2, 3);
    Consumer consumer = TestBroker.getter();
    for (int i = 0; i < 3; i++) {
      broker.fetch("q");
    }
    broker.settling(Settlement.REJECT, queue, consumer, 0, 2);
    broker.trimMemory();
    assertThat(QueueSnapshot.of(queue).totals().messages()).isZero();
    assertThat(broker.drain("dead")).containsExactly(1, 2, 3);
  }

  @Test
  void failingConsumerTargetDoesNotAffectOtherConsumers() {
    Queue broken = broker.declareOn(0, "broken");
    Queue queue = broker.declareOn(0, "q");
    Consumer consumer =
        new Consumer(
            ShortString.of("tag"),
            ConsumeOptions.DEFAULT,
            new ConsumerTarget() {
              @Override
              public boolean reserve(Consumer asking) {
                return true;
              }

              @Override
              public void deliver(
                  Consumer to, long sequence, Message message, boolean redelivered) {
                throw new IllegalStateException("outlet");
              }

              @Override
              public void cancelled(Consumer gone) {}
            });
    broken.requests().subscribe(consumer, () -> {});
    broker.trimMemory();
    broker.on(
        0,
        () -> {
          broker.commands(0).publish(broken, TestBroker.message(1), null, 1);
          broker
              .commands(0)
              .publish(
                  queue, TestBroker.message(2), (sequence, accepted) -> told.put(2, accepted), 2);
        });
    broker.trimMemory();
    assertThat(told).isEqualTo(Map.of(2, true));
    assertThat(broker.drain("q")).containsExactly(2);
  }

  @Test
  void queueIsPausedThoughAMessageCannotExpire() {
    Queue queue = broker.declare("q");
    broker.publish("q", 1);
    broker.advance(100);
    settlementsFail = true;
    CompletableFuture<Void> paused = set(Map.of("message-ttl", 60, "pause", "deliveries"));
    broker.trimMemory();
    settlementsFail = false;

    assertThat(paused).isCompletedExceptionally();
    assertThat(broker.faults.take())
        .containsExactly(
            "a visit of queue 'q' in vhost '/': java.lang.IllegalStateException: a settlement");
    assertThat(queue.settings().pace().pausesDeliveries()).isTrue();
    broker.publish("q", 2);
    assertThat(broker.fetch("q")).isNull();

    broker.vhost.policies().clear(PolicyKind.POLICY, "p");
    broker.trimMemory();
    assertThat(broker.drain("q")).containsExactly(2);
  }

  private CompletableFuture<Void> set(Map<String, Object> keys) {
    return broker.vhost.policies().set(Policy.of(PolicyKind.POLICY, "p", "", "queues", 0, keys));
  }

  // Reads that fail

  /** A broker whose messages are in files only. */
  private void onDisk() {
    broker = TestBroker.of(1, 0);
    broker.declare("q");
    broker.declare("other");
    broker.publish("q", IntStream.rangeClosed(1, 50).toArray());
    broker.publish("other", 100);
    broker.advance(1100);
    broker = broker.afterKill();
  }

  /** Has what came before read from files only. */
  private void fillLog() {
    broker.declareOn(0, "filler");
    broker.publish("filler", IntStream.range(1000, 1200).toArray());
    broker.publish("filler", IntStream.range(1200, 1400).toArray());
  }

  @Test
  void unreadableMessageIsSetAsideAndTheOthersAreDelivered() {
    onDisk();
    boolean[] fails = {true};
    int[] reads = {0};
    broker.host.failReads(() -> fails[0] && reads[0]++ == 0);
    var drained = broker.drain("q");
    assertThat(drained).hasSize(49).isSorted().doesNotContain(1);
    assertThat(QueueSnapshot.of(broker.queue("q")).totals().unreadable()).isEqualTo(1);
    assertThat(QueueSnapshot.of(broker.queue("q")).totals().messages()).isEqualTo(1);
    assertThat(broker.drain("other")).containsExactly(100);

    fails[0] = false;
    broker.advance(61_000);
    assertThat(QueueSnapshot.of(broker.queue("q")).totals().unreadable()).isZero();
    assertThat(broker.drain("q")).containsExactly(1);
  }

  @Test
  void unreadableMessagesAreNeitherDeliveredEmptyNorDeleted() {
    onDisk();
    broker.host.failReads(() -> true);
    assertThat(broker.fetch("q")).isNull();
    assertThat(QueueSnapshot.of(broker.queue("q")).totals().unreadable()).isEqualTo(50);
    broker.advance(61_000);
    broker.host.failReads(() -> false);
    broker = broker.afterPowerLoss();
    assertThat(broker.drain("q")).hasSize(50).isSorted();
  }

  @Test
  void expiredMessageThatCannotBeReadIsDeadLetteredLater() {
    broker = TestBroker.of(1, 0);
    broker.declare("dead");
    broker.declare(
        "q", TestBroker.deadLetteringTo("dead").toBuilder().put("x-message-ttl", 100).build());
    broker.publish("q", 1, 2, 3);
    fillLog();
    broker.host.failReads(() -> true);
    broker.advance(500);
    assertThat(QueueSnapshot.of(broker.queue("q")).totals().unreadable()).isEqualTo(3);
    broker.host.failReads(() -> false);
    broker.advance(61_000);
    assertThat(broker.drain("dead")).containsExactly(1, 2, 3);
    assertThat(QueueSnapshot.of(broker.queue("q")).totals().messages()).isZero();
  }

  @Test
  void rejectedMessageThatCannotBeReadIsDeadLetteredLater() {
    broker = TestBroker.of(2, 0);
    broker.declareOn(1, "dead");
    Queue queue = broker.declareOn(0, "q", TestBroker.deadLetteringTo("dead"));
    TestBroker.Collector collector = broker.consume("q", true, 1);
    broker.publish("q", 1, 2);
    fillLog();
    broker.host.failReads(() -> true);
    queue.requests().cancel(collector.consumer);
    broker.settling(Settlement.REJECT, queue, collector.consumer, 0, 0);
    broker.trimMemory();
    assertThat(QueueSnapshot.of(queue).totals().unreadable()).isEqualTo(1);
    broker.host.failReads(() -> false);
    broker.advance(61_000);
    assertThat(broker.drain("dead")).containsExactly(1);
    assertThat(broker.drain("q")).containsExactly(2);
  }

  /** A store in which what is asked for fails. */
  private final class Breaking extends ForwardingPartitionStore {
    Breaking(PartitionStore store) {
      super(store);
    }

    @Override
    public QueueStore open(long queueId, QueueName name, QueueStore.Kept kept) {
      return new ForwardingQueueStore(super.open(queueId, name, kept)) {
        @Override
        public long store(
            long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis) {
          int number = TestBroker.numberOf(message);
          if (number == BROKEN || movesFail) {
            throw new IllegalStateException("message " + number);
          }
          return super.store(sequence, message, ownDeadlineMillis, enqueuedAtMillis);
        }

        @Override
        public UnsettledEntry detach(long sequence, long location, int bodyLength) {
          if (settlementsFail) {
            throw new IllegalStateException("a settlement");
          }
          return super.detach(sequence, location, bodyLength);
        }

        @Override
        public void enter(Move move, long sequence, long ownDeadlineMillis) {
          if (movesFail) {
            throw new IllegalStateException("a move into queue " + queueId);
          }
          super.enter(move, sequence, ownDeadlineMillis);
        }
      };
    }
  }
}
