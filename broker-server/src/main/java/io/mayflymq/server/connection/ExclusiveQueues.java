package io.mayflymq.server.connection;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Slices;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.channel.ConnectionIdentity;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The exclusive queues of a connection, which are deleted when it ends. Used on the connection's
 * loop only.
 */
final class ExclusiveQueues {
  private final Set<String> names = new LinkedHashSet<>();

  /** Adds a queue that was declared, or is about to be. */
  void add(String name) {
    names.add(name);
  }

  /**
   * Deletes the queues, some at a time. Within a burst of the connection's shard.
   *
   * @param open the connection; null if it was never open, and so has none
   * @return done when all are deleted
   */
  CompletableFuture<Void> deleteAll(Shard home, VirtualHost vhost, ConnectionInfo open) {
    List<String> all = List.copyOf(names);
    names.clear();
    List<CompletableFuture<Long>> deletions = new ArrayList<>(all.size());
    return Slices.of(home, all, name -> deletions.add(delete(name, vhost, open.identity())))
        .thenCompose(
            begun -> CompletableFuture.allOf(deletions.toArray(CompletableFuture<?>[]::new)));
  }

  private static CompletableFuture<Long> delete(
      String name, VirtualHost vhost, ConnectionIdentity owner) {
    Queue found = vhost.routing().queue(name);
    // The queue may be deleted already, or belong to another connection because the declaration
    // failed.
    return found == null || found.owner() != owner
        ? CompletableFuture.completedFuture(0L)
        : vhost.deleteQueue(name, owner, false, false);
  }
}
