package io.mayflymq.core.admin;

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

  ChangeLog(MetadataLog log, AccessControl accessControl) {
    this.log = log;
    this.accessControl = accessControl;
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

  /** Keeps a change. With the lock held. */
  CompletableFuture<Void> append(Administrative command) {
    return log.append(command);
  }

  /** Makes a state decide from now on, and keeps the change that led to it. With the lock held. */
  CompletableFuture<Void> change(SecurityState next, Administrative command) {
    publish(next);
    return append(command);
  }
}
