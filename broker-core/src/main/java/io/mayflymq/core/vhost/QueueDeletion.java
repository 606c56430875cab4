package io.mayflymq.core.vhost;

import io.mayflymq.core.event.Actor;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.consumer.Consumer;
import io.mayflymq.core.runtime.Shard;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/*
 * How a queue goes: what has to happen before it may, and what becomes of it if it cannot.
 *
 * First its messages are dead-lettered, if they are to be (Farewell). Then it is removed from the virtual host, which takes as long as it takes to
 * write that down; the queue is in service meanwhile. Only when that is safe does it lose its consumers and what it holds. If it cannot be
 * written the queue stays, and what the broker itself wanted (the end of a lease, of an auto-delete queue) is tried again a second later.
 *
 * Belongs to the queue's shard.
 */
final class QueueDeletion {
  /** When it is tried again to remove what could not be removed. */
  private static final long RETRY_MILLIS = 1_000;

  private static final CompletableFuture<Boolean> AT_ONCE = CompletableFuture.completedFuture(true);

  private final Queue queue;
  private final QueueMachine machine;
  private final Shard shard;
  private final Shards shards;
  private final Function<Actor, CompletableFuture<Void>> removal;
  private DrainOnDelete current;

  /** Done when it has gone, or stays after all; null unless it is about to go for good. */
  private CompletableFuture<Void> over;

  /**
   * Prepares it.
   *
   * @param removal removes the queue; done when it has ended
   */
  QueueDeletion(
      Queue queue,
      QueueMachine machine,
      Shards shards,
      Function<Actor, CompletableFuture<Void>> removal) {
    this.queue = queue;
    this.machine = machine;
    this.shard = queue.shard();
    this.shards = shards;
    this.removal = removal;
  }

  /** Whether the deletion is decided: no use of the queue cancels it any more. */
  boolean isDecided() {
    return over != null;
  }

  /** Done when that is over: the queue has gone, or stays. */
  CompletableFuture<Void> over() {
    return over == null ? CompletableFuture.completedFuture(null) : over;
  }

  /**
   * Deletes the queue, once its messages are dead letters if they are to be.
   *
   * @param ifUnused refuses with 406 if there are consumers
   * @param ifEmpty refuses with 406 if messages are ready
   * @return how many were ready; fails if it could not be made safe that the queue has gone
   */
  CompletableFuture<Long> leave(boolean ifUnused, boolean ifEmpty, Actor actor) {
    if (ifUnused && machine.consumerCount() > 0) {
      throw Preconditions.precondition(queue, "in use");
    }
    if (ifEmpty && (machine.readyCount() > 0 || queue.hasWaitingDeadLetters())) {
      throw Preconditions.precondition(queue, "not empty");
    }
    long count = machine.readyCount();
    return decide(() -> part(DropTrigger.DELETION, actor), this::look).thenApply(done -> count);
  }

  /**
   * The last consumer of an auto-delete queue has gone.
   *
   * @return done when the queue has gone too, or cannot go now
   */
  CompletableFuture<Void> leaveUnused() {
    return decide(() -> part(DropTrigger.DELETION, Actor.BROKER), this::lookWhetherUnused)
        .exceptionally(failure -> null);
  }

  private void lookWhetherUnused() {
    look();
    if (!queue.isDeleted() && over == null && machine.consumerCount() == 0) {
      leaveUnused();
    }
  }

  /** Whether the queue is about to go, for whatever reason. */
  boolean hasBegun() {
    return current != null;
  }

  /** The lease has ended: the queue goes, unless it is about to. */
  void leaseEnded() {
    if (current == null && over == null) {
      part(DropTrigger.EXPIRES, Actor.BROKER);
    }
  }

  private CompletableFuture<Void> part(DropTrigger cause, Actor actor) {
    return begin(cause).thenCompose(mayGo -> mayGo ? remove(actor) : VirtualHost.done());
  }

  private CompletableFuture<Void> remove(Actor actor) {
    return over != null ? removal.apply(actor) : decide(() -> removal.apply(actor), this::look);
  }

  /** Notes until the end that the queue is about to go. */
  private CompletableFuture<Void> decide(
      Supplier<CompletableFuture<Void>> departure, Runnable ifItStays) {
    CompletableFuture<Void> decided = new CompletableFuture<>();
    over = decided;
    CompletableFuture<Void> gone = departure.get();
    gone.whenComplete(
        (done, failure) ->
            shard.runOrExecute(
                () -> {
                  over = null;
                  if (failure != null && !queue.isDeleted()) {
                    current = null;
                    shard.loop().schedule(() -> shard.run(ifItStays), RETRY_MILLIS);
                  }
                  decided.complete(null);
                }));
    return gone;
  }

  /** It stays, so its timers go on. */
  private void look() {
    if (!queue.isDeleted() && over == null) {
      machine.onTimer(shard.now());
    }
  }

  /**
   * Begins to take leave: consumers are cancelled and messages dead-lettered, if that is wanted.
   *
   * @return whether the queue may go now: not if it was used meanwhile, or it has gone
   */
  private CompletableFuture<Boolean> begin(DropTrigger cause) {
    overtake();
    if (!machine.settings().deadLetters().areWantedOn(cause.reason()) || isEmpty()) {
      return AT_ONCE;
    }
    DrainOnDelete begun = new DrainOnDelete(queue, machine, cause, shards);
    current = begun;
    return begun
        .begin(this::dismissConsumers)
        .whenComplete((mayGo, failure) -> stays(begun, failure != null || !mayGo));
  }

  private boolean isEmpty() {
    return machine.totals().messages() == 0
        && (queue.schedule == null || queue.schedule.totals().messages() == 0);
  }

  private void overtake() {
    if (current != null) {
      current.overtake();
      current = null;
    }
  }

  /**
   * The queue has gone. Messages that came while that was written follow those before them.
   *
   * @param dispose removes what it holds
   */
  void end(Runnable dispose) {
    DrainOnDelete last = current;
    overtake();
    if (last != null && last.isOver() && !isEmpty()) {
      last.takeRest();
      shards.whenSafe(shard, dispose);
    } else {
      dispose.run();
    }
  }

  private void dismissConsumers() {
    for (Consumer consumer : machine.consumers()) {
      consumer.outlet().cancelled(consumer);
      machine.cancel(consumer, shard.now());
    }
  }

  private void stays(DrainOnDelete given, boolean here) {
    if (here && current == given) {
      current = null;
      machine.onTimer(shard.now());
    }
  }
}
