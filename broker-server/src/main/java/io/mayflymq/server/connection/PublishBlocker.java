package io.mayflymq.server.connection;

import io.mayflymq.protocol.method.ConnectionMethod;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.delivery.ConnectionOutput;

/*
 * What alarms do to one connection (RabbitMQ's connection.blocked).
 *
 * An alarm by itself does nothing: connections that consume, or do nothing, never hear of it. The first content that a connection sends
 * while an alarm is raised blocks it: the client is told, if it can be, and nothing more is read until no alarm is left. As RabbitMQ does, we block
 * between a message's header and its body, so a message that has a body waits for the end of the alarm, and one without has been published.
 *
 * Whether there is an alarm is looked up once a burst, and what a publish costs is a plain field. A burst that began before the alarm
 * ends as it began. Belongs to the connection's loop.
 */
final class PublishBlocker {
  private final Alarms alarms;
  private final ConnectionOutput output;
  private Heartbeats heartbeats;
  private boolean clientListens;
  private boolean alarmed;
  private boolean blocked;

  PublishBlocker(Alarms alarms, ConnectionOutput output) {
    this.alarms = alarms;
    this.output = output;
  }

  /** Sets whether the client has the capability {@code connection.blocked}. */
  void setClientListens(boolean listens) {
    clientListens = listens;
  }

  /** Sets whom not to listen for while nothing is read; without it there are no heartbeats. */
  void setHeartbeats(Heartbeats negotiated) {
    heartbeats = negotiated;
  }

  /** Whether nothing is to be read. */
  boolean isBlocked() {
    return blocked;
  }

  /** A burst begins. Returns whether there is an alarm. */
  boolean look() {
    alarmed = alarms.isRaised();
    return alarmed;
  }

  /** A header or a piece of a body has come: blocks the connection if there is an alarm. */
  void contentReceived() {
    if (!alarmed || blocked) {
      return;
    }
    String reason = alarms.reason();
    if (reason == null) {
      // Cleared since the burst began; who is blocked now would not be released.
      alarmed = false;
      return;
    }
    blocked = true;
    if (heartbeats != null) {
      heartbeats.pauseListening();
    }
    if (clientListens) {
      output.method(0, new ConnectionMethod.Blocked(reason));
    }
  }

  /** The last alarm was cleared. Returns whether the connection was blocked, and no longer is. */
  boolean release() {
    if (alarms.isRaised() || !unblock()) {
      return false;
    }
    if (clientListens) {
      output.method(0, ConnectionMethod.Unblocked.INSTANCE);
    }
    return true;
  }

  /** The connection closes, and whatever comes must be read. Returns whether it was blocked. */
  boolean abandon() {
    return unblock();
  }

  private boolean unblock() {
    if (!blocked) {
      return false;
    }
    blocked = false;
    if (heartbeats != null) {
      heartbeats.resumeListening();
    }
    return true;
  }
}
