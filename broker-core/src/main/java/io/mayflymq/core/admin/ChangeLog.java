package io.mayflymq.core.admin;

import io.mayflymq.core.event.BrokerEvents;
import io.mayflymq.core.metadata.MetadataCommand.Administrative;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Credentials;
import io.mayflymq.core.security.SecurityState;
import java.util.concurrent.CompletableFuture;

/**
 * Where all administrative changes go. They are made one at a time, under the lock of this object,
 * so that what is checked still holds when it is changed, and the log has the order of the changes.
 */
final class ChangeLog {
  private final MetadataLog log;
  private final AccessControl accessControl;
  private final ChangeEvents events;

  ChangeLog(MetadataLog log, AccessControl accessControl, BrokerEvents events) {
    this.log = log;
    this.accessControl = accessControl;
    this.events = new ChangeEvents(events);
  }

  /** Where it is told what changes, unless {@link #append} or {@link #change} do so. */
  ChangeEvents events() {
    return events;
  }

  /** Users and permissions as they are. */
  SecurityState state() {
    return accessControl.state();
  }

  boolean verify(Credentials credentials) {
    return accessControl.verify(credentials);
  }

  /** Makes a state decide from now on. With the lock held. */
  void publish(SecurityState next) {
    accessControl.publish(next);
  }

  /** Keeps a change, and tells of it. With the lock held. */
  CompletableFuture<Void> append(Administrative command) {
    events.changed(state(), command);
    return log.append(command);
  }

  /**
   * Makes a state decide from now on, keeps the change that led to it, and tells of it. With the
   * lock held.
   */
  CompletableFuture<Void> change(SecurityState next, Administrative command) {
    SecurityState before = state();
    publish(next);
    events.changed(before, command);
    return log.append(command);
  }
}
