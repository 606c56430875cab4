package io.mayflymq.cluster.partition;

import io.mayflymq.core.vhost.ReplicaState;

/** Looks at replicas while nothing runs. */
public final class ReplicaLook {
  private ReplicaLook() {}

  /** Returns what the replica of a partition on a node knows; null if there is none. */
  public static ReplicaState state(ReplicaManager replicas, int partition) {
    ReplicaSnapshot kept = replicas.partition(partition).kept();
    return kept == null || !kept.isOpen() ? null : kept.figures().state();
  }

  /** Returns whether a node is to keep a replica of a partition, which is closed. */
  public static boolean isClosed(ReplicaManager replicas, int partition) {
    ReplicaSnapshot kept = replicas.partition(partition).kept();
    return kept != null && !kept.isOpen();
  }
}
