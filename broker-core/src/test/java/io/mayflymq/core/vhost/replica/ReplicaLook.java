package io.mayflymq.core.vhost.replica;

import io.mayflymq.core.replication.ReplicaState;

/** Looks at replicas while nothing runs. */
public final class ReplicaLook {
  private ReplicaLook() {}

  /** Returns what the replica of a partition on a node knows; null if there is none. */
  public static ReplicaState state(PartitionReplicas replicas, int partition) {
    ReplicaFigures figures = replicas.partition(partition).figures();
    return figures == null ? null : figures.state();
  }
}
