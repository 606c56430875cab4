package io.mayflymq.cluster.replication;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.runtime.Shard;
import java.util.concurrent.CompletableFuture;

/** The replicas on this node, as the rest of the node reaches them. */
public interface LocalReplicas {
  /**
   * Returns the shard that the connections of a partition belong to on this node, whether it keeps
   * the partition or not. Any thread may call.
   *
   * @param partition its number; another node has sent it, so it need not exist
   */
  Shard shard(int partition);

  /**
   * Returns what takes a connection of a node that leads a partition to the replica on this node.
   * Called on the shard of the partition, in a burst; {@link LinkListener#up} follows in the same
   * burst.
   *
   * @return null if there is no replica here: the connection is refused, and the other node tries
   *     again
   */
  LinkListener acceptLeader(int partition);

  /**
   * Returns what takes a connection of a node to the queues of a partition that this node leads.
   * Called on the shard of the partition, in a burst; {@link LinkListener#up} follows in the same
   * burst.
   *
   * @param node the name of the other node
   * @return null if this node does not lead: the connection is refused, and the other node tries
   *     again
   */
  LinkListener acceptQueues(int partition, String node);

  /**
   * The cluster has agreed upon an assignment. Called once for each partition that there is when
   * the node begins to take part, then for each change, in order and under a lock: must not block.
   */
  void assigned(int partition, Assignment assignment);

  /** The process of a node has ended for sure. Any thread may call. */
  void ended(int node);

  /**
   * Has another replica lead a partition in place of the one on this node. Any thread may call.
   *
   * @param to the number of its node, which is in sync
   * @return whether this node leads: then it does not any more soon
   */
  CompletableFuture<Boolean> handOver(int partition, int to);

  /**
   * Ends leading, before the node stops: nothing of a partition is delivered or confirmed any more
   * when it is done, and this node is no candidate for a leader from now on. The connections are
   * still there meanwhile. Any thread may call; called once.
   *
   * @return done when other nodes lead, or can be elected without this one
   */
  CompletableFuture<Void> release();
}
