package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.event.Actor;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.settings.LeaseUse;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.QueueLifecycle;
import java.util.concurrent.CompletableFuture;

/** Start and end of a queue on this node. Any thread may call. */
final class LocalLifecycle implements QueueLifecycle {
  private final LocalQueueState state;
  private final QueueMachine machine;
  private final Shard shard;
  private final QueueDeletion deletion;

  LocalLifecycle(LocalQueueState state, QueueDeletion deletion) {
    this.state = state;
    this.machine = state.machine();
    this.shard = state.shard();
    this.deletion = deletion;
  }

  @Override
  public void start() {
    if (state.queue().definition().durable() || machine.settings().lease().expiresMillis() > 0) {
      shard.runOrExecute(
          () -> {
            machine.start(shard.now());
            state.hidden().start();
          });
    }
  }

  @Override
  public void discard() {
    shard.runOrExecute(machine::dispose);
  }

  @Override
  public CompletableFuture<DeclaredQueue> status(boolean renewsLease) {
    return shard
        .call(
            () -> {
              if (!state.isThere()) {
                return state.deletionOver().<DeclaredQueue>thenApply(over -> null);
              }
              if (renewsLease) {
                state.used(LeaseUse.DECLARE);
              }
              return CompletableFuture.completedFuture(
                  new DeclaredQueue(
                      state.queue().name(), machine.readyCount(), machine.consumerCount()));
            })
        .thenCompose(status -> status);
  }

  @Override
  public CompletableFuture<Long> delete(boolean ifUnused, boolean ifEmpty, Actor actor) {
    return shard
        .call(
            () ->
                state.isThere()
                    ? deletion.delete(ifUnused, ifEmpty, actor)
                    : state.deletionOver().thenApply(over -> 0L))
        .thenCompose(deleted -> deleted);
  }

  @Override
  public CompletableFuture<Void> deleteWithVhost() {
    return deletion.end();
  }

  @Override
  public void endWithParent() {
    deletion.end();
  }
}
