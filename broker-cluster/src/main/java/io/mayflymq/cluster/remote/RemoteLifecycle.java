package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueLifecycle;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A queue of another node, as its virtual host here sees it. Its start and end are its home node's.
 */
final class RemoteLifecycle implements QueueLifecycle {
  private final Queue queue;
  private final RemoteRequests requests;
  private final QueueLink link;

  /** Whether its home node was told of it as a copy. Within the lock of the virtual host. */
  private boolean isAwaited;

  RemoteLifecycle(Queue queue, RemoteRequests requests, QueueLink link) {
    this.queue = queue;
    this.requests = requests;
    this.link = link;
  }

  @Override
  public void start() {
    link.declared(queue);
  }

  @Override
  public void rest() {}

  /**
   * A queue that was never declared has nothing at its home node; but a deleted one that it was to
   * bring back has its number there, and stays what it is.
   */
  @Override
  public void discard() {
    if (isAwaited) {
      link.deleted(queue);
    }
  }

  @Override
  public CompletableFuture<DeclaredQueue> status(boolean renewsLease) {
    return requests.ask(
        RequestKind.STATUS,
        out -> out.bit(renewsLease),
        in -> in.bit() ? new DeclaredQueue(queue.name(), in.number(), in.integer()) : null);
  }

  @Override
  public CompletableFuture<Long> delete(boolean ifUnused, boolean ifEmpty, Actor actor) {
    return requests.ask(
        new LinkRequest<>(
                queue,
                RequestKind.DELETE,
                out ->
                    out.bit(ifUnused)
                        .bit(ifEmpty)
                        .text(actor.user())
                        .text(actor.pid())
                        .text(actor.inWords()),
                ByteReader::number)
            .orIfGone(0L));
  }

  @Override
  public void keep(long deletedAtMillis) {
    link.kept(queue, deletedAtMillis);
  }

  @Override
  public void forget() {
    link.deleted(queue);
  }

  @Override
  public CompletableFuture<Void> deleteWithVhost() {
    link.deleted(queue);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void endWithParent() {
    link.deleted(queue);
  }

  @Override
  public void order(Arrivals arrivals) {}

  @Override
  public void abandon() {}

  // Moving: the home node does it

  @Override
  public CompletableFuture<Void> moveTo(Queue successor, Supplier<CompletableFuture<Void>> change) {
    return CompletableFuture.failedFuture(OwnerErrors.onlyAtHome("move_queue", queue, link.node()));
  }

  @Override
  public void awaitOutcome() {
    isAwaited = true;
    link.awaited(queue);
  }

  @Override
  public void stay() {}

  @Override
  public void leave(Queue successor) {
    queue
        .shard()
        .runOrExecute(
            () -> {
              queue.gate().leave(successor);
              link.consumers().moved(queue);
            });
  }

  @Override
  public void arrive() {
    link.arrived(queue);
  }
}
