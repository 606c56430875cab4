package io.mayflymq.core.vhost;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a batch of commands leads to in other queues: dead letters, and those that they lead to in
 * turn. It has arrived when the batch, every batch of dead letters that came of it, and all that
 * came of those have been applied by their shards. Any thread may call.
 *
 * <p>So nothing has to be known of the way: each batch that is handed on is counted before the one
 * that it came of is done.
 */
final class Consequences {
  private final AtomicInteger batches = new AtomicInteger(1);
  private final CompletableFuture<Void> arrived = new CompletableFuture<>();

  /** One more batch is handed to a shard. */
  void handedOn() {
    batches.incrementAndGet();
  }

  /** A batch has been applied, and what came of it was handed on. */
  void applied() {
    if (batches.decrementAndGet() == 0) {
      arrived.complete(null);
    }
  }

  /** Done when everything has arrived. */
  CompletableFuture<Void> arrived() {
    return arrived;
  }
}
