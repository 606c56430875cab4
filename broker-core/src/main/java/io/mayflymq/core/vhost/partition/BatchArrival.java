package io.mayflymq.core.vhost.partition;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a batch of commands leads to in other queues: dead letters, and those that they lead to in
 * turn. It has arrived when the batch, every batch of dead letters that came of it, and all that
 * came of those have been applied by their partitions. Any thread may call.
 *
 * <p>So nothing has to be known of the way: each batch that is handed on is counted before the one
 * that it came of is done.
 */
public final class BatchArrival {
  private final AtomicInteger batches = new AtomicInteger(1);
  private final CompletableFuture<Void> arrived = new CompletableFuture<>();

  /** One more batch is handed to a shard. */
  public void handedOn() {
    batches.incrementAndGet();
  }

  /** A batch has been applied, and what came of it was handed on. */
  public void applied() {
    if (batches.decrementAndGet() == 0) {
      arrived.complete(null);
    }
  }

  /** Done when everything has arrived. */
  public CompletableFuture<Void> arrived() {
    return arrived;
  }
}
