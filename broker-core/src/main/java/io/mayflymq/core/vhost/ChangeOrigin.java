package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.Actor;

/** Where a change of a virtual host comes from. */
final class ChangeOrigin {
  /** The broker, as something was unused for too long. */
  static final ChangeOrigin EXPIRY = new ChangeOrigin(null, Actor.BROKER);

  /** What was kept before this process. */
  static final ChangeOrigin RECOVERY = new ChangeOrigin(null, Actor.BROKER);

  /** Another node of the cluster, where events tell of it. */
  static final ChangeOrigin ELSEWHERE = new ChangeOrigin(null, Actor.BROKER);

  private final Object connection;
  private final Actor actor;

  private ChangeOrigin(Object connection, Actor actor) {
    this.connection = connection;
    this.actor = actor;
  }

  /** Returns the origin of what a connection, or an administrator, requests. */
  static ChangeOrigin of(Object connection) {
    return new ChangeOrigin(connection, Actor.of(connection));
  }

  /** Returns the origin of what an actor does who has no connection. */
  static ChangeOrigin of(Actor actor) {
    return new ChangeOrigin(null, actor);
  }

  /**
   * Returns what exclusive queues belong to: the connection, or what is no connection of this
   * process.
   */
  Object owner() {
    return connection == null ? this : connection;
  }

  /** Returns who did it, for events. */
  Actor actor() {
    return actor;
  }

  /** Returns whether the change happens now. */
  boolean isNew() {
    return this != RECOVERY;
  }

  /** Returns whether the change was requested on this node, so that its events tell of it. */
  boolean isHere() {
    return this != RECOVERY && this != ELSEWHERE;
  }

  /** Returns whether the change uses the ends of a binding, which renews their leases. */
  boolean isUse() {
    return isHere() && this != EXPIRY;
  }
}
