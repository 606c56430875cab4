package io.mayflymq.server.connection;

import io.mayflymq.protocol.method.ConnectionMethod;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.channel.ConnectionOutput;

/**
 * Blocks one connection during an alarm (RabbitMQ's connection.blocked).
 *
 * <p>An alarm by itself does not block a connection, so connections that only consume are not
 * affected. The first content that a connection sends while an alarm is raised blocks it: the
 * client gets connection.blocked, if it has the capability, and nothing more is read until no alarm
 * is left. As RabbitMQ does, the broker blocks between a message's header and its body, so a
 * message that has a body waits for the end of the alarm, and one without has been published.
 *
 * <p>The alarms are read once in a burst, so that a publish reads a plain field only. A burst that
 * began before the alarm is not blocked. Used on the connection's loop only.
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

  /**
   * Sets the heartbeats whose check for silence pauses while nothing is read; not called if there
   * are none.
   */
  void setHeartbeats(Heartbeats negotiated) {
    heartbeats = negotiated;
  }

  /** Returns whether nothing may be read. */
  boolean isBlocked() {
    return blocked;
  }

  /** Reads the alarms at the beginning of a burst. Returns whether there is one. */
  boolean look() {
    alarmed = alarms.isRaised();
    return alarmed;
  }

  /**
   * Blocks the connection if there is an alarm; called for each content header and piece of a body.
   */
  void contentReceived() {
    if (!alarmed || blocked) {
      return;
    }
    String reason = alarms.reason();
    if (reason == null) {
      // The alarm was cleared after the burst began; a connection that is blocked now would not be
      // released.
      alarmed = false;
      return;
    }
    blocked = true;
    tellBlocked(reason);
  }

  /** Tells the client that what it publishes waits, and does not expect to hear from it. */
  void tellBlocked(String reason) {
    pauseListening();
    if (clientListens) {
      output.method(0, new ConnectionMethod.Blocked(reason));
    }
  }

  /** Does not expect to hear from the client. */
  void pauseListening() {
    if (heartbeats != null) {
      heartbeats.pauseListening();
    }
  }

  /** Expects to hear from the client again. */
  void resumeListening() {
    if (heartbeats != null && !blocked) {
      heartbeats.resumeListening();
    }
  }

  /** Tells the client that what it publishes waits no longer. */
  void tellUnblocked() {
    resumeListening();
    if (clientListens) {
      output.method(0, ConnectionMethod.Unblocked.INSTANCE);
    }
  }

  /** Unblocks the connection when the last alarm was cleared. Returns whether it was blocked. */
  boolean release() {
    if (alarms.isRaised() || !unblock()) {
      return false;
    }
    if (clientListens) {
      output.method(0, ConnectionMethod.Unblocked.INSTANCE);
    }
    return true;
  }

  /**
   * Unblocks a connection that closes, as everything received must be read then. Returns whether it
   * was blocked.
   */
  boolean abandon() {
    return unblock();
  }

  private boolean unblock() {
    if (!blocked) {
      return false;
    }
    blocked = false;
    resumeListening();
    return true;
  }
}
