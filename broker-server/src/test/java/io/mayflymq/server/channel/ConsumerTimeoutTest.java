package io.mayflymq.server.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.VhostDefinition;
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
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * A channel ends when its oldest delivery is too old: never early, and two seconds late at most.
 */
class ConsumerTimeoutTest {
  private static final long LATE_MILLIS = 2 * ConsumerTimeout.TICK_MILLIS;

  /** A channel whose queues have no timeout of their own, or this one. */
  private static final class Rig {
    private final ManualEventLoop loop = new ManualEventLoop();
    private final Shard shard;
    private final DeliverySource source;
    private final UnackedDeliveries unacked = new UnackedDeliveries(bytes -> {});
    private final ConsumerTimeout timeout;
    private final List<ChannelException> errors = new ArrayList<>();
    private final long start = loop.nowMillis;
    private long endedAt = -1;

    Rig(long defaultMillis) {
      this(defaultMillis, FieldTable.EMPTY);
    }

    Rig(long defaultMillis, FieldTable arguments) {
      Shards shards =
          new Shards(List.of(loop), () -> Instant.ofEpochMilli(loop.nowMillis), Faults.logged());
      shard = shards.get(0);
      Broker broker =
          new Broker(
              new Partitions(shards, (partition, on) -> new InMemoryStore()),
              new InMemoryMetadataLog(),
              () -> Instant.ofEpochMilli(loop.nowMillis),
              "/");
      VirtualHost vhost = broker.createVirtualHost(VhostDefinition.of("/"));
      vhost
          .declareQueue(
              new QueueDeclaration("q", false, false, false, arguments, this, shard, false, false))
          .join();
      Consumer consumer = new Consumer(ShortString.of("c"), ConsumeOptions.DEFAULT, null);
      source = new DeliverySource(vhost.routing().queue("q"), consumer, false);
      timeout = new ConsumerTimeout(7, unacked, shard, defaultMillis, this::ended);
    }

    private void ended(ChannelException error) {
      errors.add(error);
      endedAt = loop.nowMillis - start;
    }

    long deliver() {
      long[] tag = new long[1];
      shard.run(
          () -> {
            tag[0] = unacked.add(source, 0);
            timeout.delivered();
          });
      return tag[0];
    }

    void settle(long tag) {
      shard.run(() -> unacked.settle(tag, (from, first, last) -> {}));
    }

    void advance(long millis) {
      loop.advance(millis);
    }

    boolean ended() {
      return !errors.isEmpty();
    }
  }

  private static FieldTable ofQueue(int millis) {
    return FieldTable.builder().put("x-consumer-timeout", new FieldValue.Int32(millis)).build();
  }

  @Test
  void singleDeliveryTimesOutOnTime() {
    Rig rig = new Rig(5_000);
    rig.advance(300);
    rig.deliver();
    rig.advance(4_999);
    assertThat(rig.ended()).isFalse();
    assertThat(rig.shard.timers().firstEffectMillis()).isEqualTo(rig.start + 5_300);
    rig.advance(1);
    assertThat(rig.errors).hasSize(1);
    assertThat(rig.errors.get(0).code()).isEqualTo(ReplyCode.PRECONDITION_FAILED);
    assertThat(rig.errors.get(0))
        .hasMessageContaining(
            "delivery acknowledgement on channel 7 timed out. Timeout value used: 5000 ms. This"
                + " timeout value can be configured, see consumers doc guide to learn more");
    rig.advance(60_000);
    assertThat(rig.errors).as("it is told once").hasSize(1);
  }

  @Test
  void renewedOldestDeliveryTimesOutLaterAndTheNextOneInItsTurn() {
    Rig rig = new Rig(5_000);
    long first = rig.deliver();
    rig.advance(4_500);
    rig.shard.run(() -> rig.timeout.renew(rig.source, first, Long.MAX_VALUE));
    rig.shard.run(() -> rig.timeout.renew(rig.source, first, 1));
    rig.advance(4_999);
    assertThat(rig.ended()).isFalse();
    rig.advance(1);
    assertThat(rig.ended()).isTrue();
  }

  @Test
  void longestTimeoutIsNeverOver() {
    FieldTable longest =
        FieldTable.builder()
            .put("x-consumer-timeout", new FieldValue.Int64(Long.MAX_VALUE))
            .build();
    Rig rig = new Rig(5_000, longest);
    long tag = rig.deliver();
    rig.advance(60_000);
    rig.shard.run(() -> rig.timeout.renew(rig.source, tag, Long.MAX_VALUE));
    rig.advance(60_000);
    assertThat(rig.ended()).isFalse();
  }

  @Test
  void renewalOfAYoungerDeliveryCountsWhenItIsTheOldest() {
    Rig rig = new Rig(5_000);
    long first = rig.deliver();
    long second = rig.deliver();
    rig.advance(4_000);
    rig.shard.run(() -> rig.timeout.renew(rig.source, second, Long.MAX_VALUE));
    rig.settle(first);
    rig.advance(4_999);
    assertThat(rig.ended()).isFalse();
    rig.advance(1);
    assertThat(rig.ended()).isTrue();
  }

  @Test
  void timeoutOfAQueueOverridesTheDefault() {
    Rig shorter = new Rig(60_000, ofQueue(1_500));
    shorter.deliver();
    shorter.advance(1_499);
    assertThat(shorter.ended()).isFalse();
    shorter.advance(1);
    assertThat(shorter.ended()).isTrue();
    Rig longer = new Rig(1_500, ofQueue(60_000));
    longer.deliver();
    longer.advance(59_999);
    assertThat(longer.ended()).isFalse();
    longer.advance(1);
    assertThat(longer.ended()).isTrue();
    Rig alone = new Rig(0, ofQueue(2_000));
    alone.deliver();
    alone.advance(2_000);
    assertThat(alone.ended()).isTrue();
  }

  @Test
  void consumerTimeoutOfZeroDisablesIt() {
    Rig rig = new Rig(0);
    rig.deliver();
    rig.advance(10_000_000);
    assertThat(rig.ended()).isFalse();
  }

  @Test
  void oldestDeliveryOfTheChannelDecidesTheTimeout() {
    Rig rig = new Rig(5_000);
    long first = rig.deliver();
    rig.advance(3_000);
    rig.deliver();
    rig.advance(1_000);
    rig.settle(first);
    rig.advance(3_999);
    assertThat(rig.ended()).as("the second is not 5 s old").isFalse();
    rig.advance(1 + LATE_MILLIS);
    assertThat(rig.ended()).isTrue();
  }

  @Test
  void channelWithoutDeliveriesSchedulesNoTimer() {
    Rig rig = new Rig(5_000);
    long tag = rig.deliver();
    rig.advance(1_500);
    rig.settle(tag);
    rig.advance(2_000);
    assertThat(rig.loop.scheduled).isEmpty();
    rig.advance(60_000);
    rig.deliver();
    rig.advance(4_999);
    assertThat(rig.ended()).as("counted from the new one").isFalse();
    rig.advance(1);
    assertThat(rig.ended()).isTrue();
  }

  @Test
  void endedChannelDoesNotTimeOut() {
    Rig rig = new Rig(5_000);
    rig.deliver();
    rig.advance(1_000);
    rig.shard.run(rig.timeout::stop);
    rig.advance(60_000);
    assertThat(rig.ended()).isFalse();
  }

  /** More seconds than there are notes: they lie further apart, and the time is nearly as exact. */
  @Test
  void consumerTimeoutOfHoursIsNearlyExact() {
    long hours = 3 * 3_600_000L;
    Rig rig = new Rig(hours);
    long oldest = rig.deliver();
    for (int second = 0; second < 10_000; second++) {
      rig.advance(1_000);
      rig.settle(rig.deliver());
      rig.deliver();
    }
    assertThat(rig.unacked.contains(oldest)).isTrue();
    rig.advance(hours - 10_000_000 - 1);
    assertThat(rig.ended()).isFalse();
    rig.advance(1 + 10 * LATE_MILLIS);
    assertThat(rig.ended()).isTrue();
  }

  /** Random deliveries and acknowledgements, against the time of each. */
  @Property(tries = 300)
  void consumerTimeoutIsNeverEarlyOrLate(@ForAll long seed) {
    Random random = new Random(seed);
    long millis = 1_000L + random.nextInt(10_000);
    Rig rig = new Rig(millis);
    TreeMap<Long, Long> deliveredAt = new TreeMap<>();
    long now = 0;
    long oldestSince = 0;
    while (!rig.ended() && now < 120_000) {
      if (random.nextInt(3) > 0) {
        deliveredAt.put(rig.deliver(), now);
      } else if (!deliveredAt.isEmpty()) {
        List<Long> tags = List.copyOf(deliveredAt.keySet());
        long tag = tags.get(random.nextInt(4) == 0 ? random.nextInt(tags.size()) : 0);
        rig.settle(tag);
        deliveredAt.remove(tag);
      }
      oldestSince = deliveredAt.isEmpty() ? Long.MAX_VALUE : deliveredAt.firstEntry().getValue();
      long step = random.nextInt(random.nextInt(8) == 0 ? 5_000 : 400);
      rig.advance(step);
      now += step;
      if (rig.ended()) {
        assertThat(rig.endedAt - oldestSince).isBetween(millis, millis + LATE_MILLIS);
      } else if (!deliveredAt.isEmpty()) {
        assertThat(now - oldestSince).isLessThan(millis + LATE_MILLIS);
      }
    }
  }
}
