package io.mayflymq.cluster.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.PublishOutcomes;
import io.mayflymq.core.vhost.TestBroker;
import io.mayflymq.core.vhost.TestBroker.Collector;
import io.mayflymq.core.vhost.TestBroker.Collector.Delivery;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues of a replicated partition, as clients see them while its leader changes. */
class PartitionLinkTest {
  private PartitionRig rig;
  private TestBroker here;
  private TestBroker home;
  private LeaderLinks links;
  private PartitionLink link;

  /** Starts this node and what leads, with a leader. */
  private void start(int shards) {
    startWithoutLeader(shards);
    leader("b@host");
    rest();
  }

  private void startWithoutLeader(int shards) {
    rig = new PartitionRig(shards);
    here = rig.here;
    home = rig.home;
    links = rig.links;
    link = rig.link;
  }

  private void leader(String node) {
    rig.leader(node);
  }

  private void rest() {
    rig.rest();
  }

  private void run(int steps) {
    rig.run(steps);
  }

  private void failOver(Runnable meanwhile) {
    rig.failOver(meanwhile);
  }

  private Queue queue(String name) {
    return rig.queue(name, FieldTable.EMPTY);
  }

  private <T> T done(CompletableFuture<T> future) {
    return rig.done(future);
  }

  private long consumersAtHome(Queue queue) {
    return rig.consumersAtHome(queue);
  }

  private static ChannelException failure(CompletableFuture<?> future) {
    assertThat(future).isCompletedExceptionally();
    Throwable thrown = future.handle((result, failure) -> failure).join();
    return (ChannelException) (thrown.getCause() == null ? thrown : thrown.getCause());
  }

  /** Publishes from a loop that is not that of the link. */
  private void publishing(Queue queue, PublishOutcomes outcomes, int... numbers) {
    rig.publishing(otherLoop(), queue, outcomes, numbers);
  }

  private int otherLoop() {
    return 1 - rig.shard();
  }

  private void settle(Settlement settlement, Queue queue, Consumer consumer, long from, long to) {
    here.settling(settlement, queue, consumer, from, to);
    rest();
  }

  private Collector consume(Queue queue, Collector collector) {
    done(queue.requests().subscribe(collector.consumer, () -> {}));
    return collector;
  }

  // Publishers

  static IntStream moments() {
    return IntStream.range(0, 16);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void whatIsPublishedIsConfirmedOnceWheneverTheLeaderIsLost(int steps) {
    start(2);
    Queue queue = queue("q");
    PublishOutcomes outcomes = new PublishOutcomes();
    publishing(queue, outcomes, 1, 2);
    publishing(queue, outcomes, 3);
    run(steps);
    failOver(() -> publishing(queue, outcomes, 4, 5));
    publishing(queue, outcomes, 6);
    rest();
    assertThat(outcomes.told).containsExactly("1 ok", "2 ok", "3 ok", "4 ok", "5 ok", "6 ok");
    assertThat(home.drain("q")).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(here.commands(otherLoop()).bytesUnderWay()).isZero();
    assertThat(links.applied.keySet())
        .hasSize(1)
        .allMatch(origin -> origin.member() == PartitionRig.MEMBER);
  }

  @Test
  void batchWhoseOutcomeWasLostIsSentAgainWithItsNumber() {
    start(1);
    Queue queue = queue("q");
    PublishOutcomes outcomes = new PublishOutcomes();
    publishing(queue, outcomes, 1);
    here.runLoops();
    home.runLoops();
    failOver(() -> {});
    assertThat(links.repeated).isEqualTo(1);
    assertThat(outcomes.told).containsExactly("1 ok");
    assertThat(home.drain("q")).containsExactly(1);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void leadersThatChangeInQuickTurnLoseAndDoubleNothing(int steps) {
    start(2);
    Queue queue = queue("q");
    Collector collector = consume(queue, new Collector(true, 0));
    PublishOutcomes outcomes = new PublishOutcomes();
    publishing(queue, outcomes, 1, 2, 3);
    run(steps);
    leader("c@host");
    publishing(queue, outcomes, 4);
    run(steps / 2);
    leader(null);
    leader("d@host");
    run(steps / 3);
    leader("e@host");
    rest();
    assertThat(links.nodes).containsExactly("b@host", "c@host", "d@host", "e@host");
    assertThat(link.node()).isEqualTo("e@host");
    assertThat(outcomes.told).containsExactly("1 ok", "2 ok", "3 ok", "4 ok");
    assertThat(collector.cancelled).isFalse();
    assertThat(consumersAtHome(queue)).isEqualTo(1);
    acknowledgeLast(queue, collector, 4);
  }

  /** Acknowledges the last delivery of each message; there are so many. */
  private void acknowledgeLast(Queue queue, Collector collector, int messages) {
    List<Delivery> all = List.copyOf(collector.deliveries);
    List<Integer> numbers = all.stream().map(Delivery::number).distinct().toList();
    assertThat(numbers).hasSize(messages);
    for (int number : numbers) {
      long last =
          all.stream()
              .filter(delivery -> delivery.number() == number)
              .reduce((first, second) -> second)
              .orElseThrow()
              .sequence();
      here.settling(Settlement.ACKNOWLEDGE, queue, collector.consumer, last, last);
    }
    rest();
    done(queue.requests().cancel(collector.consumer));
    assertThat(home.ready("q")).as("all are acknowledged").isZero();
  }

  @Test
  void publishersWaitForALeader() {
    startWithoutLeader(1);
    Queue queue = queue("q");
    PublishOutcomes outcomes = new PublishOutcomes();
    publishing(queue, outcomes, 1, 2);
    here.advance(120_000);
    assertThat(outcomes.told).isEmpty();
    assertThat(here.commands(otherLoop()).isSettled()).isFalse();
    leader("b@host");
    rest();
    assertThat(outcomes.told).containsExactly("1 ok", "2 ok");
    assertThat(home.drain("q")).containsExactly(1, 2);
  }

  // Consumers

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void consumersGoOnAndWhatTheyHaveNotSettledComesAgain(int shards) {
    start(shards);
    Queue queue = queue("q");
    home.publish("q", 1, 2, 3);
    Collector collector = consume(queue, new Collector(true, 2));
    long first = collector.deliveries.get(0).sequence();
    settle(Settlement.ACKNOWLEDGE, queue, collector.consumer, first, first);
    assertThat(collector.numbers()).containsExactly(1, 2, 3);
    failOver(
        () ->
            here.settling(Settlement.ACKNOWLEDGE, queue, collector.consumer, first + 1, first + 1));
    assertThat(collector.cancelled).isFalse();
    assertThat(collector.numbers())
        .as("the late settlement did nothing")
        .containsExactly(1, 2, 3, 2, 3);
    assertThat(collector.deliveries.subList(3, 5)).allMatch(Delivery::redelivered);
    home.publish("q", 4);
    settle(Settlement.ACKNOWLEDGE, queue, collector.consumer, first + 2, first + 2);
    rest();
    assertThat(collector.numbers()).as("prefetch").hasSize(5);
    long again = collector.deliveries.get(3).sequence();
    settle(Settlement.ACKNOWLEDGE, queue, collector.consumer, again, again + 1);
    assertThat(collector.numbers()).containsExactly(1, 2, 3, 2, 3, 4);
    assertThat(home.ready("q")).isZero();
  }

  @ParameterizedTest
  @MethodSource("moments")
  void settlementIsDoneOnceOrTheMessageComesAgain(int steps) {
    start(2);
    Queue queue = queue("q");
    home.publish("q", 1);
    Collector collector = consume(queue, new Collector(true, 0));
    long first = collector.deliveries.get(0).sequence();
    here.settling(Settlement.ACKNOWLEDGE, queue, collector.consumer, first, first);
    run(steps);
    failOver(() -> {});
    if (collector.deliveries.size() == 2) {
      assertThat(collector.deliveries.get(1).redelivered()).isTrue();
      long second = collector.deliveries.get(1).sequence();
      assertThat(second).isNotEqualTo(first);
      settle(Settlement.ACKNOWLEDGE, queue, collector.consumer, second, second);
    }
    done(queue.requests().cancel(collector.consumer));
    assertThat(home.ready("q")).isZero();
  }

  /** Publishes messages of 10,000 bytes. */
  private void publishLargeAtHome(int count) {
    for (int i = 0; i < count; i++) {
      Message large = TestBroker.message(i, false, Message.NO_TTL, 10_000);
      home.publishing(home.queue("q"), large, null);
    }
    rest();
  }

  @Test
  void whatWasHeldForAFullChannelComesAgainAndCreditBeginsAnew() {
    start(1);
    Queue queue = queue("q");
    Collector full = new Collector(true, 0);
    full.full = true;
    consume(queue, full);
    publishLargeAtHome(300);
    failOver(() -> {});
    assertThat(home.ready("q")).as("a window is under way again").isBetween(190L, 200L);
    full.full = false;
    here.on(rig.shard(), () -> queue.onShard().resume(full.consumer));
    rest();
    assertThat(full.numbers()).hasSize(300).doesNotHaveDuplicates();
  }

  @Test
  void whatWasTakenByAnEarlierConnectionGivesNoCredit() {
    start(1);
    Queue queue = queue("q");
    Collector collector = consume(queue, new Collector(true, 0));
    publishLargeAtHome(20);
    failOver(() -> {});
    assertThat(collector.deliveries).as("20 and again").hasSize(40);
    collector.full = true;
    publishLargeAtHome(300);
    assertThat(home.ready("q")).isBetween(190L, 220L);
  }

  @Test
  void consumersStayHoweverLongAndOftenThereIsNoLeader() {
    start(1);
    Queue queue = queue("q");
    Collector collector = consume(queue, new Collector(true, 0));
    for (int i = 0; i < 3; i++) {
      links.cut();
      rest();
      links.mend();
      here.runLoops(); // It joins again, and is not answered.
      links.cut();
      rest();
      here.advance(40_000);
      links.mend();
      rest();
    }
    assertThat(collector.cancelled).isFalse();
    home.publish("q", 1);
    rest();
    assertThat(collector.numbers()).containsExactly(1);
  }

  @Test
  void consumersWithoutAcknowledgementsGoOn() {
    start(1);
    Queue queue = queue("q");
    Collector collector = consume(queue, new Collector(false, 0));
    home.publish("q", 1);
    rest();
    failOver(() -> {});
    home.publish("q", 2);
    rest();
    assertThat(collector.numbers()).containsExactly(1, 2);
    assertThat(collector.cancelled).isFalse();
  }

  @Test
  void singleActiveConsumerStaysActive() {
    start(1);
    Queue queue =
        rig.queue("q", FieldTable.builder().put("x-single-active-consumer", true).build());
    List<Collector> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(consume(queue, new Collector(true, 0)));
    }
    done(queue.requests().cancel(all.get(0).consumer));
    for (int round = 1; round <= 3; round++) {
      failOver(() -> {});
      home.publish("q", round);
      rest();
    }
    assertThat(all.get(1).numbers()).contains(1, 2, 3);
    assertThat(all.subList(2, 5)).allMatch(other -> other.deliveries.isEmpty());
    done(queue.requests().cancel(all.get(1).consumer));
    failOver(() -> {});
    home.publish("q", 4);
    rest();
    assertThat(all.get(2).numbers()).contains(4);
    assertThat(all.subList(3, 5)).allMatch(other -> other.deliveries.isEmpty());
  }

  @Test
  void prioritiesStay() {
    start(1);
    Queue queue = queue("q");
    Collector low =
        consume(queue, new Collector(true, 0, FieldTable.builder().put("x-priority", 1).build()));
    Collector high =
        consume(queue, new Collector(true, 2, FieldTable.builder().put("x-priority", 9).build()));
    failOver(() -> {});
    home.publish("q", 1, 2, 3);
    rest();
    assertThat(high.numbers()).containsExactly(1, 2);
    assertThat(low.numbers()).containsExactly(3);
  }

  @Test
  void exclusiveConsumerKeepsItsQueueToItself() {
    start(2);
    Queue queue = queue("q");
    Consumer exclusive =
        new Consumer(
            ShortString.of("only"),
            new ConsumeOptions(true, true, 0, FieldTable.EMPTY),
            new Collector(true, 0));
    done(queue.requests().subscribe(exclusive, () -> {}));
    failOver(() -> {});
    CompletableFuture<Void> second =
        queue.requests().subscribe(new Collector(true, 0).consumer, () -> {});
    rest();
    assertThat(failure(second).code()).isEqualTo(ReplyCode.ACCESS_REFUSED);
    assertThat(consumersAtHome(queue)).isEqualTo(1);
  }

  @Test
  void exclusiveConsumerWhoseQueueIsTakenMeanwhileIsCancelled() {
    start(1);
    Queue queue = queue("q");
    Collector collector = new Collector(true, 0);
    Consumer exclusive =
        new Consumer(
            ShortString.of("only"), new ConsumeOptions(true, true, 0, FieldTable.EMPTY), collector);
    done(queue.requests().subscribe(exclusive, () -> {}));
    failOver(() -> home.consume("q", true, 0));
    assertThat(collector.cancelled).isTrue();
    assertThat(consumersAtHome(queue)).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void subscriptionIsAnsweredOnce(int steps) {
    start(2);
    Queue queue = queue("q");
    home.publish("q", 1);
    Collector collector = new Collector(true, 0);
    AtomicInteger admitted = new AtomicInteger();
    CompletableFuture<Void> joined =
        queue.requests().subscribe(collector.consumer, admitted::incrementAndGet);
    run(steps);
    failOver(() -> {});
    failOver(() -> {});
    assertThat(joined).isCompleted();
    assertThat(admitted).hasValue(1);
    assertThat(consumersAtHome(queue)).isEqualTo(1);
    assertThat(collector.numbers()).isNotEmpty().containsOnly(1);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void cancelledConsumerDoesNotJoinAgain(int steps) {
    start(2);
    Queue queue = queue("q");
    home.publish("q", 1);
    Collector collector = consume(queue, new Collector(true, 0));
    CompletableFuture<Void> cancelled = queue.requests().cancel(collector.consumer);
    run(steps);
    links.cut();
    rest();
    assertThat(cancelled).as("without a leader").isCompleted();
    links.mend();
    rest();
    assertThat(consumersAtHome(queue)).isZero();
    assertThat(home.drain("q")).containsExactly(1);
    assertThat(collector.cancelled).isFalse();
  }

  @Test
  void consumerThatIsCancelledWithoutALeaderIsGone() {
    start(1);
    Queue queue = queue("q");
    home.publish("q", 1);
    Collector before = consume(queue, new Collector(true, 0));
    Collector never = new Collector(true, 0);
    AtomicInteger admitted = new AtomicInteger();
    links.cut();
    rest();
    CompletableFuture<Void> joined =
        queue.requests().subscribe(never.consumer, admitted::incrementAndGet);
    CompletableFuture<Void> first = queue.requests().cancel(before.consumer);
    CompletableFuture<Void> second = queue.requests().cancel(never.consumer);
    rest();
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(joined).isNotDone();
    links.mend();
    rest();
    assertThat(joined).isCompleted();
    assertThat(admitted).hasValue(1);
    assertThat(consumersAtHome(queue)).isZero();
    assertThat(never.deliveries).isEmpty();
    assertThat(home.drain("q")).containsExactly(1);
  }

  @Test
  void consumersAreToldWhenTheirQueueIsDeletedMeanwhile() {
    start(1);
    Queue queue = queue("q");
    Queue other = queue("other");
    Collector gone = consume(queue, new Collector(true, 0));
    Collector stays = consume(other, new Collector(true, 0));
    failOver(() -> home.delete("q"));
    assertThat(gone.cancelled).isTrue();
    assertThat(stays.cancelled).isFalse();
    failOver(() -> {});
    home.delete("other");
    rest();
    assertThat(stays.cancelled).isTrue();
  }

  @Test
  void windowOfASharedLimitIsKept() {
    start(1);
    Queue queue = queue("q");
    Collector full = new Collector(true, 0);
    consume(queue, full);
    full.full = true;
    home.publish("q", 1, 2, 3);
    rest();
    assertThat(home.ready("q")).isZero();
    links.cut();
    full.shares = true;
    rest();
    links.mend();
    rest();
    assertThat(home.ready("q")).as("nothing is sent ahead").isEqualTo(3);
    full.full = false;
    for (int i = 0; i < 3; i++) {
      here.on(rig.shard(), () -> queue.onShard().resume(full.consumer));
      rest();
    }
    assertThat(full.numbers()).containsExactlyInAnyOrder(1, 2, 3);
  }

  // Requests

  @ParameterizedTest
  @MethodSource("moments")
  void getIsAnsweredAndItsMessageCanBeSettled(int steps) {
    start(2);
    Queue queue = queue("q");
    home.publish("q", 1);
    CompletableFuture<GetResult> get = queue.requests().fetch(true);
    run(steps);
    failOver(() -> {});
    GetResult got = done(get);
    if (got == null || home.ready("q") == 1) {
      // It was answered before, and its message is back.
      got = done(queue.requests().fetch(true));
      assertThat(got.redelivered()).isTrue();
    }
    assertThat(TestBroker.numberOf(got.message())).isEqualTo(1);
    settle(Settlement.ACKNOWLEDGE, queue, Consumer.ofGet(), got.sequence(), got.sequence());
    failOver(() -> {});
    assertThat(home.ready("q")).isZero();
  }

  @ParameterizedTest
  @MethodSource("moments")
  void statusAndPurgeAreAnswered(int steps) {
    start(2);
    Queue queue = queue("q");
    home.publish("q", 1, 2);
    CompletableFuture<DeclaredQueue> status = queue.lifecycle().status(true);
    run(steps);
    failOver(() -> {});
    assertThat(done(status).messages()).isEqualTo(2);
    CompletableFuture<Long> purge = queue.requests().purge();
    run(steps);
    failOver(() -> {});
    assertThat(done(purge)).isIn(0L, 2L);
    assertThat(home.ready("q")).isZero();
  }

  @ParameterizedTest
  @MethodSource("moments")
  void deletionThatWasCarriedOutIsASuccess(int steps) {
    start(2);
    Queue queue = queue("q");
    home.publish("q", 1, 2);
    CompletableFuture<Long> deleted = queue.lifecycle().delete(false, false, Actor.BROKER);
    run(steps);
    failOver(() -> {});
    assertThat(done(deleted)).isIn(0L, 2L);
    assertThat(home.queue("q")).isNull();
    failOver(() -> {});
    CompletableFuture<Long> second = queue.lifecycle().delete(false, false, Actor.BROKER);
    rest();
    assertThat(failure(second).code()).as("asked once").isEqualTo(ReplyCode.NOT_FOUND);
  }

  @Test
  void deletionThatIsRefusedIsRefused() {
    start(1);
    Queue queue = queue("q");
    home.publish("q", 1);
    links.cut();
    CompletableFuture<Long> deleted = queue.lifecycle().delete(false, true, Actor.BROKER);
    rest();
    links.mend();
    rest();
    assertThat(failure(deleted).code()).isEqualTo(ReplyCode.PRECONDITION_FAILED);
  }

  @Test
  void requestsFailAfterHalfAMinuteWithoutALeader() {
    start(1);
    Queue queue = queue("q");
    failOver(() -> here.advance(20_000));
    links.cut();
    leader(null);
    rest();
    CompletableFuture<GetResult> early = queue.requests().fetch(true);
    here.advance(10_000);
    CompletableFuture<Void> later =
        queue.requests().subscribe(new Collector(true, 0).consumer, () -> {});
    here.advance(19_900);
    assertThat(early).isNotDone();
    here.advance(200);
    assertThat(failure(early))
        .hasMessage("NOT_FOUND - queue 'q' in vhost '/' has no leader at present");
    assertThat(later).isNotDone();
    leader("c@host");
    rest();
    here.advance(10_000);
    assertThat(failure(later))
        .hasMessage("NOT_FOUND - queue 'q' in vhost '/' has no leader at present");
    links.mend();
    rest();
    assertThat(done(queue.requests().fetch(true))).isNull();
    assertThat(consumersAtHome(queue)).isZero();
  }

  @Test
  void requestsFailAfterHalfAMinuteWithALeaderThatCannotCommit() {
    start(1);
    Queue queue = queue("q");
    home.publish("q", 1);
    links.stall();
    rest();
    here.advance(5_000);
    Collector collector = new Collector(true, 0);
    List<CompletableFuture<?>> asked =
        List.of(
            queue.requests().fetch(true),
            queue.requests().purge(),
            queue.lifecycle().status(true),
            queue.requests().subscribe(collector.consumer, () -> {}),
            queue.lifecycle().delete(false, true, Actor.BROKER));
    here.advance(29_900);
    assertThat(asked).noneMatch(CompletableFuture::isDone);
    here.advance(200);
    assertThat(asked)
        .allSatisfy(
            each ->
                assertThat(failure(each))
                    .hasMessage("NOT_FOUND - queue 'q' in vhost '/' has no leader at present"));
  }

  @Test
  void aConsumerIsCancelledInTimeByALeaderThatCannotCommit() {
    start(1);
    Queue queue = queue("q");
    Collector collector = consume(queue, new Collector(true, 0));
    links.stall();
    rest();
    CompletableFuture<Void> cancelled = queue.requests().cancel(collector.consumer);
    home.publish("q", 1);
    here.advance(29_900);
    assertThat(cancelled).isNotDone();
    here.advance(200);
    assertThat(cancelled).isCompleted();
    links.goOn();
    rest();
    assertThat(collector.deliveries).isEmpty();
    assertThat(consumersAtHome(queue)).isZero();
    assertThat(done(queue.lifecycle().status(false)).messages()).isEqualTo(1);
  }

  /** What has been given up leaves nothing behind. */
  @Test
  void whatIsAnsweredTooLateGoesBack() {
    start(1);
    Queue queue = queue("q");
    home.publish("q", 1);
    home.publish("q", 2);
    links.stall();
    rest();
    CompletableFuture<GetResult> get = queue.requests().fetch(true);
    rest();
    Collector collector = new Collector(true, 0);
    CompletableFuture<Void> consume = queue.requests().subscribe(collector.consumer, () -> {});
    rest();
    here.advance(31_000);
    assertThat(get).isCompletedExceptionally();
    assertThat(consume).isCompletedExceptionally();
    links.goOn();
    rest();
    assertThat(collector.deliveries).isEmpty();
    assertThat(consumersAtHome(queue)).isZero();
    assertThat(done(queue.lifecycle().status(false)).messages()).isEqualTo(2);
    assertThat(done(queue.requests().fetch(true)).redelivered()).isFalse();
  }

  @Test
  void aLeaderThatGoesOnInTimeAnswers() {
    start(1);
    Queue queue = queue("q");
    links.stall();
    rest();
    CompletableFuture<GetResult> get = queue.requests().fetch(true);
    here.advance(29_000);
    links.goOn();
    rest();
    assertThat(done(get)).isNull();
    links.stall();
    rest();
    CompletableFuture<GetResult> next = queue.requests().fetch(true);
    links.cut();
    rest();
    here.advance(29_900);
    assertThat(next).isNotDone();
    here.advance(200);
    assertThat(next).isCompletedExceptionally();
  }

  @Test
  void timeWithALeaderIsNoWaiting() {
    start(1);
    Queue queue = queue("q");
    links.cut();
    rest();
    CompletableFuture<GetResult> get = queue.requests().fetch(true);
    here.advance(20_000);
    links.mend();
    // It is asked, and not answered yet.
    here.runLoops();
    here.advance(60_000);
    assertThat(get).isNotDone();
    links.cut();
    here.advance(9_000);
    assertThat(get).isNotDone();
    here.advance(2_000);
    assertThat(failure(get)).hasMessageContaining("'q'");
  }

  @Test
  void copyIsNotAddedTwice() {
    start(1);
    Queue queue = queue("q");
    CompletableFuture<Void> added = queue.copying().add(new byte[] {1});
    here.runLoops();
    links.cut();
    rest();
    assertThat(failure(added)).hasMessageContaining("'q'");
    // What was not sent yet waits for a leader.
    CompletableFuture<Void> completed = queue.copying().complete(new byte[0]);
    rest();
    assertThat(completed).isNotDone();
    here.advance(31_000);
    assertThat(failure(completed)).hasMessageContaining("'q'");
  }

  @Test
  void listsShowWhatWasToldLast() {
    start(1);
    Queue queue = queue("q");
    home.publish("q", 1, 2);
    here.on(rig.shard(), () -> queue.onShard().contents());
    rest();
    links.cut();
    rest();
    here.on(
        rig.shard(), () -> assertThat(queue.onShard().contents().totals().ready()).isEqualTo(2));
    assertThat(link.node()).isEqualTo("b@host");
  }

  @Test
  void lastLeaderIsTheNodeOfItsQueues() {
    startWithoutLeader(1);
    assertThat(link.node()).isEmpty();
    leader("b@host");
    leader(null);
    assertThat(link.node()).isEqualTo("b@host");
    leader("a@host");
    assertThat(link.node()).isEqualTo("a@host");
  }

  @Test
  void leaderThatCannotBeConnectedToIsFollowedByAnotherOne() {
    start(1);
    PartitionLink other =
        new PartitionLink(
            UUID.randomUUID(),
            1,
            PartitionRig.MEMBER,
            here.partitions,
            (node, partition, shard, listener) -> {
              if (node.equals("forgotten@host")) {
                throw new IllegalArgumentException(node);
              }
              return links.connect(node, partition, shard, listener);
            });
    int shard = other.partition().shard().index();
    assertThatThrownBy(() -> here.on(shard, () -> other.leader("forgotten@host")))
        .hasMessage("forgotten@host");
    here.on(shard, () -> other.leader("d@host"));
    rest();
    assertThat(links.nodes).containsExactly("b@host", "d@host");
    assertThat(other.node()).isEqualTo("d@host");
  }

  // Dead letters

  @ParameterizedTest
  @MethodSource("moments")
  void connectionDoesNotWaitForEverForItsDeadLetters(int steps) {
    start(2);
    home.declare("dead");
    Queue queue = rig.queue("q", TestBroker.deadLetteringTo("dead"));
    home.publish("q", 1);
    Collector collector = consume(queue, new Collector(true, 0));
    long first = collector.deliveries.get(0).sequence();
    CompletableFuture<?>[] arrival = new CompletableFuture<?>[1];
    here.on(
        0,
        () -> {
          here.commands(0).reject(queue, collector.consumer, first, first);
          arrival[0] = here.commands(0).arrivalEverywhere();
        });
    run(steps);
    failOver(() -> {});
    assertThat(arrival[0] == null || arrival[0].isDone()).isTrue();
    assertThat(home.drain("dead").size() + collector.deliveries.size()).isEqualTo(2);
  }
}
