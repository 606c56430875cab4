package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueLifecycle;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Start and end of a queue on this node. Any thread may call. */
final class LocalLifecycle implements QueueLifecycle {
  private final LocalQueueState state;
  private final QueueMachine machine;
  private final Shard shard;
  private final QueueDeletion deletion;
  private final LocalMoves moves;

  LocalLifecycle(LocalQueueState state, QueueDeletion deletion, LocalMoves moves) {
    this.state = state;
    this.machine = state.machine();
    this.shard = state.shard();
    this.deletion = deletion;
    this.moves = moves;
  }

  @Override
  public void start() {
    if (state.kept() != null) {
      shard.runOrExecute(
          () -> {
            moves.start();
            deletion.end();
          });
    } else if (hasMessagesOrLease()) {
      shard.runOrExecute(moves::start);
    }
  }

  @Override
  public void rest() {
    if (hasMessagesOrLease()) {
      shard.runOrExecute(moves::rest);
    }
  }

  @Override
  public void order(Arrivals arrivals) {
    moves.order(arrivals);
  }

  /** Whether there can be anything in the queue when it is recovered. */
  private boolean hasMessagesOrLease() {
    return state.queue().definition().durable() || machine.settings().lease().expiresMillis() > 0;
  }

  @Override
  public void discard() {
    moves.discard();
  }

  @Override
  public void abandon() {
    deletion.abandon();
  }

  @Override
  public CompletableFuture<DeclaredQueue> status(boolean renewsLease) {
    return state.serve(
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
        });
  }

  @Override
  public CompletableFuture<Long> delete(boolean ifUnused, boolean ifEmpty, Actor actor) {
    return state.serve(
        () ->
            state.isThere()
                ? deletion.delete(ifUnused, ifEmpty, actor)
                : state.deletionOver().thenApply(over -> 0L));
  }

  @Override
  public void keep(long deletedAtMillis) {
    deletion.keep(deletedAtMillis);
    shard.runOrExecute(
        () -> {
          if (moves.hasBegun()) {
            deletion.end();
          }
        });
  }

  @Override
  public void forget() {
    shard.runOrExecute(deletion::forget);
  }

  @Override
  public CompletableFuture<Void> deleteWithVhost() {
    return deletion.end();
  }

  @Override
  public void endWithParent() {
    deletion.end();
  }

  @Override
  public CompletableFuture<Void> moveTo(Queue successor, Supplier<CompletableFuture<Void>> change) {
    return moves.moveTo(successor, change);
  }

  @Override
  public void awaitOutcome() {
    moves.awaitOutcome();
  }

  @Override
  public void stay() {
    moves.stay();
  }

  @Override
  public void leave(Queue successor) {
    moves.leave(successor);
  }

  @Override
  public void arrive() {
    moves.arrive();
  }
}
