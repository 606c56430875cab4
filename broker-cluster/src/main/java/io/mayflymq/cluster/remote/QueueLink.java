package io.mayflymq.cluster.remote;

import io.mayflymq.core.vhost.queue.OwningNode;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * The way from a shard to queues that are not on this node. On the shard only, but for the name.
 */
interface QueueLink extends OwningNode<Queue> {
  /**
   * Asks a queue, now or when there is a connection. If the queue cannot be asked, the answer fails
   * with 404.
   */
  void ask(LinkRequest<?> request);

  /** The client of an answer is told as late as that of a request that fails, at the latest. */
  default void completeInTime(CompletableFuture<Void> answer) {}

  /** A queue is in force. Any thread may call; perhaps more than once. */
  default void declared(Queue queue) {}

  /** The copy of a queue is made there, and serves nothing yet. Any thread may call. */
  default void awaited(Queue copy) {}

  /** A queue has moved there: its copy is the queue now. Any thread may call. */
  default void arrived(Queue queue) {}

  /** A queue is deleted. Any thread may call; perhaps more than once. */
  default void deleted(Queue queue) {}

  /**
   * A queue is deleted and can be brought back: what it has is kept there. Any thread may call.
   *
   * @param deletedAtMillis when it was deleted, in ms since the epoch
   */
  default void kept(Queue queue, long deletedAtMillis) {}

  /** Returns the consumers here of queues there. */
  RemoteConsumers consumers();
}
