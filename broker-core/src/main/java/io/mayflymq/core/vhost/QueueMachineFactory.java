package io.mayflymq.core.vhost;

import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.QueueType;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.ShardStore;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.stream.StreamMachine;

/** Makes what a queue of each type behaves as, with its part of the shard's store. */
final class QueueMachineFactory {
  private QueueMachineFactory() {}

  /**
   * Makes it.
   *
   * @param queue whose behaviour it is; all but its machine is there
   * @param effects what it does to the world
   */
  static QueueMachine of(
      Queue queue, QueueSettings settings, Shards shards, QueueEffects effects, long nowMillis) {
    Shard shard = queue.shard();
    ShardStore store = shards.store(shard);
    if (settings.type() != QueueType.STREAM) {
      return new ClassicQueueMachine(
          settings,
          shards.pages(shard),
          store.open(queue.id(), nameOf(queue), queue.definition().durable()),
          effects,
          nowMillis);
    }
    StreamStore log = store.openStream(queue.id(), nameOf(queue));
    StreamMachine stream = new StreamMachine(settings, log, effects);
    log.attach(
        () -> {
          if (!queue.isDeleted()) {
            stream.safe(shard.now());
          }
        });
    return stream;
  }

  /** What stores know a queue by beside its id. */
  static QueueName nameOf(Queue queue) {
    return new QueueName(queue.vhost().name(), queue.name());
  }
}
