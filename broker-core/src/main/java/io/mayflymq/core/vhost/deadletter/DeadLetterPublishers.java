package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.partition.Partitions;

/** The publishers of dead letters of a broker, one for each partition. Any thread may call. */
public final class DeadLetterPublishers {
  private final Partitions partitions;

  /** Creates them, before there is any queue. */
  public DeadLetterPublishers(Partitions partitions) {
    this.partitions = partitions;
    partitions
        .all()
        .forEach(
            partition ->
                partition.setOutbox(new DeadLetterPublisher(partition, partitions, false)));
  }

  /** Creates that of a replicated partition that this node leads, before any queue in it. */
  public void addLed(Partition partition) {
    partition.setOutbox(new DeadLetterPublisher(partition, partitions, true));
  }

  /** Returns that of a partition; its methods are called within bursts of the partition's shard. */
  public DeadLetterPublisher of(Partition partition) {
    return (DeadLetterPublisher) partition.outbox();
  }
}
