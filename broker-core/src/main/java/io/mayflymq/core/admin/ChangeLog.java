package io.mayflymq.core.admin;

import io.mayflymq.core.event.BrokerEvents;
import io.mayflymq.core.metadata.CommittedState;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Administrative;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Credentials;
import io.mayflymq.core.security.SecurityState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Carries out all administrative changes. They are made one at a time, under the lock of this
 * object, and become effective once they are safe, in the same order. A change is checked against
 * the {@link #proposed} state, which includes changes that are being written; users see the current
 * state only.
 */
final class ChangeLog {
  private final CommittedState<AdministrationState> states;
  private final AccessControl accessControl;
  private final ChangeEvents events;

  ChangeLog(MetadataLog log, AccessControl accessControl, BrokerEvents events) {
    this.accessControl = accessControl;
    this.states = new CommittedState<>(this, log, AdministrationState.of(accessControl.state()));
    this.events = new ChangeEvents(events);
  }

  /** Returns the publisher of events, for changes that {@link #change} does not publish itself. */
  ChangeEvents events() {
    return events;
  }

  /** Returns the current state. */
  AdministrationState current() {
    return states.current();
  }

  /** Returns the current state with the changes that are being written. With the lock held. */
  AdministrationState proposed() {
    return states.proposed();
  }

  /** Whether nothing is being written. With the lock held. */
  boolean isSettled() {
    return states.isSettled();
  }

  boolean verify(Credentials credentials) {
    return accessControl.verify(credentials);
  }

  /** Starts with the recovered state. */
  synchronized void restore(AdministrationState kept) {
    states.restore(kept);
    accessControl.publish(kept.security());
  }

  /**
   * Writes a change, and publishes its event when it is effective. With the lock held.
   *
   * @param next the state after it, made from {@link #proposed}
   * @return completed when it is effective; fails if it could not be made safe, and then nothing
   *     has changed
   */
  CompletableFuture<Void> change(AdministrationState next, Administrative command) {
    SecurityState before = proposed().security();
    return change(next, List.of(command), () -> events.changed(before, command));
  }

  /**
   * Does the same for commands that are written together.
   *
   * @param effects runs when the change becomes effective
   */
  CompletableFuture<Void> change(
      AdministrationState next, List<? extends MetadataCommand> commands, Runnable effects) {
    return states.propose(next, commands, () -> inForce(next, effects));
  }

  /** Does the same for a change that is written elsewhere. */
  CompletableFuture<Void> changeWith(
      AdministrationState next, CompletableFuture<Void> kept, Runnable effects) {
    return states.proposeWith(next, kept, () -> inForce(next, effects));
  }

  private void inForce(AdministrationState next, Runnable effects) {
    accessControl.publish(next.security());
    effects.run();
  }

  /**
   * Carries out a request under the lock. An error that may be caused by a change that is being
   * written is reported only if it remains when that change is finished, and then through the
   * future.
   */
  <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> request) {
    synchronized (this) {
      try {
        return request.get();
      } catch (AdministrationException e) {
        if (states.isSettled()) {
          throw e;
        }
      }
    }
    return later(request);
  }

  /**
   * Returns an answer without a change, if the changes on which it is based become effective; else
   * repeats the request.
   */
  <T> CompletableFuture<T> unchanged(T answer, Supplier<CompletableFuture<T>> request) {
    return states.isSettled() ? CompletableFuture.completedFuture(answer) : later(request);
  }

  /** Repeats a request when the presently proposed changes are effective or undone. */
  <T> CompletableFuture<T> later(Supplier<CompletableFuture<T>> request) {
    return states
        .settled()
        .thenCompose(
            settled -> {
              synchronized (this) {
                return request.get();
              }
            });
  }
}
