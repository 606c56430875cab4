package io.mayflymq.cluster.owner;

import io.mayflymq.core.vhost.queue.Queue;

/** Finds queues of this node for other nodes. Any thread may call. */
public interface QueueLookup {
  /** Returns a queue; null if there is none with this name and number. */
  Queue find(String vhost, String name, long id);

  /**
   * Returns whether a queue that was not found may still come: its declaration is in force on
   * another node and not on this one yet.
   */
  boolean mayCome(String vhost, String name, long id);
}
