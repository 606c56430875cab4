package io.mayflymq.core.vhost.partition;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.PartitionStore;

/** Creates the store of each partition. */
@FunctionalInterface
public interface StoreFactory {
  /**
   * Creates a store.
   *
   * @param partition the number of the partition, from 0
   * @param shard the only shard that uses the store
   */
  PartitionStore create(int partition, Shard shard);
}
