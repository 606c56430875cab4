package io.mayflymq.cluster.partition;

import io.mayflymq.cluster.store.StreamRules;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * The streams of a partition by the routing tables of this node. These may be behind those of the
 * leader: a stream may have messages here before this node knows that it was declared. Queues get
 * ascending numbers, so it is not taken for a deleted one.
 *
 * @param queues those of the partition in the routing tables
 */
record StreamsOfTables(Broker broker, Supplier<Collection<Queue>> queues) implements StreamRules {
  @Override
  public QueueSettings settingsOf(long queueId) {
    Queue queue = find(queueId);
    return queue == null ? null : queue.vhost().settingsOf(queue.definition());
  }

  @Override
  public boolean isDeleted(long queueId) {
    long last = broker.lastQueueId();
    return queueId <= last && find(queueId) == null;
  }

  private Queue find(long queueId) {
    return queues.get().stream().filter(queue -> queue.id() == queueId).findAny().orElse(null);
  }
}
