package io.mayflymq.server.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.TimeoutAction;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Each delivery has a lock that ends on its own, in its own millisecond. */
class DeliveryTimeoutsTest {
  private static final long LOCK = 500;
  private static final FieldTable NONE = FieldTable.EMPTY;

  private final ManualEventLoop loop = new ManualEventLoop();
  private final UnackedDeliveries unacked = new UnackedDeliveries(bytes -> {});
  private final List<Long> lost = new ArrayList<>();
  private final List<TimeoutAction> actions = new ArrayList<>();
  private final Shard shard;
  private final VirtualHost vhost;
  private final DeliverySource locked;
  private final DeliveryTimeouts locks;

  DeliveryTimeoutsTest() {
    Shards shards =
        new Shards(List.of(loop), () -> Instant.ofEpochMilli(loop.nowMillis), Faults.logged());
    shard = shards.get(0);
    vhost =
        new Broker(
                new Partitions(shards, (partition, on) -> new InMemoryStore()),
                new InMemoryMetadataLog(),
                () -> Instant.ofEpochMilli(loop.nowMillis),
                "/")
            .createVirtualHost(VhostDefinition.of("/"));
    locked =
        source(
            "locked", FieldTable.builder().put("x-lock-duration", LOCK).build(), FieldTable.EMPTY);
    locks = new DeliveryTimeouts(unacked, shard, 0, this::end);
  }

  private DeliverySource source(String queue, FieldTable arguments, FieldTable ofConsumer) {
    return source(queue, arguments, ofConsumer, false);
  }

  private DeliverySource source(
      String queue, FieldTable arguments, FieldTable ofConsumer, boolean durable) {
    vhost
        .declareQueue(
            new QueueDeclaration(
                queue, durable, false, false, arguments, this, shard, false, false))
        .join();
    Consumer consumer =
        new Consumer(ShortString.of("c"), new ConsumeOptions(true, false, 0, ofConsumer), null);
    return new DeliverySource(vhost.routing().queue(queue), consumer, false);
  }

  private void end(long tag, TimeoutAction action) {
    lost.add(tag);
    actions.add(action);
    unacked.settle(tag, (source, from, to) -> {});
  }

  private long deliver(DeliverySource source) {
    long[] tag = new long[1];
    shard.run(
        () -> {
          tag[0] = unacked.add(source, 0);
          locks.delivered(source, tag[0]);
        });
    return tag[0];
  }

  private void settle(long tag) {
    shard.run(() -> unacked.settle(tag, (source, from, to) -> {}));
  }

  @Test
  void lockEndsExactlyAtItsTimeout() {
    long first = deliver(locked);
    loop.advance(100);
    long second = deliver(locked);

    loop.advance(LOCK - 100);
    assertThat(lost).isEmpty();
    loop.advance(1);
    assertThat(lost).containsExactly(first);
    loop.advance(100);
    assertThat(lost).containsExactly(first, second);
  }

  private void setPolicy(Map<String, Object> keys) {
    vhost.policies().set(Policy.of(PolicyKind.POLICY, "p", "", "queues", 0, keys)).join();
  }

  /** Else a client that was told nothing would lose its consumer by a time that no longer is. */
  @Test
  void lockEndsAsItWasGivenIfItsQueueHasNoneAnyMore() {
    DeliverySource quorum =
        source("quorum", FieldTable.builder().put("x-queue-type", "quorum").build(), NONE, true);
    for (DeliverySource each : List.of(quorum, source("classic", NONE, NONE))) {
      for (String action : List.of("requeue", "dead-letter")) {
        actions.clear();
        setPolicy(Map.of("consumer-timeout", LOCK, "consumer-timeout-action", action));
        deliver(each);
        vhost.policies().clear(PolicyKind.POLICY, "p").join();
        loop.advance(LOCK);
        assertThat(actions).isEmpty();
        loop.advance(1);
        assertThat(actions).extracting(TimeoutAction::toString).containsExactly(upper(action));
      }
    }
  }

  private static String upper(String action) {
    return action.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  @Test
  void presentActionCountsIfThereIsATimeout() {
    DeliverySource plain = source("plain", NONE, NONE);
    setPolicy(Map.of("consumer-timeout", LOCK, "consumer-timeout-action", "requeue"));
    deliver(plain);
    setPolicy(Map.of("consumer-timeout", 2 * LOCK, "consumer-timeout-action", "dead-letter"));
    loop.advance(LOCK + 1);
    assertThat(actions).containsExactly(TimeoutAction.DEAD_LETTER);
  }

  @Test
  void deliverySettledInTimeIsNotRevoked() {
    long first = deliver(locked);
    loop.advance(LOCK / 2);
    settle(first);
    loop.advance(LOCK);

    assertThat(lost).isEmpty();
    assertThat(loop.scheduled).as("nothing is waited for").isEmpty();
  }

  private void renew(DeliverySource source, long tag, long mostMillis) {
    shard.run(() -> locks.renew(source, tag, mostMillis));
  }

  @Test
  void renewedLockEndsExactlyAtItsLaterTime() {
    long first = deliver(locked);
    long second = deliver(locked);
    loop.advance(LOCK - 1);
    renew(locked, first, Long.MAX_VALUE);

    loop.advance(2);
    assertThat(lost).as("it was not renewed").containsExactly(second);
    loop.advance(LOCK - 2);
    assertThat(lost).containsExactly(second);
    loop.advance(1);
    assertThat(lost).containsExactly(second, first);
    assertThat(loop.scheduled).as("nothing is waited for").isEmpty();
  }

  @Test
  void renewalForLessNeverShortensALock() {
    long tag = deliver(locked);
    renew(locked, tag, 1);
    loop.advance(LOCK);
    assertThat(lost).isEmpty();
    renew(locked, tag, 100);
    renew(locked, tag, 10);
    loop.advance(100);
    assertThat(lost).isEmpty();
    loop.advance(1);
    assertThat(lost).containsExactly(tag);
  }

  @Test
  void deliverySettledAfterARenewalLeavesNothing() {
    long tag = deliver(locked);
    renew(locked, tag, Long.MAX_VALUE);
    settle(tag);
    loop.advance(2 * LOCK);

    assertThat(lost).isEmpty();
    assertThat(loop.scheduled).as("nothing is waited for").isEmpty();
    assertThat(locks.size()).isZero();
  }

  @Test
  void queueWithoutATimeoutHasNoLocks() {
    deliver(source("free", FieldTable.EMPTY, FieldTable.EMPTY));
    loop.advance(100 * LOCK);

    assertThat(lost).isEmpty();
    assertThat(loop.scheduled).isEmpty();
  }

  @Test
  void timeoutOfAConsumerOverridesThatOfItsQueue() {
    FieldTable own =
        FieldTable.builder().put("x-consumer-timeout", new FieldValue.Int32(50)).build();
    FieldTable requeueing =
        FieldTable.builder()
            .put("x-consumer-timeout", LOCK)
            .put("x-consumer-timeout-action", "requeue")
            .build();
    long tag = deliver(source("q", requeueing, own));

    loop.advance(51);
    assertThat(lost).containsExactly(tag);
  }

  @Test
  void defaultTimeoutAppliesIfTheQueueOnlySetsTheAction() {
    DeliveryTimeouts withDefault = new DeliveryTimeouts(unacked, shard, 70, this::end);
    DeliverySource source =
        source(
            "q",
            FieldTable.builder().put("x-consumer-timeout-action", "dead-letter").build(),
            FieldTable.EMPTY);
    shard.run(() -> withDefault.delivered(source, unacked.add(source, 0)));

    loop.advance(70);
    assertThat(lost).isEmpty();
    loop.advance(1);
    assertThat(lost).hasSize(1);
  }

  @Test
  void settledDeliveriesAreRemovedWhileAnOlderOneStays() {
    deliver(locked);
    for (int i = 0; i < 10_000; i++) {
      settle(deliver(locked));
    }

    assertThat(locks.size()).isLessThan(100);
  }

  @Test
  void endedChannelDoesNotTimeOut() {
    deliver(locked);
    shard.run(locks::stop);
    loop.advance(10 * LOCK);

    assertThat(lost).isEmpty();
  }

  /** Random deliveries from two queues and settlements, against the time of each. */
  @Property(tries = 300)
  void everyLockEndsExactlyAtItsTimeout(@ForAll long seed) {
    new DeliveryTimeoutsTest().deliverAndSettle(new Random(seed));
  }

  private void deliverAndSettle(Random random) {
    long otherLock = 1L + random.nextInt(1000);
    DeliverySource other =
        source(
            "other",
            FieldTable.builder().put("x-lock-duration", otherLock).build(),
            FieldTable.EMPTY);
    TreeMap<Long, Long> ends = new TreeMap<>();
    for (int i = 0; i < 200; i++) {
      if (random.nextInt(3) > 0) {
        boolean ofOther = random.nextBoolean();
        ends.put(
            deliver(ofOther ? other : locked), loop.nowMillis + (ofOther ? otherLock : LOCK) + 1);
      } else if (!ends.isEmpty()) {
        List<Long> tags = List.copyOf(ends.keySet());
        long tag = tags.get(random.nextInt(tags.size()));
        if (random.nextBoolean()) {
          settle(tag);
          ends.remove(tag);
        } else {
          long most = 1L + random.nextInt((int) LOCK);
          renew(locked, tag, most);
          ends.merge(tag, loop.nowMillis + most + 1, Math::max);
        }
      }
      loop.advance(random.nextInt(30));
      List<Long> due =
          ends.keySet().stream().filter(tag -> ends.get(tag) <= loop.nowMillis).toList();
      assertThat(lost).containsExactlyInAnyOrderElementsOf(due);
      due.forEach(ends::remove);
      lost.clear();
    }
  }
}
