package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Queues that dead-letter what they hold before they go, whatever comes in between. */
class QueueDeletionTest {
  private static final int MANY = 5000;
  private static final int EXPIRES = 1000;
  private static final int SOME = 1000;
  private static final int HOUR = 3_600_000;
  private static final int[] NUMBERS = IntStream.range(0, MANY).toArray();
  private static final List<Integer> ALL = IntStream.range(0, MANY).boxed().toList();

  private TestBroker broker = TestBroker.of(2);

  private static FieldTable expiring() {
    return TestBroker.deadLetteringTo("dead").toBuilder()
        .put("x-expires", EXPIRES)
        .put("x-expires-action", "dead-letter")
        .build();
  }

  private static FieldTable deadLetteringWhenDeleted() {
    return TestBroker.deadLetteringTo("dead").toBuilder()
        .put("x-dead-letter-on", "queue_deleted")
        .build();
  }

  /** A step of each loop at a time, until some messages are dead, but by far not all. */
  private void stepUntilSomeAreDead() {
    int steps = 0;
    while (QueueSnapshot.of(broker.queue("dead")).totals().ready() == 0) {
      assertThat(steps++).isLessThan(1000);
      broker.loops.get(0).step();
      broker.loops.get(1).step();
    }
    assertThat(QueueSnapshot.of(broker.queue("q")).totals().ready()).isPositive();
  }

  private void endLease() {
    broker.loops.clock().advance(EXPIRES + 1);
    stepUntilSomeAreDead();
  }

  @Test
  void endOfALeaseDeadLettersTheMessagesOfTheQueue() {
    for (int shard = 0; shard < 2; shard++) {
      broker = TestBroker.of(2);
      broker.declareOn(shard, "dead");
      broker.declareOn(0, "q", expiring());
      broker.publish("q", NUMBERS);
      broker.advance(EXPIRES + 1100);

      assertThat(broker.queue("q")).isNull();
      assertThat(broker.drain("dead")).as("on shard %d", shard).isEqualTo(ALL);
    }
  }

  @Test
  void queueUsedDuringDeadLetteringAtTheLeaseEndKeepsItsOtherMessages() {
    broker.declareOn(0, "dead");
    broker.declareOn(0, "q", expiring());
    broker.publish("q", NUMBERS);
    endLease();

    CompletableFuture<DeclaredQueue> declared = broker.declaring("q", true, expiring());
    broker.trimMemory();

    int left = declared.join().messages() > 0 ? (int) broker.ready("q") : 0;
    assertThat(left).isBetween(1, MANY - 1);
    assertThat(broker.drain("dead")).isEqualTo(ALL.subList(0, MANY - left));
    broker.advance(EXPIRES + 1100);
    assertThat(broker.queue("q")).as("it ends again").isNull();
    assertThat(broker.drain("dead")).isEqualTo(ALL.subList(MANY - left, MANY));
  }

  @Test
  void crashDuringDeadLetteringAtTheLeaseEndIsContinuedAtTheNextEnd() {
    for (int shard = 0; shard < 2; shard++) {
      broker = TestBroker.of(2);
      broker.declareOn(shard, "dead");
      broker.declareOn(0, "q", expiring());
      broker.publish("q", NUMBERS);
      broker.advance(100);
      endLease();

      broker = broker.afterKill();
      assertThat(broker.queue("q")).isNotNull();
      broker.advance(EXPIRES + 1100);

      assertThat(broker.queue("q")).isNull();
      assertThat(broker.drain("dead"))
          .as("on shard %d", shard)
          .containsAll(ALL)
          .hasSizeLessThan(2 * MANY);
    }
  }

  /** So many messages, of which those with the higher numbers are due first. */
  private void scheduleForLater(int count) {
    Queue queue = broker.queue("q");
    int shard = queue.shard().index();
    long due = broker.loops.clock().millis() + HOUR;
    for (int number = 0; number < count; number++) {
      Message message = TestBroker.message(number);
      long dueMillis = due + count - number;
      broker.on(shard, () -> broker.commands(shard).schedule(queue, message, dueMillis, null, 0));
    }
    broker.trimMemory();
  }

  private static List<Integer> descending(int count) {
    return IntStream.range(0, count).map(i -> count - 1 - i).boxed().toList();
  }

  private long scheduled() {
    return QueueSnapshot.of(broker.queue("q")).scheduled().messages();
  }

  @Test
  void scheduledMessagesAreDeadLetteredLastInTheOrderOfDueTimes() {
    for (FieldTable arguments : List.of(expiring(), deadLetteringWhenDeleted())) {
      for (int shard = 0; shard < 2; shard++) {
        broker = TestBroker.of(2);
        broker.declareOn(shard, "dead");
        broker.declareOn(0, "q", arguments);
        scheduleForLater(SOME);
        broker.publish("q", SOME);
        if (arguments.containsKey("x-expires")) {
          broker.advance(EXPIRES + 1100);
        } else {
          assertThat(broker.delete("q")).as("ready").isOne();
        }

        assertThat(broker.queue("q")).isNull();
        List<Integer> dead = broker.drain("dead");
        assertThat(dead.get(0)).isEqualTo(SOME);
        assertThat(dead.subList(1, dead.size()))
            .as("on shard %d", shard)
            .isEqualTo(descending(SOME));
      }
    }
  }

  @Test
  void scheduledMessagesSurviveACrashDuringTheQueueDeletion() {
    for (int shard = 0; shard < 2; shard++) {
      broker = TestBroker.of(2);
      broker.declareOn(shard, "dead");
      broker.declareOn(0, "q", deadLetteringWhenDeleted());
      scheduleForLater(SOME);
      broker.vhost.deleteQueue("q", this, false, false);
      int steps = 0;
      while (QueueSnapshot.of(broker.queue("dead")).totals().ready() == 0) {
        assertThat(steps++).isLessThan(1000);
        broker.loops.get(0).step();
        broker.loops.get(1).step();
      }
      assertThat(scheduled()).isPositive();

      broker = broker.afterKill();
      assertThat(scheduled()).isPositive();
      assertThat(broker.delete("q")).as("ready").isZero();

      assertThat(broker.drain("dead"))
          .as("on shard %d", shard)
          .containsAll(descending(SOME))
          .hasSizeLessThan(2 * SOME);
    }
  }

  @Test
  void queueIsDeletedOnlyWhenItsDeadLettersAreSafe() {
    for (int shard = 0; shard < 2; shard++) {
      broker = TestBroker.of(2);
      broker.declareOn(shard, "dead");
      broker.declareOn(0, "q", deadLetteringWhenDeleted());
      scheduleForLater(10);
      broker.publish("q", 10);
      broker.vhost.deleteQueue("q", this, false, false);
      do {
        broker.runLoops(); // While the disk stands still.
      } while (broker.metadata.write());

      broker = broker.afterPowerLoss();
      assertThat(broker.delete("q")).as("on shard %d", shard).isOne();
      assertThat(broker.drain("dead")).contains(10).containsAll(descending(10));
    }
  }

  @Test
  void messagesThatBecomeDueDuringTheQueueDeletionAreDeadLettered() {
    broker.declareOn(0, "dead");
    broker.declareOn(0, "q", deadLetteringWhenDeleted());
    scheduleForLater(SOME);
    CompletableFuture<Long> deletion = broker.vhost.deleteQueue("q", this, false, false);
    broker.loops.get(0).step();
    broker.loops.get(0).step();
    broker.loops.clock().advance(2 * HOUR);
    broker.trimMemory();

    assertThat(deletion).isCompleted();
    assertThat(broker.drain("dead")).isEqualTo(descending(SOME));
  }

  @Test
  void scheduledMessagesAreDroppedWithTheirQueueWithoutDeadLettering() {
    broker.declare("dead");
    broker.declare("q", TestBroker.deadLetteringTo("dead"));
    scheduleForLater(1);
    broker.delete("q");

    assertThat(broker.ready("dead")).isZero();
  }

  @Test
  void queueWithoutADeadLetterExchangeIsDeletedImmediately() {
    broker.declare(
        "q",
        FieldTable.builder()
            .put("x-expires", EXPIRES)
            .put("x-expires-action", "dead-letter")
            .build());
    broker.publish("q", 1);
    broker.advance(EXPIRES + 1);

    assertThat(broker.queue("q")).isNull();
  }

  @Test
  void queueDeletionDeadLettersReadyAndUnacknowledgedMessages() {
    broker.declareOn(1, "dead");
    broker.declareOn(0, "q", deadLetteringWhenDeleted());
    broker.publish("q", NUMBERS);
    broker.fetch("q");
    TestBroker.Collector collector = new TestBroker.Collector(true, 1);
    broker.queue("q").requests().subscribe(collector.consumer, () -> {});
    broker.trimMemory();

    assertThat(broker.delete("q")).isEqualTo(MANY - 2);

    assertThat(broker.queue("q")).isNull();
    assertThat(collector.cancelled).isTrue();
    assertThat(broker.drain("dead")).containsExactlyInAnyOrderElementsOf(ALL);
  }

  @Test
  void queueBeingDeletedAcceptsMessagesButNoOtherUse() {
    broker.declareOn(0, "dead");
    Queue queue = broker.declareOn(0, "q", deadLetteringWhenDeleted());
    broker.publish("q", NUMBERS);
    CompletableFuture<Long> deletion = broker.vhost.deleteQueue("q", this, false, false);
    stepUntilSomeAreDead();

    broker.publishing(queue, TestBroker.message(MANY), null);
    CompletableFuture<?> fetch = queue.requests().fetch(true);
    CompletableFuture<Long> again = broker.vhost.deleteQueue("q", this, false, false);
    broker.trimMemory();

    assertThat(fetch).isCompletedExceptionally();
    assertThat(again.join()).isZero();
    assertThat(deletion.join()).isEqualTo(MANY);
    assertThat(broker.drain("dead")).hasSize(MANY + 1).endsWith(MANY);
  }

  @Test
  void conditionsOfAQueueDeletionAreCheckedFirst() {
    broker.declare("dead");
    broker.declare("q", deadLetteringWhenDeleted());
    broker.publish("q", 1);

    CompletableFuture<Long> deletion = broker.vhost.deleteQueue("q", this, false, true);
    broker.trimMemory();

    assertThat(deletion).isCompletedExceptionally();
    assertThat(deletion.handle((count, error) -> error.getCause()).join())
        .isInstanceOf(ChannelException.class);
    assertThat(broker.ready("q")).isOne();
    assertThat(broker.ready("dead")).isZero();
  }
}
