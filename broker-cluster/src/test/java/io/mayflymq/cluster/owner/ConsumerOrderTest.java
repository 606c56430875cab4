package io.mayflymq.cluster.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.link.ConsumerRank;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.RecordedFaults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueLifecycle;
import io.mayflymq.core.vhost.queue.QueueRequests;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long consumers wait for those of other nodes, and in which order they join. */
class ConsumerOrderTest {
  private static final FieldTable SINGLE_ACTIVE =
      FieldTable.builder()
          .put("x-queue-type", "quorum")
          .put("x-single-active-consumer", true)
          .build();

  private final RecordedFaults faults = new RecordedFaults();
  private final ManualLoops loops = ManualLoops.of(1);
  private final Shard shard = new Shards(loops.all(), loops.clock(), faults).get(0);
  private final List<String> joined = new ArrayList<>();

  @AfterEach
  void nothingWasContained() {
    faults.assertNone();
  }

  private static Queue queue(FieldTable arguments) {
    QueueArguments.Valid valid = QueueArguments.parse(arguments, "q", "v");
    return queue(valid, valid.settings());
  }

  private static Queue queueWithoutTakeover() {
    QueueArguments.Valid valid = QueueArguments.parse(SINGLE_ACTIVE, "q", "v");
    return queue(
        valid,
        QueueValues.NONE
            .of(QueueType.QUORUM)
            .withSingleActiveConsumer()
            .in(Dialect.V3_13)
            .settings());
  }

  private static Queue queue(QueueArguments.Valid valid, QueueSettings settings) {
    QueueRequests requests =
        (QueueRequests)
            Proxy.newProxyInstance(
                QueueRequests.class.getClassLoader(),
                new Class<?>[] {QueueRequests.class},
                (proxy, method, arguments) -> settings);
    QueueDefinition definition =
        new QueueDefinition("q", true, false, false, valid.table(), valid.settings());
    return new Queue(
        new QueueIdentity(1, definition, null, QueuePlace.replicated(1)),
        null,
        null,
        queue -> new Queue.Implementation(null, requests, null, null));
  }

  private ConsumerOrder order(String... nodes) {
    return new ConsumerOrder(shard, 3, List.of(nodes));
  }

  private static Consumer consumer(String tag, long priority, ConsumerRank rank) {
    OwnerConsumer target = new OwnerConsumer(1, null, 0, null, moved -> {});
    target.setRank(rank);
    FieldTable arguments = FieldTable.builder().put(Consumer.PRIORITY, priority).build();
    Consumer consumer =
        new Consumer(ShortString.of(tag), new ConsumeOptions(true, false, 0, arguments), target);
    target.setConsumer(consumer);
    return consumer;
  }

  private Consumer come(QueueLifecycle.Arrivals arrivals, String tag, long rank) {
    return come(arrivals, consumer(tag, 0, new ConsumerRank(false, rank)));
  }

  private Consumer come(QueueLifecycle.Arrivals arrivals, Consumer consumer) {
    assertThat(arrivals.isOver()).isFalse();
    arrivals.come(consumer, () -> joined.add(consumer.tag().value()));
    return consumer;
  }

  @Test
  void consumersJoinByTheirRanksWhenAllNodesHaveSentTheirs() {
    ConsumerOrder order = order("a", "b");
    QueueLifecycle.Arrivals arrivals = order.of(queue(SINGLE_ACTIVE));
    come(arrivals, "new", 0);
    come(arrivals, "third", 9);
    come(arrivals, "second", 5);
    order.of("b").complete();
    assertThat(joined).isEmpty();
    come(arrivals, "newer", 0);
    come(arrivals, "first", 2);
    order.of("a").complete();
    assertThat(joined).containsExactly("first", "second", "third", "new", "newer");
    assertThat(arrivals.isOver()).isTrue();
    loops.advance(10_000);
    assertThat(joined).hasSize(5);
  }

  @Test
  void theActiveOneComesFirstAndElseTheOneWithTheHighestPriority() {
    ConsumerOrder order = order("a");
    QueueLifecycle.Arrivals one = order.of(queueWithoutTakeover());
    come(one, consumer("important", 7, new ConsumerRank(false, 1)));
    come(one, consumer("active", 0, new ConsumerRank(false, 2).activated()));
    QueueLifecycle.Arrivals other = order.of(queueWithoutTakeover());
    come(other, consumer("new", 9, ConsumerRank.NONE));
    come(other, consumer("low", 0, new ConsumerRank(false, 3)));
    come(other, consumer("high", 7, new ConsumerRank(false, 4)));
    order.of("a").complete();
    assertThat(joined).containsExactly("active", "important", "high", "low", "new");
  }

  @Test
  void wherePriorityDecidesTheHighestComesFirstAndThenTheActiveOne() {
    ConsumerOrder order = order("a");
    QueueLifecycle.Arrivals arrivals = order.of(queue(SINGLE_ACTIVE));
    come(arrivals, consumer("new", 9, ConsumerRank.NONE));
    come(arrivals, consumer("replaced", 0, new ConsumerRank(false, 1).activated()));
    come(arrivals, consumer("important", 7, new ConsumerRank(false, 2)));
    come(arrivals, consumer("active", 7, new ConsumerRank(false, 3).activated()));
    order.of("a").complete();
    assertThat(joined).containsExactly("active", "important", "replaced", "new");
  }

  @Test
  void aNodeThatDoesNotComeDelaysMostQueuesForAMoment() {
    QueueLifecycle.Arrivals arrivals =
        order("a", "b").of(queue(FieldTable.EMPTY.with("x-queue-type", FieldValue.of("quorum"))));
    come(arrivals, "second", 2);
    come(arrivals, "first", 1);
    loops.advance(199);
    assertThat(joined).isEmpty();
    loops.advance(1);
    assertThat(joined).containsExactly("first", "second");
    assertThat(arrivals.isOver()).isTrue();
  }

  @Test
  void itDelaysASingleActiveConsumerForLonger() {
    QueueLifecycle.Arrivals arrivals = order("a", "b").of(queue(SINGLE_ACTIVE));
    come(arrivals, "second", 2);
    loops.advance(1_999);
    come(arrivals, "first", 1);
    assertThat(joined).isEmpty();
    loops.advance(1);
    assertThat(joined).containsExactly("first", "second");
  }

  @Test
  void aQueueThatWouldBeDeletedAsUnusedDoesNotWaitForLong() {
    QueueLifecycle.Arrivals arrivals =
        order("a")
            .of(
                queue(
                    FieldTable.builder()
                        .put("x-queue-type", "quorum")
                        .put("x-single-active-consumer", true)
                        .put("x-expires", 3_000)
                        .build()));
    come(arrivals, "only", 1);
    loops.advance(200);
    assertThat(joined).containsExactly("only");
  }

  @Test
  void aNodeThatHasEndedIsNotAwaited() {
    ConsumerOrder order = order("a", "b");
    QueueLifecycle.Arrivals arrivals = order.of(queue(SINGLE_ACTIVE));
    come(arrivals, "only", 1);
    order.of("a").complete();
    order.complete("b");
    order.complete("b");
    assertThat(joined).containsExactly("only");
  }

  @Test
  void nobodyIsAwaitedWithoutNodes() {
    assertThat(order().of(queue(SINGLE_ACTIVE)).isOver()).isTrue();
  }

  @Test
  void oneThatHasGoneDoesNotJoin() {
    ConsumerOrder order = order("a");
    QueueLifecycle.Arrivals arrivals = order.of(queue(SINGLE_ACTIVE));
    Consumer gone = come(arrivals, "gone", 1);
    come(arrivals, "stays", 2);
    assertThat(arrivals.leave(gone)).isTrue();
    assertThat(arrivals.leave(gone)).isFalse();
    order.of("a").complete();
    assertThat(joined).containsExactly("stays");
  }

  @Test
  void ranksGrowFromConsumerToConsumerAndFromLeaderToLeader() {
    ConsumerOrder before = new ConsumerOrder(shard, 3, List.of());
    long first = before.next().number();
    long second = before.next().number();
    long later = new ConsumerOrder(shard, 4, List.of()).next().number();
    assertThat(List.of(first, second, later)).isSorted().doesNotHaveDuplicates();
  }
}
