package io.mayflymq.cluster.replication;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.core.runtime.Shard;
import java.util.UUID;

/** Opens connections to the queues of replicated partitions. Any thread may call. */
@FunctionalInterface
public interface QueueConnector {
  /**
   * Opens a connection to the queues of a partition, and opens it again soon whenever it is lost or
   * refused, until it is ended.
   *
   * @param node the number of another node, which is believed to lead the partition
   * @param shard which the connection belongs to
   * @param listener told of it, in bursts of the shard: {@link LinkListener#up} when the other node
   *     has said that it leads, {@link LinkListener#lost} when the connection is lost and after
   *     each attempt that has failed
   */
  ReplicaCluster.Connection connectQueues(
      int node, int partition, Shard shard, LinkListener listener);

  /** Returns an id that no other process of any node has for its way to a partition. */
  default UUID newLinkId() {
    return UUID.randomUUID();
  }
}
