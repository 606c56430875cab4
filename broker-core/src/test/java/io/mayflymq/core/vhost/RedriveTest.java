package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.queue.BrowsedMessage;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.deadletter.Redrive;
import io.mayflymq.core.vhost.deadletter.RedriveReport;
import io.mayflymq.core.vhost.deadletter.RedriveReport.Skipped;
import io.mayflymq.core.vhost.deadletter.RedriveReport.State;
import io.mayflymq.core.vhost.deadletter.RedriveRequest;
import io.mayflymq.core.vhost.deadletter.RedriveRequest.Destination;
import io.mayflymq.core.vhost.deadletter.RedriveRequest.Filter;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sending dead messages back, and crashes on their way. */
class RedriveTest {
  private static final RedriveRequest TO_SOURCE = request(Destination.SOURCE, null);
  private static final int FAR = 1;
  private static final int NEAR = 0;

  private TestBroker broker = TestBroker.of(2);
  private boolean alarmed;
  private boolean allowed = true;

  private final Redrive.Conditions conditions =
      new Redrive.Conditions() {
        @Override
        public boolean publishersWait() {
          return alarmed;
        }

        @Override
        public boolean mayPublish(String exchange, String routingKey) {
          return allowed;
        }
      };

  private static RedriveRequest request(Destination destination, String queue) {
    return new RedriveRequest(destination, queue, Filter.ALL, Long.MAX_VALUE, 0, false, false);
  }

  private static RedriveRequest with(Filter filter, long limit, long rate, boolean dryRun) {
    return new RedriveRequest(Destination.SOURCE, null, filter, limit, rate, false, dryRun);
  }

  /** Declares a queue on a shard and its dead letter queue on shard 0. */
  private Queue declare(int shard, FieldTable more) {
    broker.declareOn(0, "dead");
    FieldTable.Builder arguments = TestBroker.deadLetteringTo("dead").toBuilder();
    more.forEach(arguments::put);
    return broker.declareOn(shard, "q", arguments.build());
  }

  private Queue declare(int shard) {
    return declare(shard, FieldTable.EMPTY);
  }

  /** Has messages rejected, so that they are in the dead letter queue. */
  private void kill(String queue, int... numbers) {
    for (int number : numbers) {
      broker.publish(queue, number);
      long sequence = broker.fetch(queue).sequence();
      broker.settling(
          Settlement.REJECT, broker.queue(queue), TestBroker.getter(), sequence, sequence);
      broker.trimMemory();
    }
  }

  private Redrive begin(RedriveRequest request) {
    var begun = broker.vhost.redrives().start(broker.queue("dead"), request, conditions);
    broker.runLoops();
    return begun.join();
  }

  private RedriveReport run(RedriveRequest request) {
    Redrive redrive = begin(request);
    broker.trimMemory();
    assertThat(redrive.done()).isDone();
    return redrive.report();
  }

  private List<BrowsedMessage> browse(String queue) {
    var page = broker.queue(queue).requests().browse(0, 1000, 1 << 20);
    broker.trimMemory();
    return page.join().messages();
  }

  private List<Integer> numbers(String queue) {
    return browse(queue).stream().map(browsed -> TestBroker.numberOf(browsed.message())).toList();
  }

  private static int[] upTo(int count) {
    return IntStream.rangeClosed(1, count).toArray();
  }

  @Test
  void redrivenMessagesReturnInOrderAndUnchanged() {
    for (int shard : new int[] {NEAR, FAR}) {
      broker = TestBroker.of(2);
      declare(shard);
      kill("q", 1, 2, 3);
      RedriveReport report = run(TO_SOURCE);
      assertThat(report.state()).isEqualTo(State.DONE);
      assertThat(report.moved()).isEqualTo(3);
      assertThat(report.movedTo()).isEqualTo(Map.of("q", 3L));
      assertThat(report.skipped()).isEmpty();
      broker.advance(1100);
      broker = broker.afterPowerLoss();
      assertThat(broker.recovered.messages()).as("shard %d", shard).isEqualTo(3);
      assertThat(browse("q"))
          .allSatisfy(
              browsed -> {
                assertThat(browsed.redelivered()).isFalse();
                assertThat(browsed.message().routingKey().value()).isEqualTo("key");
                assertThat(browsed.message().headers().names()).containsExactly("x-redrive-count");
              });
      assertThat(broker.drain("q")).containsExactly(1, 2, 3);
    }
  }

  @Test
  void redriveReadsContentsFromDisk() {
    broker = TestBroker.of(2, 0);
    declare(FAR);
    kill("q", upTo(50));
    assertThat(run(TO_SOURCE).moved()).isEqualTo(50);
    assertThat(broker.drain("q")).hasSize(50).isSorted();
  }

  @Test
  void redriveWithinAShardLosesAndDuplicatesNothingInACrash() {
    Set<Integer> left = new HashSet<>();
    for (int steps = 0; steps < 40; steps++) {
      dieAfter(steps, NEAR);
      List<Integer> all = new ArrayList<>(broker.drain("dead"));
      left.add(all.size());
      all.addAll(broker.drain("q"));
      assertThat(all).as("after %d steps", steps).containsExactlyInAnyOrder(1, 2, 3, 4, 5);
    }
    assertThat(left).as("before and after").contains(0, 5);
  }

  @Test
  void redriveToAnotherShardLosesNothingInACrash() {
    int doubled = 0;
    int moved = 0;
    for (int steps = 0; steps < 40; steps++) {
      dieAfter(steps, FAR);
      List<Integer> dead = broker.drain("dead");
      List<Integer> back = broker.drain("q");
      List<Integer> all = new ArrayList<>(dead);
      all.addAll(back);
      assertThat(all).as("after %d steps", steps).contains(1, 2, 3, 4, 5);
      assertThat(dead).isSorted().doesNotHaveDuplicates();
      assertThat(back).isSorted().doesNotHaveDuplicates();
      doubled += all.size() > 5 ? 1 : 0;
      moved += dead.isEmpty() ? 1 : 0;
    }
    assertThat(doubled).as("between the two disks").isPositive();
    assertThat(moved).as("after both").isPositive();
  }

  /** Begins to redrive, and loses the power after so many steps of loops and disks in turn. */
  private void dieAfter(int steps, int shard) {
    broker = TestBroker.of(2);
    declare(shard);
    kill("q", 1, 2, 3, 4, 5);
    broker.advance(1100);
    broker.vhost.redrives().start(broker.queue("dead"), TO_SOURCE, conditions);
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

  @Test
  void messagesNotRedrivenStayForTheNextRedrive() {
    declare(FAR);
    kill("q", 1, 2, 3, 4);
    assertThat(run(with(Filter.ALL, 2, 0, false)).moved()).isEqualTo(2);
    broker.advance(1100);
    broker = broker.afterPowerLoss();
    assertThat(browse("dead"))
        .extracting(BrowsedMessage::redelivered)
        .containsExactly(false, false);
    assertThat(run(TO_SOURCE).moved()).isEqualTo(2);
    assertThat(broker.drain("q")).containsExactly(1, 2, 3, 4);
  }

  @Test
  void redriveMovesOnlyMessagesOfItsFilter() {
    declare(NEAR);
    broker.declareOn(1, "other", TestBroker.deadLetteringTo("dead"));
    kill("q", 1);
    kill("other", 2);
    kill("q", 3);
    RedriveReport report = run(with(new Filter(null, "other", null), Long.MAX_VALUE, 0, false));
    assertThat(report.moved()).isEqualTo(1);
    assertThat(report.skipped()).isEqualTo(Map.of(Skipped.NOT_WANTED, 2L));
    assertThat(numbers("dead")).containsExactly(1, 3);
    assertThat(browse("dead")).noneMatch(BrowsedMessage::redelivered);
    assertThat(broker.drain("other")).containsExactly(2);

    report = run(with(new Filter(DeathReason.EXPIRED, null, null), Long.MAX_VALUE, 0, false));
    assertThat(report.moved()).isZero();
    report = run(with(new Filter(DeathReason.REJECTED, "q", null), Long.MAX_VALUE, 0, false));
    assertThat(report.moved()).isEqualTo(2);
  }

  @Test
  void dryRunOfARedriveOnlyCounts() {
    declare(FAR);
    kill("q", 1, 2);
    RedriveReport report = run(with(Filter.ALL, Long.MAX_VALUE, 1, true));
    assertThat(report.moved()).isEqualTo(2);
    assertThat(report.movedTo()).isEqualTo(Map.of("q", 2L));
    assertThat(numbers("dead")).containsExactly(1, 2);
    assertThat(broker.vhost.redrives().last(broker.queue("dead"))).isNull();
  }

  @Test
  void redriveStopsAtAQueueThatRefuses() {
    for (int shard : new int[] {NEAR, FAR}) {
      broker = TestBroker.of(2);
      declare(
          shard,
          FieldTable.builder().put("x-max-length", 2).put("x-overflow", "reject-publish").build());
      kill("q", 1, 2, 3, 4);
      RedriveReport report = run(TO_SOURCE);
      assertThat(report.moved()).isEqualTo(2);
      assertThat(report.skipped()).isEqualTo(Map.of(Skipped.REFUSED, 2L));
      assertThat(numbers("dead")).containsExactly(3, 4);
      assertThat(browse("dead")).noneMatch(BrowsedMessage::redelivered);
      assertThat(broker.drain("q")).containsExactly(1, 2);
      broker.advance(1100);
      broker = broker.afterPowerLoss();
      assertThat(broker.drain("dead")).containsExactly(3, 4);
    }
  }

  @Test
  void redriveToTheOriginalExchangeRoutesAgain() {
    declare(NEAR);
    broker.declareOn(1, "copy");
    kill("q", 1);
    RedriveRequest toOriginal = request(Destination.ORIGINAL, null);
    assertThat(run(toOriginal).skipped())
        .as("by the default exchange to a queue 'key'")
        .isEqualTo(Map.of(Skipped.UNROUTABLE, 1L));
    broker.declareOn(1, "key");
    RedriveReport report = run(toOriginal);
    assertThat(report.movedTo()).isEqualTo(Map.of("key", 1L));
    assertThat(broker.drain("key")).containsExactly(1);
  }

  @Test
  void messageThatWouldReturnToItsQueueIsNotRedriven() {
    declare(NEAR);
    kill("q", 1);
    assertThat(run(request(Destination.QUEUE, "dead")).skipped())
        .isEqualTo(Map.of(Skipped.TO_ITSELF, 1L));
    assertThat(run(request(Destination.QUEUE, "none")).skipped())
        .isEqualTo(Map.of(Skipped.NO_QUEUE, 1L));
    assertThat(numbers("dead")).containsExactly(1);
  }

  @Test
  void messageWithoutADeathHistoryIsRedrivenOnlyToANamedQueue() {
    declare(NEAR);
    broker.publish("dead", 1);
    assertThat(run(TO_SOURCE).skipped()).isEqualTo(Map.of(Skipped.NO_HISTORY, 1L));
    assertThat(run(request(Destination.QUEUE, "q")).moved()).isEqualTo(1);
    assertThat(broker.drain("q")).containsExactly(1);
  }

  @Test
  void redriveSkipsMessagesWithoutWritePermission() {
    declare(NEAR);
    kill("q", 1);
    allowed = false;
    assertThat(run(TO_SOURCE).skipped()).isEqualTo(Map.of(Skipped.FORBIDDEN, 1L));
  }

  @Test
  void messagesOfADeletedSourceQueueAreNotRedriven() {
    declare(NEAR);
    kill("q", 1, 2);
    broker.delete("q");
    assertThat(run(TO_SOURCE).skipped()).isEqualTo(Map.of(Skipped.NO_QUEUE, 2L));
  }

  @Test
  void messageThatDiesAgainIsNotRedrivenTwice() {
    declare(NEAR, FieldTable.builder().put("x-message-ttl", 0).build());
    broker.publish("q", 1, 2);
    assertThat(numbers("dead")).containsExactly(1, 2);
    assertThat(run(TO_SOURCE).moved()).isEqualTo(2);
    assertThat(numbers("dead")).as("died again at once").containsExactly(1, 2);
  }

  @Test
  void redriveKeepsItsRate() {
    declare(FAR);
    kill("q", upTo(25));
    Redrive redrive = begin(with(Filter.ALL, Long.MAX_VALUE, 10, false));
    broker.advance(1000);
    assertThat(redrive.report().state()).isEqualTo(State.RUNNING);
    assertThat(redrive.report().moved()).isBetween(9L, 12L);
    broker.advance(2000);
    assertThat(redrive.report().state()).isEqualTo(State.DONE);
    assertThat(broker.drain("q")).hasSize(25).isSorted();
  }

  @Test
  void redrivePausesWhileAnAlarmIsRaised() {
    declare(NEAR);
    kill("q", 1);
    alarmed = true;
    Redrive redrive = begin(TO_SOURCE);
    broker.advance(1000);
    assertThat(redrive.report().state()).isEqualTo(State.PAUSED);
    assertThat(redrive.report().reason()).isEqualTo("alarm");
    alarmed = false;
    broker.advance(200);
    assertThat(redrive.report().state()).isEqualTo(State.DONE);
  }

  @Test
  void redriveCanBeStoppedAndOnlyOneRunsPerQueue() {
    declare(NEAR);
    kill("q", 1, 2, 3);
    Redrive redrive = begin(with(Filter.ALL, Long.MAX_VALUE, 1, false));
    var second = broker.vhost.redrives().start(broker.queue("dead"), TO_SOURCE, conditions);
    broker.trimMemory();
    assertThatThrownBy(second::join).hasMessageContaining("is being redriven");
    redrive.stop();
    broker.trimMemory();
    assertThat(redrive.report().state()).isEqualTo(State.STOPPED);
    assertThat(redrive.report().moved()).isEqualTo(1);
    assertThat(run(TO_SOURCE).moved()).isEqualTo(2);
  }

  @Test
  void messagesUnderWayInARedriveAreNotDeadLetteredByTheQueueDeletion() {
    broker.declareOn(1, "q");
    broker.declareOn(1, "graves");
    broker.declareOn(
        0,
        "dead",
        TestBroker.deadLetteringTo("graves").toBuilder()
            .put("x-dead-letter-on", "queue_deleted")
            .build());
    broker.publish("dead", upTo(5));
    Redrive redrive = begin(request(Destination.QUEUE, "q"));
    assertThat(QueueSnapshot.of(broker.queue("dead")).totals().unacked()).isEqualTo(5);
    broker.delete("dead");
    assertThat(redrive.done()).isDone();
    assertThat(broker.drain("q")).containsExactly(1, 2, 3, 4, 5);
    assertThat(broker.drain("graves")).as("dead-lettered too").isEmpty();
  }

  @Test
  void redriveFailsIfItsQueueIsDeleted() {
    declare(FAR);
    kill("q", 1, 2, 3);
    Redrive redrive = begin(with(Filter.ALL, Long.MAX_VALUE, 1, false));
    broker.delete("dead");
    broker.advance(3000);
    assertThat(redrive.report().state()).isEqualTo(State.FAILED);
    assertThat(redrive.done()).isDone();
  }
}
