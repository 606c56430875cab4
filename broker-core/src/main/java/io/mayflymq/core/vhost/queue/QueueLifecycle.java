package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.queue.Consumer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * How the virtual host starts and ends one of its queues. Any thread may call; the work is done on
 * the queue's shard.
 */
public interface QueueLifecycle {
  /**
   * Sets the timers of a new queue, or of one that has been recovered, and lets in what was held.
   * Does nothing if the queue was started before.
   */
  void start();

  /** A queue that has been recovered expires nothing, and holds what arrives, until it starts. */
  void rest();

  /** Lets consumers join in another order than that in which they come. */
  interface Arrivals {
    /** Returns whether consumers join as they come. */
    boolean isOver();

    /**
     * A consumer comes; only if it is not over.
     *
     * @param join lets it join the queue, now or later
     */
    void come(Consumer consumer, Runnable join);

    /** Returns whether a consumer had come and had not joined yet: it will not. */
    boolean leave(Consumer consumer);
  }

  /** Consumers join as is decided elsewhere, until that is over. On the queue's shard. */
  void order(Arrivals arrivals);

  /** Discards a queue whose declaration could not be made safe. */
  void discard();

  /**
   * Returns what a redeclaration reports; null if the queue was being deleted, which is decided
   * now.
   *
   * @param renewsLease whether that is a use of the queue
   */
  CompletableFuture<DeclaredQueue> status(boolean renewsLease);

  /**
   * Deletes the queue, and returns how many ready messages went with it when that is safe. If it
   * cannot be made safe, the queue stays.
   *
   * @param ifUnused fails with 406 if there are consumers
   * @param ifEmpty fails with 406 if messages are ready
   * @param actor who wants it
   */
  CompletableFuture<Long> delete(boolean ifUnused, boolean ifEmpty, Actor actor);

  /**
   * Ends a queue that can be brought back, and keeps its messages until {@link #forget}, or until a
   * queue with its number takes them over. One that has not started keeps them from then on.
   *
   * @param deletedAtMillis when it was deleted, in ms since the epoch
   */
  void keep(long deletedAtMillis);

  /** A deleted queue cannot be brought back any more: what it has kept goes. */
  void forget();

  /** Ends a queue whose virtual host is deleted: whatever it has goes with it. */
  CompletableFuture<Void> deleteWithVhost();

  /** Ends a dead letter queue whose queue is deleted. */
  void endWithParent();

  /**
   * This node leads the partition of a replicated queue no more: what arrives does nothing. Its
   * messages stay in the log. On the queue's shard.
   */
  void abandon();

  // Moving

  /**
   * Moves the queue: its messages are copied while it serves, and at last it holds what arrives.
   *
   * @param successor the copy
   * @param change makes the copy the queue, on all nodes; called when the copy is complete
   * @return done when it has moved; fails with 406 if it stays, and with another error if it is not
   *     known whether it does: then it holds what arrives until {@link #stay} or {@link #leave}
   */
  CompletableFuture<Void> moveTo(Queue successor, Supplier<CompletableFuture<Void>> change);

  /**
   * Nothing is known of a move that an earlier process has begun: the queue serves nothing before
   * {@link #stay} or {@link #leave}. Or this is the copy of a queue that is being moved.
   */
  void awaitOutcome();

  /** A move is over, and the queue stays here. */
  void stay();

  /**
   * The queue is at another place from now on: what arrives here is sent on, the consumers join it
   * there, and its messages here are dropped.
   */
  void leave(Queue successor);

  /**
   * The queue is here from now on: the copy of another place begins to serve. Does nothing if it
   * serves.
   */
  void arrive();
}
