package io.mayflymq.cluster.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.TestBroker;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What the home of a replicated queue is told of a queue that is discarded. */
class DiscardedQueueTest {
  private static final int PARTITION = 5;

  private final TestBroker broker = TestBroker.of(1);
  private final List<Queue> deleted = new ArrayList<>();
  private final PartitionLink link =
      new PartitionLink(UUID.randomUUID(), PARTITION, 0, broker.partitions, new Host());

  private final class Host implements PartitionHost {
    @Override
    public Connection connect(String node, int partition, Shard shard, LinkListener listener) {
      throw new AssertionError(node);
    }

    @Override
    public void deleted(Queue queue) {
      deleted.add(queue);
    }
  }

  private Queue queue() {
    Queue declared = broker.declare("q");
    QueuePlace place = QueuePlace.replicated(PARTITION);
    return RemoteQueue.create(
        new QueueIdentity(declared.id(), declared.definition(), null, place), broker.vhost, link);
  }

  @Test
  void deletedQueueWithTheNumberOfOneThatIsNotDeclaredStays() {
    queue().lifecycle().discard();
    broker.trimMemory();
    assertThat(deleted).isEmpty();
  }

  @Test
  void copyThatIsNotNeededGoes() {
    Queue copy = queue();
    copy.lifecycle().awaitOutcome();
    copy.lifecycle().discard();
    broker.trimMemory();
    assertThat(deleted).containsExactly(copy);
  }
}
