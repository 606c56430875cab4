package io.mayflymq.core.queue;

import java.util.function.LongSupplier;

/**
 * When the queues of a partition that have leases were last used, as far as those have to know who
 * would go on with the partition. Implemented where partitions have replicas. On the thread of the
 * partition.
 */
public interface SharedLeases {
  /**
   * Returns for how long a queue has been unused, in ms; 0 if it is in use, or if that is not
   * known.
   */
  long unusedMillis(long queueId);

  /**
   * Notes that a queue was used.
   *
   * @param unusedMillis how long ago; negative if it may be used for so long without a further note
   * @param exactly returns how long ago it was used last, at any time from now on; 0 if it is in
   *     use
   */
  void used(long queueId, long unusedMillis, LongSupplier exactly);

  /** Notes that a queue is in use from now on. */
  void inUse(long queueId);

  /**
   * A queue that is noted to be in use is not any more. That is to be noted later.
   *
   * @param exactly returns how long ago it was used last, at any time from now on; 0 if it is in
   *     use
   */
  void ended(long queueId, LongSupplier exactly);
}
