package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.partition.Partitions;
import java.util.List;

/** The publishers of dead letters of a broker, one for each partition. Any thread may call. */
public final class DeadLetterPublishers {
  private final List<DeadLetterPublisher> all;

  /** Creates them, before there is any queue. */
  public DeadLetterPublishers(Partitions partitions) {
    this.all =
        partitions.all().stream()
            .map(partition -> new DeadLetterPublisher(partition, partitions))
            .toList();
    partitions.all().forEach(partition -> partition.setOutbox(of(partition)));
  }

  /** Returns that of a partition; its methods are called within bursts of the partition's shard. */
  public DeadLetterPublisher of(Partition partition) {
    return all.get(partition.index());
  }
}
