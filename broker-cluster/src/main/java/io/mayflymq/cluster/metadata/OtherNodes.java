package io.mayflymq.cluster.metadata;

import java.util.concurrent.CompletableFuture;

/** The other nodes of the cluster, as far as they can be reached. */
@FunctionalInterface
public interface OtherNodes {
  /**
   * Waits until an entry is in force on all of them. Any thread may call.
   *
   * @param index its place in the log
   * @return done when it is, or when a node has not answered for some time
   */
  CompletableFuture<Void> await(long index);
}
