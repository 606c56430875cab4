package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.metadata.CommittedState;
import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Expectation;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeleted;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Credentials;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.ObjectLimits;
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
  /** The origin of changes that were requested on this node. */
  private static final Object HERE = new Object();

  /** The part of the memory of metadata that administrative definitions may take. */
  private static final int PART_OF_METADATA = 4;

  /** The definitions of a small broker have room, whatever the limits are. */
  private static final long LEAST_BYTES = 64 << 10;

  private final CommittedState<AdministrationState> states;
  private final AccessControl accessControl;
  private final Broker broker;
  private final ParameterComponents components = new ParameterComponents();
  private final ChangeEffects effects;

  ChangeLog(MetadataLog log, AccessControl accessControl, Broker broker, Sessions sessions) {
    this.accessControl = accessControl;
    this.broker = broker;
    this.states = new CommittedState<>(this, log, AdministrationState.of(accessControl.state()));
    this.effects = new ChangeEffects(broker, sessions, components);
    broker.countAdministration(() -> current().bytes());
  }

  /** Returns the parts of the broker that have parameters. */
  ParameterComponents components() {
    return components;
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
   * Requests a change that has been checked against {@link #proposed}. With the lock held.
   *
   * @param commands what is changed, as a unit
   * @return completed when it is effective; fails if it could not be made safe, and then nothing
   *     has changed
   * @throws AdministrationException NO_ROOM
   */
  CompletableFuture<Void> request(List<? extends MetadataCommand> commands) {
    requireRoom(commands);
    return broker
        .cluster()
        .map(cluster -> cluster.propose(commands, HERE))
        .orElseGet(() -> applyNow(commands, broker.events()));
  }

  private void requireRoom(List<? extends MetadataCommand> commands) {
    AdministrationState after = proposed();
    for (MetadataCommand command : commands) {
      after = after.after(command);
    }
    if (after.bytes() > Math.max(proposed().bytes(), LEAST_BYTES)) {
      ObjectLimits limits = broker.limits();
      long most = limits.bytes() / PART_OF_METADATA;
      if (after.bytes() > most) {
        throw AdministrationException.noRoom(
            "metadata limit of users, permissions, virtual hosts and parameters (%d bytes) is reached",
            most);
      }
      if (broker.routingBytes() + after.bytes() > limits.bytes()) {
        throw AdministrationException.noRoom(
            "metadata limit in cluster (%d bytes) is reached", limits.bytes());
      }
    }
  }

  CompletableFuture<Void> request(MetadataCommand command) {
    return request(List.of(command));
  }

  /**
   * Carries out commands whose turn has come.
   *
   * @param events is told of it
   * @return completed when they are effective; fails with {@link UndoneException} if they do not
   *     fit
   */
  synchronized CompletableFuture<Void> apply(
      List<? extends MetadataCommand> commands, BrokerEvents events) {
    AdministrationState state = proposed();
    for (MetadataCommand command : commands) {
      if (!state.fits(command)) {
        return CompletableFuture.failedFuture(
            new UndoneException("a change that came first excludes " + command));
      }
      state = state.after(command);
    }
    return applyNow(commands, events);
  }

  private CompletableFuture<Void> applyNow(
      List<? extends MetadataCommand> commands, BrokerEvents events) {
    AdministrationState before = proposed();
    AdministrationState next = before;
    for (MetadataCommand command : commands) {
      next = next.after(command);
    }
    AdministrationState after = next;
    Runnable inForce =
        () -> {
          accessControl.publish(after.security());
          effects.inForce(before, after, commands, new ChangeEvents(events));
        };
    return commands.get(0) instanceof VhostDeleted deleted
        ? states.proposeWith(after, broker.virtualHost(deleted.vhost()).delete(), inForce)
        : states.propose(after, written(commands), inForce);
  }

  private static List<MetadataCommand> written(List<? extends MetadataCommand> commands) {
    return commands.stream()
        .filter(command -> !(command instanceof Expectation))
        .<MetadataCommand>map(command -> command)
        .toList();
  }

  /**
   * Carries out a request under the lock. An error that may be caused by a change that is being
   * written is reported only if it remains when that change is finished, and then through the
   * future.
   */
  <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> request) {
    return CommittedState.retrying(
        () -> {
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
        });
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
