package io.mayflymq.core.vhost;

import io.mayflymq.core.event.Actor;

/** Where a change of a virtual host comes from. */
final class Origin {
  /** The broker, as something was unused for too long. */
  static final Origin EXPIRY = new Origin(null, Actor.BROKER);

  /** What was kept before this process. */
  static final Origin RECOVERY = new Origin(null, Actor.BROKER);

  private final Object connection;
  private final Actor actor;

  private Origin(Object connection, Actor actor) {
    this.connection = connection;
    this.actor = actor;
  }

  /** Returns the origin of what a connection, or an administrator, requests. */
  static Origin of(Object connection) {
    return new Origin(connection, Actor.of(connection));
  }

  /** Returns the origin of what an actor does who has no connection. */
  static Origin of(Actor actor) {
    return new Origin(null, actor);
  }

  /** Returns the connection that exclusive queues belong to, or null. */
  Object connection() {
    return connection;
  }

  /** Returns who did it, for events. */
  Actor actor() {
    return actor;
  }

  /** Returns whether the change happens now, so that events tell of it. */
  boolean isNew() {
    return this != RECOVERY;
  }

  /** Returns whether the change uses the ends of a binding, which renews their leases. */
  boolean isUse() {
    return this != RECOVERY && this != EXPIRY;
  }
}
