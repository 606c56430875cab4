package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.ChangeOrdering;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;

/** The cluster of a broker, as its virtual hosts see it. Any thread may call. */
public interface Cluster extends ChangeOrdering {
  /** Returns the number of this member. */
  int member();

  /**
   * Returns where a new queue is to be.
   *
   * @param here where it would be on this member
   */
  QueuePlace placeOf(QueueDefinition queue, QueuePlace here);

  /** Returns what stands here for a queue that is on another member. */
  Queue remote(QueueIdentity identity, QueuePlace place, QueueHost vhost);
}
