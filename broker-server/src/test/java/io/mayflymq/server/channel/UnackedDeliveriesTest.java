package io.mayflymq.server.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.queue.Consumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The ring of unsettled deliveries, compared with a sorted map of delivery tags. */
class UnackedDeliveriesTest {
  private record Outstanding(DeliverySource source, long sequence) {}

  private record Run(DeliverySource source, long from, long to) {}

  private final UnackedDeliveries ring = new UnackedDeliveries(bytes -> {});
  private final TreeMap<Long, Outstanding> model = new TreeMap<>();

  @Test
  void consecutiveDeliveriesOfOneSourceAreSettledAsOneRun() {
    DeliverySource a = source(false);
    DeliverySource b = source(false);
    ring.add(a, 10);
    ring.add(a, 11);
    ring.add(b, 12);
    ring.skip();
    ring.add(a, 13);
    ring.add(a, 14);
    ring.add(a, 20);

    List<Run> runs = new ArrayList<>();
    ring.settleThrough(Long.MAX_VALUE, (source, from, to) -> runs.add(new Run(source, from, to)));

    assertThat(runs)
        .containsExactly(
            new Run(a, 10, 11), new Run(b, 12, 12), new Run(a, 13, 14), new Run(a, 20, 20));
    assertThat(ring.count()).isZero();
  }

  /** Ten thousand make the ring grow; the last one to leave makes it small again. */
  @Test
  void deliveriesAreRequeuedInTheOrderOfTheQueue() {
    DeliverySource a = source(false);
    for (long sequence : new long[] {12, 13, 17, 11, 16}) {
      ring.add(a, sequence);
    }
    List<Run> runs = new ArrayList<>();
    ring.settleThroughInQueueOrder(4, (source, from, to) -> runs.add(new Run(source, from, to)));

    assertThat(runs).containsExactly(new Run(a, 11, 11), new Run(a, 12, 13), new Run(a, 17, 17));
    assertThat(ring.count()).isEqualTo(1);
  }

  @Test
  void deliveriesAreSettledOneByOneInDescendingOrder() {
    DeliverySource source = source(false);
    long tags = 10_000;
    for (long tag = 1; tag <= tags; tag++) {
      ring.add(source, 3 * tag);
    }
    List<Run> runs = new ArrayList<>();
    for (long tag = tags; tag >= 1; tag--) {
      ring.settle(tag, (from, first, last) -> runs.add(new Run(from, first, last)));
    }

    assertThat(runs).hasSize((int) tags);
    assertThat(runs.get(0)).isEqualTo(new Run(source, 3 * tags, 3 * tags));
    assertThat(runs.get((int) tags - 1)).isEqualTo(new Run(source, 3, 3));
    assertThat(ring.add(source, 1)).isEqualTo(tags + 1);
    assertThat(ring.contains(tags + 1)).isTrue();
    assertThat(ring.count()).isEqualTo(1);
  }

  @Property
  void unackedDeliveriesBehaveLikeASortedMap(@ForAll long seed) {
    // jqwik makes one instance for all tries.
    new UnackedDeliveriesTest().compare(seed);
  }

  private void compare(long seed) {
    Random random = new Random(seed);
    List<DeliverySource> sources = List.of(source(false), source(true), source(false));
    long next = 1;
    for (int step = 0; step < 400; step++) {
      switch (random.nextInt(6)) {
        case 0 -> assertThat(ring.skip()).isEqualTo(next++);
        case 1, 2, 3 -> {
          DeliverySource source = sources.get(random.nextInt(sources.size()));
          assertThat(ring.add(source, step)).isEqualTo(next);
          model.put(next++, new Outstanding(source, step));
        }
        case 4 -> settleOne(random, next);
        default -> settleMany(random.nextLong(next + 2));
      }
      assertThat(ring.count()).isEqualTo(model.size());
      assertThat(ring.lastTag()).isEqualTo(next - 1);
      assertThat(ring.countOfConsumers())
          .isEqualTo((int) model.values().stream().filter(o -> !o.source.fetched()).count());
    }
  }

  private void settleOne(Random random, long next) {
    long tag = random.nextLong(next + 2);
    assertThat(ring.contains(tag)).isEqualTo(model.containsKey(tag));
    Outstanding expected = model.remove(tag);
    if (expected != null) {
      ring.settle(
          tag,
          (source, from, to) -> {
            assertThat(source).isSameAs(expected.source);
            assertThat(from).isEqualTo(expected.sequence).isEqualTo(to);
          });
    }
  }

  private void settleMany(long last) {
    List<Long> tags = new ArrayList<>();
    ring.forEachThrough(last, tags::add);
    Map<Long, Outstanding> expected = model.headMap(last, true);
    assertThat(tags).containsExactlyElementsOf(expected.keySet());
    List<Outstanding> settled = new ArrayList<>();
    ring.settleThrough(
        last,
        (source, from, to) -> {
          for (long sequence = from; sequence <= to; sequence++) {
            settled.add(new Outstanding(source, sequence));
          }
        });
    assertThat(settled).containsExactlyElementsOf(expected.values());
    expected.clear();
  }

  private static DeliverySource source(boolean fetched) {
    return new DeliverySource(null, Consumer.ofGet(), fetched);
  }
}
