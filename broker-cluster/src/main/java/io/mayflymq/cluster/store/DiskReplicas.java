package io.mayflymq.cluster.store;

import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.disk.DiskStores;

/**
 * The replicas of partitions in the data directory of this node. Any thread may call, one at a time
 * for each partition, when the stores of the shards have been created.
 */
public final class DiskReplicas {
  private final DiskStores stores;

  /**
   * Creates it.
   *
   * @param stores those of the shards, beside which the replicas are
   */
  public DiskReplicas(DiskStores stores) {
    this.stores = stores;
  }

  /**
   * Opens a replica as that of a follower; an empty one if there is none yet. Reads the indexes of
   * its log, and may take long.
   *
   * @param time that of the partition, which is set to what it was; its shard does the work
   * @param rules what is known of its streams
   * @throws StoreException if it cannot be read, or a part of it is missing
   */
  public DiskReplica open(int partition, PartitionTime time, StreamRules rules) {
    return new DiskReplica(stores, partition, time, rules);
  }

  /**
   * Deletes a replica that is not open; does nothing if there is none.
   *
   * @throws StoreException if that fails; it may be called again
   */
  public void delete(int partition) {
    stores.replica(partition).delete();
  }
}
