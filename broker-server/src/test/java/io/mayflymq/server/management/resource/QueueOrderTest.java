package io.mayflymq.server.management.resource;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.channel.ManualEventLoop;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the order of queues in lists that are requested by page. */
class QueueOrderTest {
  private static final QueueOrder.By SIZE = new QueueOrder.By("size", false);

  private final Broker broker =
      new Broker(
          new Partitions(
              new Shards(List.of(new ManualEventLoop()), InstantSource.system(), Faults.logged()),
              (partition, shard) -> new InMemoryStore()),
          new InMemoryMetadataLog(),
          InstantSource.system(),
          "/");
  private final VirtualHost first = broker.createVirtualHost(VhostDefinition.of("/"));
  private final VirtualHost second = broker.createVirtualHost(VhostDefinition.of("orders"));
  private long nanos;
  private final Map<String, Integer> sizes = new HashMap<>();
  private final QueueOrder order = new QueueOrder(() -> nanos);
  private long costNanos;
  private int asked;

  private List<Object> keys(List<Queue> queues, String field) {
    asked++;
    nanos += costNanos;
    return queues.stream().<Object>map(queue -> sizes.get(queue.name())).toList();
  }

  private void declare(VirtualHost vhost, String name, int size) {
    sizes.put(name, size);
    vhost
        .declareQueue(
            new QueueDeclaration(
                name,
                false,
                false,
                false,
                FieldTable.EMPTY,
                this,
                broker.shards().get(0),
                false,
                true))
        .join();
  }

  private List<String> names(QueueOrder.By by) {
    return order.of(List.of(first, second), by, this::keys).stream().map(Queue::name).toList();
  }

  @Test
  void ordersByNameWithoutAskingQueues() {
    declare(second, "a", 1);
    declare(first, "c", 2);
    declare(first, "b", 3);
    assertThat(names(new QueueOrder.By("", false))).containsExactly("b", "c", "a");
    assertThat(names(new QueueOrder.By("name", false))).containsExactly("a", "b", "c");
    assertThat(names(new QueueOrder.By("name", true))).containsExactly("c", "b", "a");
    assertThat(asked).isZero();
  }

  @Test
  void ordersByAFieldOfThisMomentWhileThatCostsLittle() {
    declare(first, "a", 2);
    declare(first, "b", 1);
    assertThat(names(SIZE)).containsExactly("b", "a");
    sizes.put("a", 0);
    assertThat(names(SIZE)).containsExactly("a", "b");
    assertThat(names(new QueueOrder.By("size", true))).containsExactly("b", "a");
  }

  @Test
  void usesAnOrderAgainForFiftyTimesItsCost() {
    declare(first, "a", 2);
    declare(first, "b", 1);
    costNanos = TimeUnit.MILLISECONDS.toNanos(400);
    assertThat(names(SIZE)).containsExactly("b", "a");
    sizes.put("a", 0);
    nanos += 50 * costNanos - 1;
    assertThat(names(SIZE)).containsExactly("b", "a");
    assertThat(asked).isOne();
    nanos++;
    assertThat(names(SIZE)).containsExactly("a", "b");
  }

  @Test
  void ordersAnewWhenAQueueWasDeclared() {
    declare(first, "a", 2);
    costNanos = TimeUnit.MILLISECONDS.toNanos(400);
    assertThat(names(SIZE)).containsExactly("a");
    declare(second, "b", 1);
    assertThat(names(SIZE)).containsExactly("b", "a");
  }

  @Test
  void ordersByWholeNumbersAsByAnyOthers() {
    Random random = new Random(1);
    for (int i = 0; i < 100; i++) {
      declare(i % 3 == 0 ? first : second, "q" + i, random.nextInt(9));
    }
    Long[] offsets = {0L, -5L, Long.MAX_VALUE - 9, Long.MIN_VALUE};
    for (long offset : offsets) {
      for (boolean reverse : new boolean[] {false, true}) {
        QueueOrder.By by = new QueueOrder.By("size", reverse);
        List<Queue> expected = order.of(List.of(first, second), by, this::keys);
        assertThat(order.of(List.of(first, second), by, (queues, field) -> longs(queues, offset)))
            .isEqualTo(expected);
      }
    }
    sizes.put("q7", Integer.MAX_VALUE);
    assertThat(
            order.of(
                List.of(first, second),
                new QueueOrder.By("size", true),
                (queues, field) ->
                    longs(queues, 0).stream()
                        .<Object>map(key -> (Long) key > 9 ? Long.MAX_VALUE : -(Long) key)
                        .toList()))
        .startsWith(second.routing().queue("q7"));
  }

  private List<Object> longs(List<Queue> queues, long offset) {
    return queues.stream().<Object>map(queue -> sizes.get(queue.name()) + offset).toList();
  }
}
