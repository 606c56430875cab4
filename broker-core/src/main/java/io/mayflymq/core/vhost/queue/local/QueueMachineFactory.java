package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.stream.StreamMachine;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.function.BooleanSupplier;

/**
 * Creates the machine of a queue, with its part of the partition's store.
 *
 * @param queue the queue
 * @param effects what the machine brings about
 */
record QueueMachineFactory(Queue queue, QueueEffects effects) {
  /** Creates the machine of a queue that was deleted, and is brought back. */
  QueueMachine of(KeptMessages deleted, QueueSettings settings, long nowMillis) {
    return new ClassicQueueMachine(deleted.machine(), settings, effects, nowMillis);
  }

  /**
   * Creates the machine for the queue's type.
   *
   * @param isThere whether the queue is not deleted
   */
  QueueMachine create(QueueSettings settings, long nowMillis, BooleanSupplier isThere) {
    Partition partition = queue.partition();
    PartitionStore store = partition.store();
    if (settings.type() != QueueType.STREAM) {
      return new ClassicQueueMachine(
          settings,
          partition.pages(),
          store.open(queue.id(), queue.storeName(), queue.kept()),
          () -> store.open(StoreIds.ofRemoved(queue.id()), queue.storeName(), queue.kept()),
          () -> store.open(StoreIds.ofStops(queue.id()), queue.storeName(), queue.kept()),
          effects,
          nowMillis);
    }
    StreamStore log = store.openStream(queue.id(), queue.storeName());
    StreamMachine stream = new StreamMachine(settings, log, effects);
    log.attach(
        () -> {
          if (isThere.getAsBoolean()) {
            stream.safe(queue.partition().now());
          }
        });
    return stream;
  }
}
