package io.mayflymq.core.vhost.queue;

/**
 * The node that a queue is on that is not local.
 *
 * @param <Q> queues
 */
public interface OwningNode<Q> {
  /** Returns the name of the node, such as {@code b@host}. Any thread may call. */
  String node();

  /**
   * Sends commands there. They come back by one of their methods, whatever happens. Within a burst
   * of the queue's shard.
   */
  void send(RemoteCommands<Q> commands);

  /**
   * Returns the local queue that does the work of a replicated queue while this node leads its
   * partition; else the queue itself. Any thread may call.
   */
  default Q nearest(Q queue) {
    return queue;
  }
}
