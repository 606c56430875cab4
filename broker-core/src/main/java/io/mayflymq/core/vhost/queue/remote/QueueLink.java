package io.mayflymq.core.vhost.queue.remote;

import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHome;

/**
 * The way from a shard to queues that are not on this node. On the shard only, but for the name.
 */
interface QueueLink extends QueueHome<Queue> {
  /**
   * Asks a queue, now or when there is a connection. If the queue cannot be asked, the answer fails
   * with 404.
   */
  void ask(LinkRequest<?> request);

  /** Returns the consumers here of queues there. */
  RemoteConsumers consumers();
}
