package io.mayflymq.core.vhost.queue;

import java.util.concurrent.CompletableFuture;

/**
 * The copy of a queue at the place that it is being moved to. Any thread may call; calls of one
 * thread keep their order.
 */
public interface QueueCopying {
  /**
   * Adds to the copy.
   *
   * @param slice what the old place has written
   * @return done when it is taken; fails if there is no such copy any more, or its node cannot be
   *     reached
   */
  CompletableFuture<Void> add(byte[] slice);

  /**
   * Completes the copy.
   *
   * @param end what the old place has written last
   * @return done when all of the copy is as safe as its messages ask for
   */
  CompletableFuture<Void> complete(byte[] end);
}
