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
 * Where all administrative changes go. They are made one at a time, under the lock of this object,
 * and are in force once they are safe, in the same order. A change is checked against what is
 * {@link #proposed}: what is in force and what is being written; what people are shown is what is
 * in force.
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

  /** Where it is told what changes, unless {@link #change} does so. */
  ChangeEvents events() {
    return events;
  }

  /** What is in force. */
  AdministrationState current() {
    return states.current();
  }

  /** The same with what is being written. With the lock held. */
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

  /** Begins with what was kept. */
  synchronized void restore(AdministrationState kept) {
    states.restore(kept);
    accessControl.publish(kept.security());
  }

  /**
   * Keeps a change, and tells of it when it is in force. With the lock held.
   *
   * @param next the state after it, made from {@link #proposed}
   * @return done when it is in force; fails if it could not be made safe, and nothing has changed
   */
  CompletableFuture<Void> change(AdministrationState next, Administrative command) {
    SecurityState before = proposed().security();
    return change(next, List.of(command), () -> events.changed(before, command));
  }

  /**
   * The same for commands that are kept together.
   *
   * @param effects what happens when the change is in force
   */
  CompletableFuture<Void> change(
      AdministrationState next, List<? extends MetadataCommand> commands, Runnable effects) {
    return states.propose(next, commands, () -> inForce(next, effects));
  }

  /** The same for a change that something else keeps. */
  CompletableFuture<Void> changeWith(
      AdministrationState next, CompletableFuture<Void> kept, Runnable effects) {
    return states.proposeWith(next, kept, () -> inForce(next, effects));
  }

  private void inForce(AdministrationState next, Runnable effects) {
    accessControl.publish(next.security());
    effects.run();
  }

  /**
   * Answers a request under the lock. An error that may come from something that is being written
   * is told, through the future then, only if it stays when that is decided.
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

  /** Nothing is to be changed, if what that was found from comes into force; else asks again. */
  <T> CompletableFuture<T> unchanged(T answer, Supplier<CompletableFuture<T>> request) {
    return states.isSettled() ? CompletableFuture.completedFuture(answer) : later(request);
  }

  /** Asks again when what is proposed now is in force or undone. */
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
