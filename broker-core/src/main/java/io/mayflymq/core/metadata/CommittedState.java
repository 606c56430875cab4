package io.mayflymq.core.metadata;

import io.mayflymq.core.runtime.Causes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A state whose changes become effective once they are durable, and not before.
 *
 * <p>There are two states: the current one, which all readers use, and the proposed one, which also
 * has all changes that are being written. A change is based on the proposed state, so changes that
 * depend on each other need not wait for the disk one by one: many of them share a force. Each
 * change carries the whole state after it, which is immutable and shares what has not changed.
 *
 * <p>Changes become effective in the order in which they were proposed. A change that needs no
 * write, because it affects nothing durable, is effective at once if nothing is being written, and
 * otherwise after the change that it was based on.
 *
 * <p>If a write fails, its change and all changes based on it are undone: the proposed state is the
 * current one again, and their pending writes are withdrawn. The log completes the future of a
 * failed write before it writes anything that was appended later, so no change that was based on
 * the failed one can become effective. A change that needed no write itself fails with
 * UndoneException then: it was refused because of another change, and may be requested again.
 *
 * <p>The side effects of a change (events, counters, starting a queue) run when it becomes
 * effective, under the lock, in the same order. Futures are completed after the lock was released.
 */
public final class CommittedState<S> {
  private static final Logger LOGGER = LoggerFactory.getLogger(CommittedState.class);

  /**
   * The change was based on one that could not be made durable, or on a state that is out of date;
   * it may be requested again.
   */
  public static final class UndoneException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Another change came first. */
    public UndoneException(String excludedBy) {
      super(excludedBy, null, false, false);
    }

    UndoneException(Throwable cause) {
      super(cause.getMessage(), cause, false, false);
    }
  }

  private static final class Change<S> {
    final S next;
    final Runnable effects;

    /** Null if nothing had to be written. */
    final CompletableFuture<Void> write;

    final CompletableFuture<Void> done = new CompletableFuture<>();

    Change(S next, Runnable effects, CompletableFuture<Void> write) {
      this.next = next;
      this.effects = effects;
      this.write = write;
    }

    boolean mayTakeEffect() {
      return write == null || (write.isDone() && !write.isCompletedExceptionally());
    }
  }

  private final Object lock;
  private final MetadataLog log;
  private final Deque<Change<S>> underWay = new ArrayDeque<>();
  private S proposed;
  private volatile S current;

  /**
   * Starts with a state.
   *
   * @param lock guards proposals; held by callers of {@link #proposed} and {@link #propose}
   * @param log where changes are written
   */
  public CommittedState(Object lock, MetadataLog log, S initial) {
    this.lock = lock;
    this.log = log;
    this.proposed = initial;
    this.current = initial;
  }

  /** Returns the current state. Any thread may call. */
  public S current() {
    return current;
  }

  /** The state with all changes that are being written. With the lock held. */
  public S proposed() {
    return proposed;
  }

  /** Whether nothing is being written. With the lock held. */
  public boolean isSettled() {
    return underWay.isEmpty();
  }

  /**
   * Completes, never exceptionally, when all presently proposed changes are effective or undone.
   */
  public CompletableFuture<Void> settled() {
    synchronized (lock) {
      return underWay.isEmpty()
          ? CompletableFuture.completedFuture(null)
          : underWay.peekLast().done.handle((done, failure) -> null);
    }
  }

  /** Sets the recovered state before the first proposal. With the lock held. */
  public void restore(S kept) {
    if (!underWay.isEmpty()) {
      throw new IllegalStateException("changes are under way");
    }
    proposed = kept;
    current = kept;
  }

  /**
   * Proposes a change. With the lock held.
   *
   * @param next the state after it, made from {@link #proposed}
   * @param commands what is to be written, as a unit: after a crash either all of it exists or
   *     none; empty if the change affects nothing durable
   * @param effects runs under the lock when the change becomes effective
   * @return done when the change is in force; fails with a {@link
   *     io.mayflymq.protocol.types.ConnectionException} 541 if it could not be made durable, or
   *     with {@link UndoneException}; then nothing has changed
   * @throws io.mayflymq.protocol.types.ChannelException 406 if it is too large to be written; then
   *     nothing has changed either
   */
  public CompletableFuture<Void> propose(
      S next, List<? extends MetadataCommand> commands, Runnable effects) {
    return commands.isEmpty()
        ? add(new Change<>(next, effects, null))
        : proposeWith(next, log.append(commands), effects);
  }

  /** Does the same for a change that is written elsewhere. */
  public CompletableFuture<Void> proposeWith(
      S next, CompletableFuture<Void> write, Runnable effects) {
    Change<S> change = new Change<>(next, effects, write);
    CompletableFuture<Void> done = add(change);
    write.whenComplete((safe, failure) -> written(change, failure));
    return done;
  }

  private CompletableFuture<Void> add(Change<S> change) {
    proposed = change.next;
    underWay.addLast(change);
    List<CompletableFuture<Void>> inForce = new ArrayList<>();
    advance(inForce);
    inForce.forEach(done -> done.complete(null));
    return change.done;
  }

  private void written(Change<S> change, Throwable failure) {
    List<CompletableFuture<Void>> inForce = new ArrayList<>();
    List<Change<S>> undone = List.of();
    synchronized (lock) {
      if (failure == null) {
        advance(inForce);
      } else if (underWay.contains(change)) {
        undone = undoFrom(change);
      }
    }
    inForce.forEach(done -> done.complete(null));
    for (Change<S> each : undone) {
      if (each.write == null) {
        each.done.completeExceptionally(new UndoneException(failure));
      } else {
        each.write.completeExceptionally(failure); // If it waits to be written, it is withdrawn.
        each.done.completeExceptionally(failure);
      }
    }
  }

  /** Makes changes effective whose turn has come, in order. */
  private void advance(List<CompletableFuture<Void>> inForce) {
    while (!underWay.isEmpty() && underWay.peekFirst().mayTakeEffect()) {
      Change<S> change = underWay.removeFirst();
      current = change.next;
      inForce.add(change.done);
      try {
        change.effects.run();
      } catch (RuntimeException | Error e) {
        LOGGER.error("a change is in force, but something that it brings about failed", e);
      }
    }
  }

  private List<Change<S>> undoFrom(Change<S> failed) {
    List<Change<S>> undone = new ArrayList<>();
    while (undone.isEmpty() || undone.get(undone.size() - 1) != failed) {
      undone.add(underWay.removeLast());
    }
    Collections.reverse(undone);
    proposed = underWay.isEmpty() ? current : underWay.peekLast().next;
    return undone;
  }

  /** Repeats a request that was undone because of another change. Without the lock. */
  public static <T> CompletableFuture<T> retrying(Supplier<CompletableFuture<T>> request) {
    return request
        .get()
        .exceptionallyCompose(
            failure -> {
              Throwable cause = Causes.of(failure);
              return cause instanceof UndoneException
                  ? retrying(request)
                  : CompletableFuture.failedFuture(cause);
            });
  }
}
