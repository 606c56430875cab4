package io.mayflymq.cluster.replication;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.runtime.Shard;

/** The cluster, as a replica on one of its nodes sees it. Any thread may call. */
public interface ReplicaCluster {
  /** A connection to another node, which is opened again whenever it is lost. */
  interface Connection {
    /**
     * Ends it, also if it is not open. {@link LinkListener#lost} follows if it is open or being
     * opened.
     */
    void end();
  }

  /** Returns the number of this node. */
  int self();

  /**
   * Opens a connection to the replica of a partition on another node, and opens it again soon
   * whenever it is lost or refused, until it is ended.
   *
   * @param node the number of that node
   * @param shard which the connection belongs to
   * @param listener told of it, in bursts of the shard: {@link LinkListener#up} when the other node
   *     has said that it keeps the partition, {@link LinkListener#lost} when the connection is lost
   *     and after each attempt that has failed
   */
  Connection connect(int node, int partition, Shard shard, LinkListener listener);

  /**
   * Proposes a change of the assignment of a partition, once. Nothing is done if the same proposal
   * is under way.
   */
  void propose(int partition, AssignmentChange change);

  /** Reports to the node that elects leaders, once, if it can be reached. */
  void report(Leaderless report);
}
