package io.mayflymq.core.vhost;

import io.mayflymq.core.event.Actor;
import io.mayflymq.core.message.DeathCause;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.QueueBehavior;
import io.mayflymq.core.runtime.Shard;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Whether a queue is about to go, and what has to happen before it may. Belongs to the queue's
 * shard.
 */
final class Parting {
  private static final CompletableFuture<Boolean> AT_ONCE = CompletableFuture.completedFuture(true);

  private final Queue queue;
  private final QueueBehavior machine;
  private final Shard shard;
  private final Shards shards;
  private final Function<Actor, CompletableFuture<Long>> delete;
  private Farewell current;

  /**
   * Prepares it.
   *
   * @param delete deletes the queue at once
   */
  Parting(
      Queue queue,
      QueueBehavior machine,
      Shards shards,
      Function<Actor, CompletableFuture<Long>> delete) {
    this.queue = queue;
    this.machine = machine;
    this.shard = queue.shard();
    this.shards = shards;
    this.delete = delete;
  }

  /** Whether the queue goes because somebody wanted that: it is there for nobody else. */
  boolean isWanted() {
    return current != null && current.cause() == DeathCause.DELETION;
  }

  /**
   * Deletes the queue, once its messages are dead letters if they are to be.
   *
   * @return how many were ready
   */
  CompletableFuture<Long> leave(Actor actor) {
    long count = machine.readyCount();
    return part(DeathCause.DELETION, actor).thenApply(gone -> count);
  }

  /** The lease has ended: the queue goes, unless it is about to. */
  void leaseEnded() {
    if (current == null) {
      part(DeathCause.EXPIRES, Actor.BROKER);
    }
  }

  private CompletableFuture<Long> part(DeathCause cause, Actor actor) {
    return begin(cause)
        .thenCompose(mayGo -> mayGo ? delete.apply(actor) : CompletableFuture.completedFuture(0L));
  }

  /**
   * Begins to take leave: consumers are cancelled and messages dead-lettered, if that is wanted.
   *
   * @return whether the queue may go now: not if somebody used it meanwhile, or it has gone
   */
  private CompletableFuture<Boolean> begin(DeathCause cause) {
    end();
    if (!machine.settings().deadLetters().areWantedOn(cause.reason()) || isEmpty()) {
      return AT_ONCE;
    }
    Farewell begun = new Farewell(queue, machine, cause, shards);
    current = begun;
    return begun.begin(this::dismissConsumers).thenApply(mayGo -> mayGo || stays(begun));
  }

  private boolean isEmpty() {
    return machine.totals().messages() == 0
        && (queue.schedule == null || queue.schedule.totals().messages() == 0);
  }

  /** The queue has gone, or goes another way. */
  void end() {
    if (current != null) {
      current.overtake();
      current = null;
    }
  }

  private void dismissConsumers() {
    for (Consumer consumer : machine.consumers()) {
      consumer.outlet().cancelled(consumer);
      machine.cancel(consumer, shard.now());
    }
  }

  private boolean stays(Farewell given) {
    if (current == given) {
      current = null;
      machine.onTimer(shard.now());
    }
    return false;
  }
}
