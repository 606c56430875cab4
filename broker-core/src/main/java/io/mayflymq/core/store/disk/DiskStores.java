package io.mayflymq.core.store.disk;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.PartitionStreams;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.segment.FileGate;
import java.util.UUID;
import java.util.function.LongSupplier;

/** Creates the stores of the shards. */
public final class DiskStores {
  /** A replica that leads gets this part of the memory that the messages of a shard may take. */
  private static final int LEADERS = 4;

  private final StoreOptions options;
  private final StoreFiles files;

  /**
   * Describes the stores; files are opened for each shard.
   *
   * @param threads creates the threads that wait for the disk
   * @param gate through which all changes of files pass
   */
  public DiskStores(
      StoreOptions options, StoreAlarms alarms, BrokerThreads threads, FileGate gate) {
    this(options, new LocalStorageEnvironment(options.directory(), threads, gate), alarms);
  }

  DiskStores(StoreOptions options, StorageEnvironment host, StoreAlarms alarms) {
    this.options = options;
    this.files = new StoreFiles(options, host, alarms);
  }

  /**
   * Sets which metadata these messages belong to. To be called before the first store is created.
   *
   * @param directory the id of the data directory
   * @param sequence returns the sequence number of the last change of metadata that is durable;
   *     called by any thread
   */
  public void belongTo(UUID directory, LongSupplier sequence) {
    files.belongTo(directory, sequence);
  }

  /**
   * Creates the store of a partition. Those of all partitions are created before any of them is
   * used, the first one first.
   *
   * @throws StoreException if its directory cannot be made, or files are missing
   */
  public PartitionStore create(int partition, Shard shard) {
    if (partition == 0) {
      files.begin();
    }
    return create(
        new ShardLog(partition, files),
        shard,
        1,
        (store, burst) -> new ShardStreams(partition, shard, files, burst));
  }

  /**
   * Creates the store of a replica that leads.
   *
   * @param log its log
   * @param streams its streams
   */
  public PartitionStore create(StoreLog log, Shard shard, PartitionStreams.Factory streams) {
    return create(log, shard, LEADERS, streams);
  }

  private PartitionStore create(
      StoreLog log, Shard shard, int sharing, PartitionStreams.Factory streams) {
    long memory = options.memoryBytes() / options.shards() / sharing;
    return new DiskStore(
        log, shard, new DiskStore.MemoryShare(memory, options.contents()), streams);
  }

  /**
   * Returns the files of the replica of a partition. To be called when the stores of the shards
   * have been created.
   */
  public ReplicaFiles replica(int partition) {
    return files.replica(partition);
  }
}
