package io.mayflymq.cluster.store;

import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.disk.ReplicaFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps how far the time of a partition is ahead of the clock on the disk, so that it goes on when
 * all nodes are started again. On the shard's thread.
 */
final class KeptTime {
  private static final Logger LOGGER = LoggerFactory.getLogger(KeptTime.class);

  /** Smaller changes are not written. */
  private static final long TOLERANCE_MILLIS = 50;

  private final ReplicaFiles files;
  private final PartitionTime time;
  private long keptMillis;

  /**
   * Sets the time to what was kept.
   *
   * @throws StoreException if the disk cannot be read
   */
  KeptTime(ReplicaFiles files, PartitionTime time) {
    this.files = files;
    this.time = time;
    this.keptMillis = files.aheadMillis();
    time.setAheadOfMachine(keptMillis);
  }

  /** Writes a change. If the disk does not take it, the next change is written. */
  void keep() {
    long ahead = time.aheadOfMachineMillis();
    if (Math.abs(ahead - keptMillis) > TOLERANCE_MILLIS) {
      keptMillis = ahead;
      try {
        files.keepAhead(ahead);
      } catch (StoreException e) {
        LOGGER.warn("{}", e.getMessage());
      }
    }
  }
}
