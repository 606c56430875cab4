package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.Queue;

/** What a node has of a replicated partition besides the way to its leader. */
@FunctionalInterface
public interface PartitionHost {
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

  /**
   * Returns the queue that does the work of one in the routing tables while this node leads; while
   * it does not, the one in the tables. Any thread may call.
   */
  default Queue nearest(Queue queue) {
    return queue;
  }

  /** A queue of the partition is in force. Within a burst of the shard; perhaps more than once. */
  default void declared(Queue queue) {}

  /** A queue is being moved to the partition: its copy serves nothing yet. Within a burst. */
  default void awaited(Queue copy) {}

  /** A queue has moved to the partition: its copy is the queue now. Within a burst. */
  default void arrived(Queue queue) {}

  /**
   * A queue of the partition is deleted, and what it has is kept until {@link #deleted}, or until
   * it is {@link #declared} again. Within a burst of the shard.
   *
   * @param deletedAtMillis when it was deleted, in ms since the epoch
   */
  default void kept(Queue queue, long deletedAtMillis) {}

  /** A queue of the partition is deleted. Within a burst of the shard; perhaps more than once. */
  default void deleted(Queue queue) {}
}
