package io.mayflymq.core.vhost.queue.remote;

import io.mayflymq.core.link.LinkListener;
import io.mayflymq.core.link.LinkPort;
import io.mayflymq.core.runtime.Shard;

/** Opens connections to the nodes that lead replicated partitions. */
@FunctionalInterface
public interface PartitionConnector {
  /** A connection, which is opened again whenever it is lost, until it is ended. */
  @FunctionalInterface
  interface Connection {
    /** Ends it. Called in a burst of the shard, once; nothing more needs to be told of it. */
    void end();
  }

  /**
   * Opens a connection to a node, which may be this one, and opens it again whenever it is lost.
   * Called in a burst of the shard.
   *
   * @param node its name
   * @param partition the number of the partition
   * @param shard which the connection belongs to
   * @param listener told of each incarnation in bursts of the shard: that it is up, its frames, and
   *     that it was lost or could not be opened. Never called within a call of this method or of
   *     {@link LinkPort#send}
   */
  Connection connect(String node, int partition, Shard shard, LinkListener listener);
}
