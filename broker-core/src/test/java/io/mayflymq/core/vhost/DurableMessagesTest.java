package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.TestBroker.Collector;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is safe when, of messages that are published, settled, purged and deleted. */
class DurableMessagesTest {
  private final List<Integer> confirmed = new ArrayList<>();
  private final List<Integer> refused = new ArrayList<>();
  private final List<Integer> failed = new ArrayList<>();
  private TestBroker broker = TestBroker.of(2);

  private final PublishListener listener =
      new PublishListener() {
        @Override
        public void settled(long publishSequence, boolean accepted) {
          (accepted ? confirmed : refused).add((int) publishSequence);
        }

        @Override
        public void failed(long publishSequence) {
          failed.add((int) publishSequence);
        }
      };

  private void publishFrom(int home, Queue queue, int... numbers) {
    broker.on(
        home,
        () -> {
          for (int number : numbers) {
            broker.commands(home).publish(queue, TestBroker.message(number), listener, number);
          }
        });
  }

  @Test
  void batchForAnotherShardReturnsWhenItIsSafe() {
    Queue queue = broker.declareOn(1, "far");

    publishFrom(0, queue, 1, 2, 3);
    assertThat(broker.commands(0).bytesUnderWay()).isPositive();
    broker.runLoops();
    assertThat(confirmed).as("applied, and not forced").isEmpty();
    assertThat(broker.commands(0).isSettled()).isFalse();

    broker.trimMemory();
    assertThat(confirmed).containsExactly(1, 2, 3);
    assertThat(broker.commands(0).bytesUnderWay()).isZero();
    assertThat(broker.commands(0).isSettled()).isTrue();
    assertThat(broker.drain("far")).containsExactly(1, 2, 3);
  }

  /** Others may write to thousands of streams, each of which takes a force. */
  @Test
  void messageOfAQueueDoesNotWaitForStreams() {
    Queue queue = broker.declareOn(0, "near");
    Queue stream =
        broker.declareOn(0, "s", FieldTable.builder().put("x-queue-type", "stream").build());
    int flusherOfStreams = broker.host.flusherCount() - 1;
    publishFrom(stream.shard().index(), stream, 1);
    broker.runLoops();
    publishFrom(stream.shard().index(), queue, 2);
    broker.runLoops();
    for (int i = 0; i < flusherOfStreams; i++) {
      while (broker.host.flush(i)) {
        broker.runLoops();
      }
    }
    assertThat(confirmed).containsExactly(2);
    broker.trimMemory();
    assertThat(confirmed).containsExactly(2, 1);
  }

  @Test
  void batchesAndCallsKeepTheirOrder() {
    Queue queue = broker.declareOn(1, "far");

    publishFrom(0, queue, 1, 2);
    publishFrom(0, queue, 3);
    CompletableFuture<Long> purged = queue.requests().purge();
    publishFrom(0, queue, 4);
    broker.trimMemory();

    assertThat(purged.join()).isEqualTo(3);
    assertThat(broker.drain("far")).containsExactly(4);
  }

  @Test
  void transientMessagesAreConfirmedImmediately() {
    Queue queue = broker.declareOn(0, "near");

    broker.on(
        0,
        () ->
            broker
                .commands(0)
                .publish(queue, TestBroker.message(1, false, Message.NO_TTL, 0), listener, 1));

    assertThat(confirmed).containsExactly(1);
  }

  @Test
  void failedForceIsReportedToPublishers() {
    Queue queue = broker.declareOn(1, "far");
    broker.publish("far", 1);
    broker.host.directory("shard-1").failForceAfter(0);

    publishFrom(0, queue, 2, 3);
    broker.trimMemory();

    assertThat(failed).containsExactly(2, 3);
    assertThat(confirmed).isEmpty();
    publishFrom(0, queue, 4);
    broker.trimMemory();
    assertThat(failed).as("for good").containsExactly(2, 3, 4);
    broker = broker.afterPowerLoss();
    assertThat(broker.drain("far")).containsExactly(1);
  }

  @Test
  void onlyDeliveredMessagesAreRedeliveredAfterACrash() {
    broker.declare("q");
    broker.publish("q", 1, 2, 3, 4);
    broker.fetch("q");
    broker.fetch("q");
    broker.advance(1100);

    broker = broker.afterPowerLoss();

    Collector collector = broker.consume("q", true, 0);
    assertThat(collector.numbers()).containsExactly(1, 2, 3, 4);
    assertThat(collector.deliveries.stream().map(Collector.Delivery::redelivered))
        .containsExactly(true, true, false, false);
  }

  @Test
  void acknowledgedMessagesAreNotRecovered() {
    Queue queue = broker.declare("q");
    broker.publish("q", 1, 2, 3);
    GetResult first = broker.fetch("q");
    broker.settling(
        Settlement.ACKNOWLEDGE, queue, TestBroker.getter(), first.sequence(), first.sequence());
    broker.trimMemory();
    assertThat(broker.afterPowerLoss().drain("q")).as("not forced").containsExactly(1, 2, 3);
    broker.advance(1100);
    assertThat(broker.afterPowerLoss().drain("q")).containsExactly(2, 3);
  }

  @Test
  void aPurgeThatIsAnsweredIsNotUndoneByACrash() {
    Queue queue = broker.declare("q");
    broker.publish("q", 1, 2, 3);
    CompletableFuture<Long> purged = queue.requests().purge();
    broker.runLoops();
    assertThat(purged).as("not forced").isNotDone();
    broker.trimMemory();
    assertThat(purged).isCompletedWithValue(3L);

    assertThat(broker.afterPowerLoss().drain("q")).isEmpty();
  }

  @Test
  void aPurgeOnADiskThatFailsIsAnswered() {
    Queue queue = broker.declareOn(1, "far");
    broker.publish("far", 1);
    broker.host.directory("shard-1").failForceAfter(0);
    CompletableFuture<Long> purged = queue.requests().purge();
    broker.trimMemory();

    assertThat(purged).isCompletedWithValue(1L);
    assertThat(broker.ready("far")).isZero();
  }

  @Test
  void messagesAreKeptUntilTheDeletionOfTheirQueueIsSafe() {
    broker.declare("q");
    broker.publish("q", 1, 2);

    CompletableFuture<Long> deleted = broker.vhost.deleteQueue("q", this, false, false);
    broker.runLoops();
    broker.host.flush();
    assertThat(deleted).isNotDone();

    broker = broker.afterKill();
    assertThat(broker.drain("q")).containsExactly(1, 2);
  }

  @Test
  void messagesStayIfTheDeletionOfTheirQueueCannotBeWritten() {
    broker.declare("q");
    broker.publish("q", 1, 2);

    CompletableFuture<Long> deleted = broker.vhost.deleteQueue("q", this, false, false);
    broker.runLoops();
    broker.metadata.fail("No space left on device");
    broker.trimMemory();
    assertThat(deleted).isCompletedExceptionally();
    broker.publish("q", 3);

    broker = broker.afterKill();
    assertThat(broker.drain("q")).containsExactly(1, 2, 3);
  }

  @Test
  void queueDeclaredAgainIsEmpty() {
    broker.declare("q");
    broker.publish("q", 1, 2);
    assertThat(broker.delete("q")).isEqualTo(2);
    broker.declare("q");
    assertThat(broker.ready("q")).isZero();

    broker = broker.afterKill();
    assertThat(broker.ready("q")).isZero();
    broker.publish("q", 3);
    broker = broker.afterPowerLoss();
    assertThat(broker.drain("q")).containsExactly(3);
  }

  @Test
  void endOfALeaseDeletesTheQueueWithItsMessages() {
    broker.declare("q", FieldTable.builder().put("x-expires", 100).build());
    broker.publish("q", 1);

    broker.advance(99);
    assertThat(broker.queue("q")).isNotNull();
    broker.advance(60);
    assertThat(broker.queue("q")).isNull();
    assertThat(broker.afterPowerLoss().queue("q")).isNull();
  }

  @Test
  void pagedOutMessagesAreDeliveredInOrder() {
    broker = TestBroker.of(1, 5000);
    Queue queue = broker.declare("q", TestBroker.deadLetteringTo("dead"));
    broker.declare("dead");
    for (int number = 0; number < 40; number++) {
      broker.publishing(
          queue, TestBroker.message(number, number % 2 == 0, Message.NO_TTL, 200), listener);
    }
    broker.trimMemory();
    assertThat(broker.host.directory("paging-0").sizes()).isNotEmpty();
    GetResult first = broker.fetch("q");
    GetResult second = broker.fetch("q");
    broker.settling(
        Settlement.REQUEUE, queue, TestBroker.getter(), first.sequence(), first.sequence());
    broker.settling(
        Settlement.REJECT, queue, TestBroker.getter(), second.sequence(), second.sequence());
    broker.trimMemory();

    assertThat(broker.drain("dead")).containsExactly(1);
    assertThat(broker.drain("q"))
        .isEqualTo(IntStream.range(0, 40).filter(number -> number != 1).boxed().toList());
  }

  @Test
  void pagingFileIsDeletedAtTheStart() {
    broker = TestBroker.of(1, 0);
    Queue queue = broker.declare("q");
    broker.publishing(queue, TestBroker.message(1, false, Message.NO_TTL, 9), listener);
    broker.publish("q", 2);
    assertThat(broker.host.list()).contains("paging-0");

    broker = broker.afterKill();

    assertThat(broker.host.list()).containsExactly("shard-0");
    assertThat(broker.drain("q")).containsExactly(2);
  }

  @Test
  void diskSpaceIsFreedWhenMessagesAreSettled() {
    broker = TestBroker.of(1, 0);
    Queue queue = broker.declare("q");
    for (int number = 0; number < 300; number++) {
      broker.publishing(
          queue, TestBroker.message(number, number % 2 == 0, Message.NO_TTL, 300), listener);
    }
    broker.trimMemory();
    long log = size("shard-0");
    long paging = size("paging-0");
    assertThat(log).isGreaterThan(40_000);
    assertThat(paging).isGreaterThan(40_000);

    assertThat(broker.drain("q")).hasSize(300);
    broker.advance(3000);

    assertThat(size("shard-0")).isLessThan(log / 2);
    assertThat(size("paging-0")).isLessThan(paging / 2);
  }

  private long size(String directory) {
    return broker.host.directory(directory).sizes().values().stream().mapToLong(size -> size).sum();
  }
}
