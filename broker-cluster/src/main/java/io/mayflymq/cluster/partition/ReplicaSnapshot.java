package io.mayflymq.cluster.partition;

/**
 * A replica that a node is to keep, by the assignment of its partition, at one moment.
 *
 * @param partition the number of its partition
 * @param figures how it is; null while it is closed, as its disk is full or has failed
 */
public record ReplicaSnapshot(int partition, ReplicaStats figures) {
  /** Returns whether it is open. */
  public boolean isOpen() {
    return figures != null;
  }
}
