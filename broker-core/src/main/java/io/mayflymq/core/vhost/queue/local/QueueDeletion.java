package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.partition.LeaseEnds;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.LockedMessages;
import io.mayflymq.core.vhost.queue.Preconditions;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * How a queue goes: what has to happen before it may, and what becomes of it if it cannot.
 *
 * <p>First its messages are dead-lettered, if they are to be (DrainOnDelete). Then it is removed
 * from the virtual host, which takes as long as it takes to write that down; the queue is in
 * service meanwhile. Only when that is safe does it lose its consumers and what it holds. If it
 * cannot be written the queue stays, and what the broker itself wanted (the end of a lease, of an
 * auto-delete queue) is tried again a second later.
 *
 * <p>Belongs to the queue's shard.
 */
final class QueueDeletion {
  /** When it is tried again to remove what could not be removed. */
  private static final long RETRY_MILLIS = 1_000;

  private static final CompletableFuture<Boolean> AT_ONCE = CompletableFuture.completedFuture(true);

  private final LocalQueueState state;
  private final QueueMachine machine;
  private final Shard shard;
  private final MachineEffects effects;
  private final Runnable whenDeleted;
  private DrainOnDelete current;

  /** Whether the lease has ended, and others go first, or this node may lead no more. */
  private boolean waits;

  /**
   * Prepares it.
   *
   * @param effects the timer of the machine, which stops in the end
   * @param whenDeleted run when the queue is deleted
   */
  QueueDeletion(LocalQueueState state, MachineEffects effects, Runnable whenDeleted) {
    this.state = state;
    this.machine = state.machine();
    this.shard = state.shard();
    this.effects = effects;
    this.whenDeleted = whenDeleted;
  }

  /**
   * Deletes the queue, once its messages are dead letters if they are to be.
   *
   * @param ifUnused refuses with 406 if there are consumers
   * @param ifEmpty refuses with 406 if messages are ready
   * @return how many were ready; fails if it could not be made safe that the queue has gone
   */
  CompletableFuture<Long> delete(boolean ifUnused, boolean ifEmpty, Actor actor) {
    if (ifUnused && machine.consumerCount() > 0) {
      throw Preconditions.precondition(state.queue(), "in use");
    }
    if (ifEmpty && (machine.readyCount() > 0 || state.hidden().waiting().messages() > 0)) {
      throw Preconditions.precondition(state.queue(), "not empty");
    }
    long count = machine.readyCount();
    return decide(() -> drainAndRemove(DropTrigger.DELETION, actor), this::wake)
        .thenApply(done -> count);
  }

  /**
   * The last consumer of an auto-delete queue has gone.
   *
   * @return done when the queue has gone too, or cannot go now
   */
  CompletableFuture<Void> deleteUnused() {
    return decide(() -> drainAndRemove(DropTrigger.DELETION, Actor.BROKER), this::wakeIfUnused)
        .exceptionally(failure -> null);
  }

  private void wakeIfUnused() {
    wake();
    if (state.isThere() && machine.consumerCount() == 0) {
      deleteUnused();
    }
  }

  /** The lease has ended: the queue goes, unless it is about to. */
  void leaseEnded() {
    if (current != null || waits || state.isDeletionDecided() || state.queue().holdsRequests()) {
      return;
    }
    Partition partition = state.queue().partition();
    if (!partition.mayEndLeases()) {
      waits = true;
      shard.loop().schedule(() -> shard.run(this::goesOn), RETRY_MILLIS);
      return;
    }
    if (isDrainedFor(DropTrigger.EXPIRES)) {
      // Takes as long as its messages do, and nothing waits for that.
      partition.counts().leaseEnded();
      drainAndRemove(DropTrigger.EXPIRES, Actor.BROKER);
    } else if (partition.leaseEnds().begin(this::goesOn)) {
      partition.counts().leaseEnded();
      goInTurn(partition.leaseEnds());
    } else {
      waits = true;
    }
  }

  private void goInTurn(LeaseEnds turns) {
    CompletableFuture<Void> gone;
    try {
      gone = drainAndRemove(DropTrigger.EXPIRES, Actor.BROKER);
    } catch (RuntimeException | Error e) {
      turns.over(); // Others wait for that, however it ends.
      throw e;
    }
    gone.whenComplete((done, failure) -> shard.runOrExecute(turns::over));
  }

  /** It may have been used meanwhile. */
  private void goesOn() {
    waits = false;
    wake();
  }

  private boolean isDrainedFor(DropTrigger cause) {
    return machine.settings().deadLetters().areWantedOn(cause.reason()) && !isEmpty();
  }

  private CompletableFuture<Void> drainAndRemove(DropTrigger cause, Actor actor) {
    return begin(cause)
        .thenCompose(mayGo -> mayGo ? remove(actor) : CompletableFuture.completedFuture(null));
  }

  private CompletableFuture<Void> remove(Actor actor) {
    return state.isDeletionDecided()
        ? removeNow(actor)
        : decide(() -> removeNow(actor), this::wake);
  }

  /** The queue is in service until its removal is safe, and has its messages until then. */
  private CompletableFuture<Void> removeNow(Actor actor) {
    return state.queue().vhost().remove(state.queue(), actor).thenCompose(safe -> end());
  }

  /** Notes until the end that the queue is about to go. */
  private CompletableFuture<Void> decide(
      Supplier<CompletableFuture<Void>> departure, Runnable ifItStays) {
    CompletableFuture<Void> decided = new CompletableFuture<>();
    state.setDeletion(decided);
    CompletableFuture<Void> gone;
    try {
      gone = departure.get();
    } catch (RuntimeException | Error e) {
      decided(decided, false, ifItStays);
      throw e;
    }
    gone.whenComplete(
        (done, failure) -> shard.runOrExecute(() -> decided(decided, failure == null, ifItStays)));
    return gone;
  }

  private void decided(CompletableFuture<Void> decided, boolean goes, Runnable ifItStays) {
    state.setDeletion(null);
    if (!goes && !state.isDeleted()) {
      setCurrent(null);
      shard.loop().schedule(() -> shard.run(ifItStays), RETRY_MILLIS);
    }
    decided.complete(null);
  }

  /** It stays, so its timers go on. */
  private void wake() {
    if (state.isThere()) {
      machine.onTimer(state.now());
    }
  }

  /**
   * Begins to take leave: consumers are cancelled and messages dead-lettered, if that is wanted.
   *
   * @return whether the queue may go now: not if it was used meanwhile, or it has gone
   */
  private CompletableFuture<Boolean> begin(DropTrigger cause) {
    overtake();
    if (!isDrainedFor(cause)) {
      return AT_ONCE;
    }
    DrainOnDelete begun = new DrainOnDelete(state, cause);
    setCurrent(begun);
    return begun
        .begin(this::dismissConsumers)
        .whenComplete((mayGo, failure) -> stays(begun, failure != null || !mayGo));
  }

  private boolean isEmpty() {
    return machine.totals().messages() == 0 && state.hidden().scheduled().messages() == 0;
  }

  private void overtake() {
    if (current != null) {
      current.overtake();
      setCurrent(null);
    }
  }

  private void setCurrent(DrainOnDelete drain) {
    current = drain;
    state.setDraining(drain != null);
  }

  /**
   * The queue is deleted, and can be brought back. Any thread may call, before {@link #end}.
   *
   * @param deletedAtMillis when it was deleted, in ms since the epoch
   */
  void keep(long deletedAtMillis) {
    state.setKept(new KeptMessages(state, deletedAtMillis, this::end));
  }

  /** It cannot be brought back any more. On the queue's shard. */
  void forget() {
    KeptMessages kept = state.kept();
    if (kept == null) {
      end();
    } else {
      state.keptIsOver();
      kept.dispose();
    }
  }

  /** Ends the queue, which is in no table any more. Any thread may call. */
  CompletableFuture<Void> end() {
    return shard.call(
        () -> {
          if (!state.isDeleted()) {
            state.setDeleted();
            whenDeleted.run();
            effects.stop();
            machine.consumers().forEach(consumer -> consumer.outlet().cancelled(consumer));
            endDrain();
          }
          return null;
        });
  }

  /** Stops, and leaves the messages in the log. */
  void abandon() {
    if (state.kept() != null) {
      state.keptIsOver();
      state.kept().stop();
    }
    if (!state.isDeleted()) {
      state.setDeleted();
      overtake();
      effects.stop();
      state.hidden().suspend();
    }
  }

  /** Messages that arrived while the removal was written are dead-lettered like those before. */
  private void endDrain() {
    DrainOnDelete last = current;
    overtake();
    if (last != null && last.isOver() && !isEmpty()) {
      last.takeRest();
      state.partitions().whenSafe(shard, this::dispose);
    } else {
      dispose();
    }
  }

  /**
   * Millions of messages go some at a time. What a redrive holds back may be in another queue by
   * now, which is waited for.
   */
  private void dispose() {
    KeptMessages kept = state.kept();
    if (kept != null) {
      LockedMessages move = state.move();
      if (move == null) {
        kept.begin();
      } else {
        move.whenNoneIsHeld(() -> shard.run(kept::begin));
      }
      return;
    }
    if (machine.disposeSome() || state.hidden().disposeSome()) {
      shard.executeLater(this::dispose);
      return;
    }
    machine.dispose();
    state.hidden().dispose();
  }

  private void dismissConsumers() {
    for (Consumer consumer : machine.consumers()) {
      consumer.outlet().cancelled(consumer);
      machine.cancel(consumer, state.now());
    }
  }

  private void stays(DrainOnDelete given, boolean here) {
    if (here && current == given) {
      setCurrent(null);
      machine.onTimer(state.now());
    }
  }
}
