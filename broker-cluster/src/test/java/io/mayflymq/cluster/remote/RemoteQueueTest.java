package io.mayflymq.cluster.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.Pause;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueuePause;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.core.vhost.DirectReply;
import io.mayflymq.core.vhost.PublishOutcomes;
import io.mayflymq.core.vhost.ReplicaOperations;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.core.vhost.TestBroker;
import io.mayflymq.core.vhost.TestBroker.Collector;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.queue.ConsumerExit;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues of another node: two brokers in one process, whose loops run in turns. */
class RemoteQueueTest {
  private static final FieldTable BALANCED =
      FieldTable.builder().put("x-queue-leader-locator", "balanced").build();

  private TestBroker here;
  private TestBroker home;
  private MemoryLinks links;
  private RemoteNode node;
  private boolean membersAreOfThisRelease = true;

  /**
   * Starts both.
   *
   * @param shards how many the home node has; this one has two
   */
  private void start(int shards) {
    here = TestBroker.of(2);
    home = TestBroker.of(shards);
    links = new MemoryLinks(home);
    node = new RemoteNode("b@host", here.partitions, links);
  }

  private void rest() {
    for (int i = 0; i < 30; i++) {
      here.trimMemory();
      home.trimMemory();
    }
  }

  /** Declares a queue at home and returns what stands for it here. */
  private Queue queue(String name, FieldTable arguments) {
    return remote(home.declare(name, arguments));
  }

  private Queue queue(String name) {
    return queue(name, FieldTable.EMPTY);
  }

  private Queue remote(Queue queue) {
    QueuePlace place = new QueuePlace(1, queue.partition().index());
    return RemoteQueue.create(
        new QueueIdentity(queue.id(), queue.definition(), null, place), place, here.vhost, node);
  }

  private <T> T done(CompletableFuture<T> future) {
    rest();
    assertThat(future).isDone();
    return future.join();
  }

  private static ChannelException failure(CompletableFuture<?> future) {
    assertThat(future).isCompletedExceptionally();
    Throwable thrown = future.handle((result, failure) -> failure).join();
    return (ChannelException) (thrown.getCause() == null ? thrown : thrown.getCause());
  }

  private List<String> publish(Queue queue, int... numbers) {
    PublishOutcomes outcomes = new PublishOutcomes();
    publishing(queue, outcomes, numbers);
    rest();
    return outcomes.told;
  }

  private void publishing(Queue queue, PublishOutcomes outcomes, int... numbers) {
    // From a loop that is not that of the link.
    int loop = 1 - queue.shard().index();
    here.on(
        loop,
        () -> {
          for (int number : numbers) {
            here.commands(loop).publish(queue, TestBroker.message(number), outcomes, number);
          }
        });
  }

  private void settle(Settlement settlement, Queue queue, Consumer consumer, long from, long to) {
    here.settling(settlement, queue, consumer, from, to);
    rest();
  }

  @Test
  void consumerThatIsCancelledBeforeTheConnectionIsOpenIsNotLeftBehind() {
    start(2);
    Queue queue = queue("q");
    Collector collector = new Collector(true, 0);
    CompletableFuture<Void> joined = queue.requests().subscribe(collector.consumer, () -> {});
    CompletableFuture<Void> cancelled = queue.requests().cancel(collector.consumer);
    rest();
    assertThat(joined).isDone();
    assertThat(cancelled).isCompleted();
    assertThat(done(queue.lifecycle().status(false)).consumers()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void messagesArePublishedAndConfirmedWhenTheyAreSafeAtHome(int shards) {
    start(shards);
    Queue queue = queue("q");
    PublishOutcomes outcomes = new PublishOutcomes();
    publishing(queue, outcomes, 1, 2, 3);
    for (int i = 0; i < 20; i++) {
      here.runLoops();
      home.runLoops();
    }
    assertThat(outcomes.told).as("before the disk of the home node has them").isEmpty();
    rest();
    assertThat(outcomes.told).containsExactly("1 ok", "2 ok", "3 ok");
    assertThat(home.drain("q")).containsExactly(1, 2, 3);
    assertThat(here.commands(0).bytesUnderWay() + here.commands(1).bytesUnderWay()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void refusedMessagesAreMarked(int shards) {
    start(shards);
    Queue queue =
        queue(
            "q",
            FieldTable.builder()
                .put("x-max-length", 2)
                .put("x-overflow", "reject-publish")
                .build());
    assertThat(publish(queue, 1, 2, 3, 4))
        .containsExactly("1 ok", "2 ok", "3 refused", "4 refused");
  }

  /** They wait at the node of their publishers, in order, and are offered again. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void publishersWaitForRoom(int shards) {
    start(shards);
    Queue queue =
        queue(
            "q",
            FieldTable.builder()
                .put("x-max-length", 2)
                .put("x-overflow", "block")
                .put("x-block-timeout", 1_000)
                .build());
    PublishOutcomes outcomes = new PublishOutcomes();
    publishing(queue, outcomes, 1, 2, 3, 4);
    rest();
    publishing(queue, outcomes, 5, 6, 7, 8);
    rest();
    assertThat(outcomes.told).containsExactly("1 ok", "2 ok");
    int loop = 1 - queue.shard().index();
    assertThat(here.commands(loop).fullQueue()).isSameAs(queue);
    assertThat(home.drain("q")).containsExactly(1, 2);
    pass(60);
    assertThat(outcomes.told).containsExactly("1 ok", "2 ok", "3 ok", "4 ok");
    assertThat(home.ready("q")).isEqualTo(2);
    home.fetch("q");
    pass(60);
    assertThat(outcomes.told).endsWith("5 ok");
    for (int step = 0; step < 20; step++) {
      pass(60);
    }
    assertThat(outcomes.told).endsWith("5 ok", "6 refused", "7 refused", "8 refused");
    assertThat(home.queue("q").counters().get(Counter.REFUSED)).isEqualTo(3);
    assertThat(home.drain("q")).containsExactly(4, 5);
    assertThat(here.commands(loop).fullQueue()).isNull();
    assertThat(here.commands(loop).bytesUnderWay()).isZero();
    assertThat(here.commands(loop).isSettled()).isTrue();
  }

  /** What waits counts as arrived, like all that is on its way to a queue that is deleted. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whatWaitsForADeletedQueueDoesNotEnterTheNextOfItsName(int shards) {
    start(shards);
    Queue queue =
        queue("q", FieldTable.builder().put("x-max-length", 1).put("x-overflow", "block").build());
    PublishOutcomes outcomes = new PublishOutcomes();
    publishing(queue, outcomes, 1, 2, 3);
    rest();
    assertThat(outcomes.told).containsExactly("1 ok");
    home.delete("q");
    here.declare("first", FieldTable.EMPTY);
    assertThat(here.declare("q", FieldTable.EMPTY).id()).isNotEqualTo(queue.id());
    publish(here.queue("q"), 4);
    pass(60);
    assertThat(outcomes.told).containsExactly("1 ok", "2 ok", "3 ok");
    assertThat(here.drain("q")).containsExactly(4);
  }

  /** They are not offered to where the queue is by now, as it is paused there. */
  @Test
  void publishersThatWaitForRoomDoNotEnterAPausedQueue() {
    start(2);
    FieldTable blocking =
        FieldTable.builder().put("x-max-length", 1).put("x-overflow", "block").build();
    Queue queue = queue("q", blocking);
    PublishOutcomes outcomes = new PublishOutcomes();
    publishing(queue, outcomes, 1, 2);
    rest();
    here.declare("q", blocking);
    here.vhost.policies().set(QueuePause.of("q", Pause.PUBLISHING, null));
    rest();
    assertThat(home.drain("q")).containsExactly(1);
    for (int step = 0; step < 5; step++) {
      pass(60);
    }
    assertThat(outcomes.told).containsExactly("1 ok");

    here.vhost.policies().clear(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf("q"));
    rest();
    pass(60);
    assertThat(outcomes.told).containsExactly("1 ok", "2 ok");
    assertThat(here.drain("q")).containsExactly(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void consumerGetsMessagesAndSettlesThem(int shards) {
    start(shards);
    Queue queue = queue("q");
    home.publish("q", 1, 2, 3, 4);
    Collector collector = new Collector(true, 3);
    done(queue.requests().subscribe(collector.consumer, () -> {}));
    assertThat(collector.numbers()).as("prefetch is kept at home").containsExactly(1, 2, 3);
    long first = collector.deliveries.get(0).sequence();
    settle(Settlement.ACKNOWLEDGE, queue, collector.consumer, first, first + 1);
    assertThat(collector.numbers()).containsExactly(1, 2, 3, 4);
    settle(Settlement.REQUEUE, queue, collector.consumer, first + 2, first + 2);
    assertThat(collector.deliveries.get(4)).isEqualTo(new Collector.Delivery(first + 2, 3, true));
    done(queue.requests().cancel(collector.consumer));
    settle(Settlement.ACKNOWLEDGE, queue, collector.consumer, first + 2, first + 3);
    assertThat(home.ready("q")).isZero();
    assertThat(home.queue("q").counters()).isNotNull();
    assertThat(done(queue.lifecycle().status(false)).consumers()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void consumerWithoutAcknowledgementsGetsAllInOrder(int shards) {
    start(shards);
    Queue queue = queue("q");
    Collector collector = new Collector(false, 0);
    done(queue.requests().subscribe(collector.consumer, () -> {}));
    int[] numbers = IntStream.range(0, 1000).toArray();
    publish(queue, numbers);
    assertThat(collector.numbers())
        .containsExactly(IntStream.of(numbers).boxed().toArray(Integer[]::new));
    assertThat(collector.deliveries).allMatch(delivery -> delivery.sequence() == -1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void consumerWithoutRoomHoldsUpNoOther(int shards) {
    start(shards);
    Queue slow = queue("slow");
    Queue other = queue("other");
    Collector full = new Collector(true, 0);
    full.full = true;
    Collector open = new Collector(true, 0);
    done(slow.requests().subscribe(full.consumer, () -> {}));
    done(other.requests().subscribe(open.consumer, () -> {}));
    for (int i = 0; i < 300; i++) {
      Message large = TestBroker.message(i, false, Message.NO_TTL, 10_000);
      home.publishing(home.queue("slow"), large, null);
      home.publishing(home.queue("other"), large, null);
    }
    rest();
    assertThat(full.deliveries).isEmpty();
    assertThat(open.deliveries).hasSize(300);
    assertThat(home.ready("slow")).as("no more than a window is under way").isBetween(190L, 200L);
    full.full = false;
    here.on(slow.shard().index(), () -> slow.onShard().resume(full.consumer));
    rest();
    assertThat(full.numbers()).hasSize(300).isSorted();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whatIsHeldForACancelledConsumerGoesBack(int shards) {
    start(shards);
    Queue queue = queue("q");
    home.publish("q", 1, 2, 3);
    Collector full = new Collector(true, 0);
    full.full = true;
    done(queue.requests().subscribe(full.consumer, () -> {}));
    assertThat(home.ready("q")).isZero();
    done(queue.requests().cancel(full.consumer));
    assertThat(home.drain("q")).containsExactly(1, 2, 3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whatIsHeldAndGoesBackWasNotDelivered(int shards) {
    start(shards);
    Queue queue =
        queue(
            "q",
            FieldTable.builder().put("x-queue-type", "quorum").put("x-delivery-limit", 0).build());
    home.publish("q", 1, 2, 3);
    Collector full = new Collector(true, 0);
    full.full = true;
    done(queue.requests().subscribe(full.consumer, () -> {}));
    done(queue.requests().cancel(full.consumer));
    Collector next = home.consume("q", true, 0);
    rest();
    assertThat(next.numbers()).containsExactly(1, 2, 3);
    assertThat(next.deliveries).noneMatch(Collector.Delivery::redelivered);
  }

  private static final FieldTable SINGLE =
      FieldTable.builder().put("x-single-active-consumer", true).build();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void nextActiveConsumerGetsFirstWhatWasHeldForTheCancelledOne(int shards) {
    start(shards);
    Queue queue = queue("q", SINGLE);
    Collector full = new Collector(true, 3);
    full.full = true;
    done(queue.requests().subscribe(full.consumer, () -> {}));
    Collector next = home.consume("q", true, 0);
    home.publish("q", 1, 2, 3, 4, 5);
    rest();
    done(queue.requests().cancel(full.consumer));
    assertThat(next.numbers()).containsExactly(1, 2, 3, 4, 5);
    assertThat(next.deliveries).noneMatch(Collector.Delivery::redelivered);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void nextActiveConsumerGetsFirstWhatTheChannelOfTheLastOneHad(int shards) {
    start(shards);
    Queue queue = queue("q", SINGLE);
    Collector last = new Collector(true, 3);
    done(queue.requests().subscribe(last.consumer, () -> {}));
    Collector next = home.consume("q", true, 0);
    home.publish("q", 1, 2, 3, 4, 5);
    rest();
    ConsumerExit exit = ConsumerExit.begin(queue, last.consumer);
    for (Collector.Delivery delivery : last.deliveries) {
      settle(Settlement.REQUEUE, queue, last.consumer, delivery.sequence(), delivery.sequence());
    }
    done(exit.finish(here.shards.get(0), () -> {}));
    assertThat(last.numbers()).containsExactly(1, 2, 3);
    assertThat(next.numbers()).containsExactly(1, 2, 3, 4, 5);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void nextActiveConsumerGetsFirstWhatTheNodeOfTheLastOneHad(int shards) {
    start(shards);
    Queue queue = queue("q", SINGLE);
    Collector last = new Collector(true, 3);
    done(queue.requests().subscribe(last.consumer, () -> {}));
    Collector next = home.consume("q", true, 0);
    home.publish("q", 1, 2, 3, 4, 5);
    rest();
    links.cut();
    rest();
    assertThat(next.numbers()).containsExactly(1, 2, 3, 4, 5);
  }

  private static FieldTable.Builder disconnected(int millis) {
    return FieldTable.builder()
        .put("x-queue-type", "quorum")
        .put("x-consumer-disconnected-timeout", millis);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whatTheConsumersOfALostNodeHadStaysWithThemForATime(int shards) {
    start(shards);
    Queue queue = queue("q", disconnected(1_000).build());
    Collector last = new Collector(true, 3);
    done(queue.requests().subscribe(last.consumer, () -> {}));
    home.publish("q", 1, 2, 3, 4);
    rest();
    links.cut();
    rest();
    home.publish("q", 5);
    Collector next = home.consume("q", true, 0);
    assertThat(next.numbers()).as("nothing goes to the lost consumer").containsExactly(4, 5);
    pass(999);
    assertThat(next.numbers()).containsExactly(4, 5);
    pass(1);
    assertThat(next.numbers()).containsExactly(4, 5, 1, 2, 3);
    assertThat(next.deliveries.get(2).redelivered()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theActiveConsumerOfALostNodeStaysActiveForATime(int shards) {
    start(shards);
    Queue queue = queue("q", disconnected(1_000).put("x-single-active-consumer", true).build());
    Collector last = new Collector(true, 3);
    done(queue.requests().subscribe(last.consumer, () -> {}));
    Collector next = home.consume("q", true, 0);
    home.publish("q", 1, 2, 3, 4, 5);
    rest();
    links.cut();
    pass(999);
    assertThat(next.numbers()).isEmpty();
    pass(1);
    assertThat(next.numbers()).containsExactly(1, 2, 3, 4, 5);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whatNothingSettlesIsDeliveredBeforeTheConsumerIsGone(int shards) {
    start(shards);
    Queue queue = queue("q");
    home.publish("q", 1, 2, 3);
    Collector full = new Collector(false, 0);
    full.full = true;
    done(queue.requests().subscribe(full.consumer, () -> {}));
    assertThat(home.ready("q")).isZero();
    done(queue.requests().cancel(full.consumer));
    assertThat(full.numbers()).containsExactly(1, 2, 3);
  }

  private void resume(Queue queue, Collector collector) {
    here.on(queue.shard().index(), () -> queue.onShard().resume(collector.consumer));
    rest();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void consumerOfAFullChannelLeavesMessagesToOthers(int shards) {
    start(shards);
    Queue queue = queue("q");
    Collector full = new Collector(true, 0);
    full.full = true;
    full.shares = true;
    done(queue.requests().subscribe(full.consumer, () -> {}));
    Collector other = home.consume("q", true, 0);
    home.publish("q", 1, 2, 3, 4, 5);
    rest();
    assertThat(other.numbers()).containsExactlyInAnyOrder(1, 2, 3, 4, 5);
    assertThat(other.deliveries).noneMatch(Collector.Delivery::redelivered);
    full.full = false;
    resume(queue, full);
    home.publish("q", 6, 7);
    rest();
    assertThat(full.deliveries).as("it takes its turns again").hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void limitThatIsSharedLaterGivesBackWhatWasSentAhead(int shards) {
    start(shards);
    Queue queue = queue("q");
    Collector collector = new Collector(true, 0);
    done(queue.requests().subscribe(collector.consumer, () -> {}));
    collector.full = true;
    int[] numbers = IntStream.range(0, 20).toArray();
    home.publish("q", numbers);
    rest();
    assertThat(home.ready("q")).as("sent ahead").isZero();
    collector.shares = true;
    resume(queue, collector);
    assertThat(home.ready("q")).isEqualTo(20);
    collector.full = false;
    for (int i = 0; i < 20; i++) {
      resume(queue, collector);
    }
    assertThat(collector.numbers())
        .containsExactly(IntStream.of(numbers).boxed().toArray(Integer[]::new));
    assertThat(collector.deliveries).noneMatch(Collector.Delivery::redelivered);

    collector.full = true;
    home.publish("q", 100, 101);
    rest();
    assertThat(home.ready("q")).isEqualTo(2);
    collector.shares = false;
    resume(queue, collector);
    assertThat(home.ready("q")).as("sent ahead again").isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void limitThatIsSharedIsNoticedWhenMessagesArrive(int shards) {
    start(shards);
    Queue queue = queue("q");
    Collector collector = new Collector(true, 0);
    done(queue.requests().subscribe(collector.consumer, () -> {}));
    collector.full = true;
    collector.shares = true;
    home.publish("q", IntStream.range(0, 100).toArray());
    rest();
    assertThat(home.ready("q")).isEqualTo(100);
  }

  /** Lets time pass on both nodes: at home first, as what is sent takes its time. */
  private void pass(long millis) {
    home.advance(millis);
    here.advance(millis);
    rest();
  }

  /** A consumer here of a queue at home, which holds what the queue had: its channel is full. */
  private Collector holding(Queue queue, boolean acknowledges) {
    Collector full = new Collector(acknowledges, 0);
    full.full = true;
    done(queue.requests().subscribe(full.consumer, () -> {}));
    assertThat(home.ready(queue.definition().name())).as("sent ahead").isZero();
    return full;
  }

  private void publishAtHome(String queue, int number, long ttlMillis) {
    home.publishing(home.queue(queue), TestBroker.message(number, true, ttlMillis, 0), null);
    rest();
  }

  private Queue deadLettering(String argument, int value) {
    home.declare("dead");
    return queue(
        "q",
        FieldTable.builder()
            .putAll(TestBroker.deadLetteringTo("dead"))
            .put(argument, value)
            .build());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whatIsHeldDiesAtItsDeadline(int shards) {
    start(shards);
    Queue queue = deadLettering("x-message-ttl", 200);
    publishAtHome("q", 1, 500);
    publishAtHome("q", 2, 100);
    publishAtHome("q", 3, Message.NO_TTL);
    Collector full = holding(queue, true);
    pass(100);
    assertThat(home.ready("dead")).isZero();
    pass(1); // The broker adds the millisecond in which the period began.
    assertThat(home.drain("dead")).containsExactly(2);
    pass(100);
    assertThat(home.drain("dead")).containsExactly(1, 3);
    full.full = false;
    resume(queue, full);
    publishAtHome("q", 4, Message.NO_TTL);
    assertThat(full.numbers()).as("what came later takes its place").containsExactly(4);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void clientThatTakesLateGetsNothingThatIsOver(int shards) {
    start(shards);
    Queue queue = deadLettering("x-max-length", 100);
    publishAtHome("q", 1, 100);
    publishAtHome("q", 2, Message.NO_TTL);
    publishAtHome("q", 3, 300);
    Collector full = holding(queue, true);
    here.clock().jump(-60_000); // So its timers are late.
    pass(150);
    full.full = false;
    resume(queue, full);
    assertThat(full.numbers()).containsExactly(2, 3);
    assertThat(home.drain("dead")).containsExactly(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whatTheChannelHasTakenIsItsOwn(int shards) {
    start(shards);
    Queue queue = deadLettering("x-message-ttl", 100);
    Collector open = new Collector(true, 0);
    done(queue.requests().subscribe(open.consumer, () -> {}));
    publishAtHome("q", 1, 0);
    pass(500);
    assertThat(open.numbers()).containsExactly(1);
    assertThat(home.ready("dead")).isZero();
  }

  private void setTtl(int millis) {
    home.vhost
        .policies()
        .set(Policy.of(PolicyKind.POLICY, "p", "^q$", "queues", 0, Map.of("message-ttl", millis)));
    rest();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void otherTtlHoldsForWhatIsHeld(int shards) {
    start(shards);
    Queue queue = deadLettering("x-max-length", 100);
    for (int number = 1; number <= 5; number++) {
      publishAtHome("q", number, number == 5 ? 150 : Message.NO_TTL);
    }
    Collector full = holding(queue, true);
    setTtl(10_000);
    assertThat(home.ready("q")).as("sent ahead again").isZero();
    pass(200);
    assertThat(home.drain("dead")).containsExactly(5);
    setTtl(300);
    home.publish("q", 6);
    pass(100);
    assertThat(home.ready("dead")).isZero();
    pass(1);
    assertThat(home.drain("dead")).containsExactly(1, 2, 3, 4);
    setTtl(100_000);
    home.publish("q", 7);
    pass(1_000);
    assertThat(home.ready("dead")).isZero();
    full.full = false;
    resume(queue, full);
    assertThat(full.numbers()).containsExactly(6, 7);
    assertThat(full.deliveries).noneMatch(Collector.Delivery::redelivered);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whenTimeGoesOnAConsumerGetsWhatHasATtlOfZero(int shards) {
    start(shards);
    Queue queue = deadLettering("x-max-length", 100);
    Collector open = new Collector(true, 0);
    done(queue.requests().subscribe(open.consumer, () -> {}));
    Map<String, Object> stop = Map.of("pause", "deliveries", "pause-ttl", "stop");
    home.vhost.policies().set(Policy.of(PolicyKind.POLICY, "p", "^q$", "queues", 0, stop));
    rest();
    publishAtHome("q", 1, 0);
    pass(500);
    assertThat(open.numbers()).isEmpty();
    home.vhost.policies().clear(PolicyKind.POLICY, "p");
    rest();
    assertThat(open.numbers()).containsExactly(1);
    assertThat(home.ready("dead")).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void nodeThatKnowsNoDeadlinesIsToldNone(int shards) {
    start(shards);
    links.setVersion(LinkVersion.FIRST);
    Queue queue = deadLettering("x-message-ttl", 100);
    publishAtHome("q", 1, Message.NO_TTL);
    Collector full = holding(queue, true);
    setTtl(50);
    pass(500);
    full.full = false;
    resume(queue, full);
    publishAtHome("q", 2, Message.NO_TTL);
    assertThat(full.numbers()).as("late, as it was before").containsExactly(1, 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whatNothingSettlesIsDeliveredLate(int shards) {
    start(shards);
    Queue queue = deadLettering("x-message-ttl", 100);
    publishAtHome("q", 1, Message.NO_TTL);
    Collector full = holding(queue, false);
    pass(500);
    full.full = false;
    resume(queue, full);
    assertThat(full.numbers()).containsExactly(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void messagesAreTakenByGet(int shards) {
    start(shards);
    Queue queue = queue("q");
    home.publish("q", 1, 2);
    GetResult first = done(queue.requests().fetch(true));
    assertThat(TestBroker.numberOf(first.message())).isEqualTo(1);
    assertThat(first.remaining()).isEqualTo(1);
    settle(Settlement.REQUEUE, queue, Consumer.ofGet(), first.sequence(), first.sequence());
    GetResult again = done(queue.requests().fetch(true));
    assertThat(again.redelivered()).isTrue();
    settle(Settlement.ACKNOWLEDGE, queue, Consumer.ofGet(), again.sequence(), again.sequence());
    assertThat(done(queue.requests().fetch(false)).sequence()).isEqualTo(-1);
    assertThat(done(queue.requests().fetch(true))).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void requestsAndTheirErrorsComeBack(int shards) {
    start(shards);
    Queue queue = queue("q");
    publish(queue, 1, 2, 3);
    assertThat(done(queue.lifecycle().status(true)).messages()).isEqualTo(3);
    assertThat(done(queue.requests().browse(0, 10, 1000)).messages()).hasSize(3);
    assertThat(done(queue.requests().removeScheduled(null))).isZero();
    Collector exclusive = new Collector(true, 0);
    done(queue.requests().subscribe(exclusive.consumer, () -> {}));
    CompletableFuture<Long> refused = queue.lifecycle().delete(true, false, Actor.BROKER);
    rest();
    assertThat(failure(refused)).hasMessageContaining("queue 'q' in vhost '/' in use");
    done(queue.requests().cancel(exclusive.consumer));
    settle(
        Settlement.REQUEUE,
        queue,
        exclusive.consumer,
        exclusive.deliveries.get(0).sequence(),
        exclusive.deliveries.get(2).sequence());
    here.on(queue.shard().index(), () -> queue.onShard().contents());
    rest();
    here.on(
        queue.shard().index(),
        () -> assertThat(queue.onShard().contents().totals().ready()).isEqualTo(3));
    rest();
    assertThat(done(queue.requests().purge())).isEqualTo(3);
    assertThat(done(queue.lifecycle().delete(false, false, Actor.BROKER))).isZero();
    assertThat(home.queue("q")).isNull();
    CompletableFuture<GetResult> gone = queue.requests().fetch(true);
    rest();
    assertThat(failure(gone)).hasMessageEndingWith("no queue 'q' in vhost '/'");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void consumersAreToldWhenTheirQueueIsDeleted(int shards) {
    start(shards);
    Queue queue = queue("q");
    Collector collector = new Collector(true, 0);
    done(queue.requests().subscribe(collector.consumer, () -> {}));
    home.delete("q");
    rest();
    assertThat(collector.cancelled).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void lossOfTheNodeFailsWhatIsUnderWayAndCancelsConsumers(int shards) {
    start(shards);
    Queue queue = queue("q");
    home.publish("q", 1, 2);
    Collector collector = new Collector(true, 0);
    done(queue.requests().subscribe(collector.consumer, () -> {}));
    GetResult none = done(queue.requests().fetch(true));
    assertThat(none).isNull();
    PublishOutcomes outcomes = new PublishOutcomes();
    publishing(queue, outcomes, 3);
    here.runLoops();
    links.cut();
    rest();
    assertThat(outcomes.told).containsExactly("3 lost");
    assertThat(collector.cancelled).isTrue();
    assertThat(home.ready("q")).as("what was delivered is back").isGreaterThanOrEqualTo(2);
    CompletableFuture<GetResult> get = queue.requests().fetch(true);
    rest();
    assertThat(failure(get))
        .hasMessageEndingWith(
            "home node 'b@host' of durable queue 'q' in vhost '/' is down or inaccessible");
    assertThat(publish(queue, 4)).containsExactly("4 lost");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whenTheNodeIsBackEverythingWorksAndOldSettlementsAreIgnored(int shards) {
    start(shards);
    Queue queue = queue("q");
    home.publish("q", 1);
    Collector before = new Collector(true, 0);
    done(queue.requests().subscribe(before.consumer, () -> {}));
    links.cut();
    rest();
    links.mend();
    rest();
    Collector after = new Collector(true, 0);
    done(queue.requests().subscribe(after.consumer, () -> {}));
    assertThat(after.numbers()).containsExactly(1);
    assertThat(after.deliveries.get(0).redelivered()).isTrue();
    long old = before.deliveries.get(0).sequence();
    settle(Settlement.ACKNOWLEDGE, queue, before.consumer, old, old);
    settle(Settlement.ACKNOWLEDGE, queue, Consumer.ofGet(), old, old);
    done(queue.requests().cancel(after.consumer));
    long now = after.deliveries.get(0).sequence();
    settle(Settlement.REQUEUE, queue, after.consumer, now, now);
    assertThat(home.ready("q")).as("the late acknowledgement did nothing").isEqualTo(1);
    assertThat(publish(queue, 2)).containsExactly("2 ok");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whatArrivesBeforeItsQueueWaitsForIt(int shards) {
    start(shards);
    Queue queue = queue("q");
    links.late.add("q");
    List<String> outcomes = publish(queue, 1, 2);
    assertThat(outcomes).isEmpty();
    links.late.clear();
    home.advance(10);
    rest();
    assertThat(outcomes).containsExactly("1 ok", "2 ok");
    assertThat(home.drain("q")).containsExactly(1, 2);
  }

  /** Makes this broker one of a cluster, whose queues can be placed on the other node. */
  private void join() {
    here.broker.setCluster(
        new Cluster() {
          private long lastId = 1_000;

          @Override
          public List<Peer> nodes() {
            return List.of(new Peer("here", true, false), new Peer("home", true, false));
          }

          @Override
          public boolean knowsDeletedQueues() {
            return membersAreOfThisRelease;
          }

          @Override
          public void inBackground(Runnable work) {
            work.run();
          }

          @Override
          public CompletableFuture<Void> forget(String node) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(node));
          }

          @Override
          public CompletableFuture<Void> setDrained(boolean drained) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException());
          }

          @Override
          public CompletableFuture<Void> handOver() {
            return CompletableFuture.failedFuture(new UnsupportedOperationException());
          }

          @Override
          public ReplicaOperations replicaOperations() {
            throw new UnsupportedOperationException();
          }

          @Override
          public void reply(int member, String vhost, List<DirectReply> replies) {
            throw new UnsupportedOperationException();
          }

          @Override
          public CompletableFuture<Boolean> awaitsReplies(int member, String vhost, String name) {
            throw new UnsupportedOperationException();
          }

          @Override
          public int member() {
            return QueuePlace.FIRST_MEMBER;
          }

          @Override
          public int leastLoadedMember() {
            return 1;
          }

          @Override
          public Optional<CompletableFuture<QueuePlace>> placeOfReplicas(
              OptionalInt size, boolean leadsHere) {
            return Optional.empty();
          }

          @Override
          public QueueReplicas replicasOf(int partition) {
            throw new UnsupportedOperationException();
          }

          @Override
          public CompletableFuture<ReplicaState> replicaHere(int partition) {
            throw new UnsupportedOperationException("replica of " + partition);
          }

          @Override
          public CompletableFuture<long[]> leasesElsewhere(List<MetadataCommand> deletions) {
            return CompletableFuture.completedFuture(new long[deletions.size()]);
          }

          @Override
          public int targetOfMove(String target) {
            throw new UnsupportedOperationException();
          }

          @Override
          public Queue remote(QueueIdentity identity, QueuePlace place, QueueHost vhost) {
            return RemoteQueue.create(identity, place, vhost, node);
          }

          @Override
          public CompletableFuture<Void> propose(
              List<? extends MetadataCommand> commands, Object origin) {
            return here.broker.apply(commands.stream().map(this::numbered).toList(), origin);
          }

          private MetadataCommand numbered(MetadataCommand command) {
            if (!(command instanceof MetadataCommand.QueueDeclared declared)) {
              return command;
            }
            Queue there = home.queue(declared.queue().name());
            return new MetadataCommand.QueueDeclared(
                declared.vhost(),
                declared.queue(),
                there == null ? ++lastId : there.id(),
                declared.place().member() == 1 && there != null
                    ? new QueuePlace(1, there.partition().index())
                    : declared.place());
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void deadLettersArriveAtQueuesOfAnotherNodeBeforeTheirSourceIsSettled(int shards) {
    start(shards);
    home.declare("dead");
    join();
    here.declare("dead", BALANCED);
    here.declare("source", TestBroker.deadLetteringTo("dead"));
    here.publish("source", 1, 2);
    Collector collector = here.consume("source", true, 0);
    Queue source = here.queue("source");
    long first = collector.deliveries.get(0).sequence();
    here.settling(Settlement.REJECT, source, collector.consumer, first, first + 1);
    rest();
    assertThat(home.drain("dead")).containsExactly(1, 2);
    assertThat(here.ready("source")).isZero();
  }

  @Test
  void renewalsAreToldWhenAllNodesKnowThem() {
    start(1);
    join();
    Queue queue = queue("q");
    membersAreOfThisRelease = false;
    queue.requests().locksRenewed(2);
    rest();
    assertThat(renewalsAtHome()).isZero();
    membersAreOfThisRelease = true;
    queue.requests().locksRenewed(3);
    rest();
    assertThat(renewalsAtHome()).isEqualTo(3);
  }

  private long renewalsAtHome() {
    return home.queue("q").counters().get(Counter.LOCK_RENEWALS);
  }

  /** Rejects 20 messages of 4 MiB while nothing of that arrives at the other node. */
  private long waitingOf20(FieldTable arguments) {
    start(1);
    home.declare("dead");
    join();
    here.declare("dead", BALANCED);
    Queue source =
        here.declare(
            "source",
            FieldTable.builder()
                .putAll(TestBroker.deadLetteringTo("dead"))
                .putAll(arguments)
                .build());
    for (int i = 1; i <= 20; i++) {
      here.publishing(source, TestBroker.message(i, true, Message.NO_TTL, 4 << 20), null);
    }
    here.trimMemory();
    Collector collector = here.consume("source", true, 0);
    here.trimMemory();
    long first = collector.deliveries.get(0).sequence();
    here.settling(Settlement.REJECT, source, collector.consumer, first, first + 19);
    here.trimMemory();
    List<Long> waiting = new ArrayList<>();
    here.on(
        source.shard().index(), () -> waiting.add(QueueSnapshot.of(source).waiting().messages()));
    assertThat(source.counters().get(Counter.DEAD_LETTERS_WAITED)).isEqualTo(waiting.get(0));
    return waiting.get(0);
  }

  private void arrive() {
    for (int i = 0; i < 10; i++) {
      rest();
      here.advance(500);
    }
    assertThat(home.drain("dead"))
        .containsExactly(IntStream.rangeClosed(1, 20).boxed().toArray(Integer[]::new));
    assertThat(here.ready("source")).isZero();
  }

  @Test
  void deadLettersThatAreTooManyToBeKeptInMemoryWaitInTheirSource() {
    assertThat(waitingOf20(FieldTable.EMPTY)).isEqualTo(4);
    arrive();
  }

  @Test
  void deadLettersOfAQueueThatWouldDropThemDoNotWaitInIt() {
    assertThat(waitingOf20(FieldTable.builder().put("x-max-length", 20).build())).isZero();
    arrive();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void deadLettersThatMustArriveWaitUntilTheNodeIsBack(int shards) {
    start(shards);
    home.declare("dead");
    join();
    here.declare("dead", BALANCED);
    here.declare(
        "source",
        FieldTable.builder()
            .putAll(TestBroker.deadLetteringTo("dead"))
            .put("x-dead-letter-strategy", "at-least-once")
            .put("x-overflow", "reject-publish")
            .put("x-queue-type", "quorum")
            .build());
    here.publish("source", 1);
    links.cut();
    rest();
    Collector collector = here.consume("source", true, 0);
    Queue source = here.queue("source");
    long first = collector.deliveries.get(0).sequence();
    here.settling(Settlement.REJECT, source, collector.consumer, first, first);
    rest();
    links.mend();
    for (int i = 0; i < 40 && home.ready("dead") == 0; i++) {
      here.advance(1_000);
      rest();
    }
    assertThat(home.drain("dead")).containsExactly(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void connectionSeesItsDeadLettersOnAnotherNodeInOrder(int shards) {
    start(shards);
    home.declare("first", TestBroker.deadLetteringTo("second"));
    home.declare("second");
    join();
    here.declare(
        "first",
        FieldTable.builder().putAll(TestBroker.deadLetteringTo("second")).putAll(BALANCED).build());
    here.declare("second", BALANCED);
    Queue queue = here.queue("first");
    home.publish("first", 1);
    GetResult got = done(queue.requests().fetch(true));
    here.on(
        0,
        () -> {
          here.commands(0).reject(queue, Consumer.ofGet(), got.sequence(), got.sequence());
          assertThat(here.commands(0).hasCaused()).isTrue();
        });
    CompletableFuture<?>[] arrival = new CompletableFuture<?>[1];
    here.on(0, () -> arrival[0] = here.commands(0).arrivalEverywhere());
    rest();
    assertThat(arrival[0] == null || arrival[0].isDone()).isTrue();
    assertThat(home.drain("second")).containsExactly(1);
  }

  @Test
  void argumentPolicyAndConfigurationSayOnWhichNodeQueuesAre() {
    start(1);
    join();
    here.declare("local");
    here.declare("argument", BALANCED);
    here.vhost
        .policies()
        .set(
            Policy.of(
                PolicyKind.POLICY,
                "p",
                "^by-",
                "queues",
                0,
                Map.of("queue-master-locator", "random")));
    here.declare("by-policy");
    here.declare(
        "by-argument", FieldTable.builder().put("x-queue-leader-locator", "client-local").build());
    assertThat(List.of(here.queue("local"), here.queue("by-argument")))
        .allMatch(queue -> queue.isLocal());
    assertThat(List.of(here.queue("argument"), here.queue("by-policy")))
        .allMatch(queue -> !queue.isLocal());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whatOnlyTheHomeNodeCanDoIsRefusedInWords(int shards) {
    start(shards);
    Queue queue = queue("q");
    assertThatThrownBy(() -> queue.onShard().extractor("redrive"))
        .hasMessageEndingWith(
            "redrive of queue 'q' in vhost '/' is possible on its node 'b@host' only");
    assertThat(failure(queue.requests().deadlines(3))).hasMessageContaining("'b@host' only");
  }
}
