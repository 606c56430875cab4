package io.mayflymq.server.management.cluster;

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When numbers of queues are read, and when those are used again that were read before. */
class QueueNumbersTest {
  private static final long COST = TimeUnit.MILLISECONDS.toNanos(100);

  private final Broker broker =
      new Broker(
          new Partitions(
              new Shards(List.of(new ManualEventLoop()), InstantSource.system(), Faults.logged()),
              (partition, shard) -> new InMemoryStore()),
          new InMemoryMetadataLog(),
          InstantSource.system(),
          "/");
  private final VirtualHost vhost = broker.createVirtualHost(VhostDefinition.of("/"));
  private long nanos;
  private long cost = COST;
  private int read;
  private final QueueNumbers numbers =
      new QueueNumbers(
          () -> nanos,
          done -> {
            done.join();
            nanos += cost;
            read++;
          });

  private List<Queue> queues(int count) {
    for (int i = 0; i < count; i++) {
      vhost
          .declareQueue(
              new QueueDeclaration(
                  "q" + i,
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
    return new ArrayList<>(vhost.routing().queues());
  }

  private Object[] told(List<Queue> queues, String field) {
    Object[] keys = new Object[queues.size()];
    numbers.tell(queues, List.of(0), field, keys);
    return keys;
  }

  @Test
  void oneReadingServesAllFieldsForFiftyTimesItsCost() {
    List<Queue> queues = queues(2);
    assertThat(told(queues, "messages")).containsExactly(0L, null);
    assertThat(told(queues, "consumers")).containsExactly(0L, null);
    nanos += 50 * COST - 1;
    told(queues, "memory");
    assertThat(read).isOne();
    nanos++;
    told(queues, "memory");
    assertThat(read).isEqualTo(2);
  }

  @Test
  void anotherListOrACheapOneIsReadAnew() {
    List<Queue> queues = queues(1);
    told(queues, "messages");
    told(new ArrayList<>(queues), "messages");
    assertThat(read).isEqualTo(2);
    cost = TimeUnit.MILLISECONDS.toNanos(1);
    List<Queue> cheap = new ArrayList<>(queues);
    told(cheap, "messages");
    told(cheap, "messages");
    assertThat(read).isEqualTo(4);
  }
}
