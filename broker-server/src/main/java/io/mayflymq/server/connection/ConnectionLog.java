package io.mayflymq.server.connection;

import io.mayflymq.core.fault.Faults;
import io.mayflymq.protocol.method.MethodNames;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.server.delivery.ConnectionIdentity;
import io.netty.channel.Channel;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the log is told about one connection, in RabbitMQ's words where it has them. Each line names
 * the sockets, and the connection, its virtual host and its user as far as they are known.
 *
 * <p>Why a connection ends is told once, and what comes first is the reason: a client that is cut
 * off for its silence has not closed the connection. A client can cause only so many lines: those
 * of its channels' errors are limited, and so are those about clients that have not logged in, of
 * which there may be any number. What a client has chosen may hold anything; the layout of the log
 * keeps it in its line.
 *
 * <p>Belongs to the connection's loop.
 */
final class ConnectionLog {
  private static final Logger LOGGER = LoggerFactory.getLogger(ConnectionLog.class);
  private static final int MOST_CHANNEL_ERRORS = 20;
  private static final int MOST_STRANGERS = 200;
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String sockets;
  private final LineLimit strangers;
  private LineLimit channelErrors;
  private String who;
  private boolean loggedIn;
  private boolean endTold;

  /**
   * The log of a connection that begins.
   *
   * @param strangers limits the lines about all clients that have not logged in
   */
  ConnectionLog(Channel socket, LineLimit strangers) {
    this.sockets = ConnectionName.of(socket);
    this.strangers = strangers;
    this.who = sockets;
  }

  /** The limit that the connections of a server share. */
  static LineLimit limitOfStrangers() {
    return new LineLimit(MOST_STRANGERS, PERIOD_NANOS, System::nanoTime);
  }

  /** What RabbitMQ calls the connection: {@code 10.0.0.7:4711 -> 10.0.0.1:5672}. */
  String sockets() {
    return sockets;
  }

  // Beginnings

  /** What came first is no protocol header of ours. */
  void foreignProtocol(String what) {
    endOfStranger("not an AMQP 0-9-1 client: " + what);
  }

  void tlsFailed(String reason) {
    endOfStranger("TLS handshake failed: " + reason);
  }

  void handshakeTimedOut() {
    endOfStranger("handshake timed out");
  }

  /** Says why a login was refused, which the client is not told. */
  void loginRefused(String reason) {
    endTold = true;
    LOGGER.warn("connection {}: {}", sockets, reason);
  }

  void loggedIn(String user) {
    loggedIn = true;
    who = "%s (user: '%s')".formatted(sockets, user);
  }

  /**
   * The connection is open.
   *
   * @param givenName what its client calls it; empty if it does not
   */
  void opened(ConnectionIdentity identity, String givenName) {
    String name = givenName.isEmpty() ? sockets : sockets + " - " + givenName;
    LOGGER.info(
        "connection {} ({}): user '{}' opened vhost '{}'",
        identity.pid(),
        name,
        identity.user(),
        identity.vhost());
    who =
        "%s (%s, vhost: '%s', user: '%s')"
            .formatted(identity.pid(), name, identity.vhost(), identity.user());
  }

  // Errors

  /** A channel is closed for what its client did on it. */
  void channelError(int channel, AmqpException error) {
    if (channelErrors == null) {
      channelErrors = new LineLimit(MOST_CHANNEL_ERRORS, PERIOD_NANOS, System::nanoTime);
    }
    LineLimit.Verdict verdict = channelErrors.next();
    if (verdict.isAdmitted()) {
      LOGGER.warn(
          "Channel error on connection {}, channel {}: {}{}",
          who,
          channel,
          text("channel", error),
          verdict.leftOut());
    }
  }

  /** The connection is closed for what its client did. */
  void connectionError(int channel, AmqpException error) {
    if (!loggedIn) {
      endOfStranger(text("connection", error));
    } else if (!endTold) {
      endTold = true;
      LOGGER.warn(
          "Error on AMQP connection {}, channel {}: {}", who, channel, text("connection", error));
    }
  }

  private static String text(String scope, AmqpException error) {
    return "operation %s caused a %s exception %s: %s"
        .formatted(
            MethodNames.of(error.classId(), error.methodId()),
            scope,
            error.code().name().toLowerCase(Locale.ROOT),
            error.detail());
  }

  /** Something is wrong with the broker itself. */
  void internalError(Throwable cause, Faults faults) {
    endTold = true;
    faults.contained("AMQP connection", who, cause);
  }

  /** What the system says when a socket is closed from the other side at a bad moment. */
  void socketError(Throwable cause) {
    LOGGER.debug("connection {}: {}", who, cause.toString());
  }

  // Ends

  void missedHeartbeats(int seconds) {
    if (!endTold) {
      endTold = true;
      LOGGER.warn(
          "closing AMQP connection {}: missed heartbeats from client, timeout: {}s", who, seconds);
    }
  }

  void closedByClient(String replyText) {
    if (!endTold) {
      endTold = true;
      LOGGER.info("closing AMQP connection {}: closed by its client: {}", who, replyText);
    }
  }

  /** The broker closes it, for a reason of its own. */
  void closedByBroker(String reason) {
    if (!endTold) {
      endTold = true;
      LOGGER.info("closing AMQP connection {}: {}", who, reason);
    }
  }

  /** The socket is closed, by its client unless something else was told before. */
  void socketClosed() {
    String what = "client unexpectedly closed TCP connection";
    if (!loggedIn) {
      endOfStranger(what);
    } else if (!endTold) {
      endTold = true;
      LOGGER.warn("closing AMQP connection {}: {}", who, what);
    }
  }

  /** There will be nothing more to tell. */
  void end() {
    String leftOut = channelErrors == null ? "" : channelErrors.end();
    if (!leftOut.isEmpty()) {
      LOGGER.warn("connection {}: channel errors{}", who, leftOut);
    }
  }

  private void endOfStranger(String reason) {
    if (endTold) {
      return;
    }
    endTold = true;
    LineLimit.Verdict verdict = strangers.next();
    if (verdict.isAdmitted()) {
      LOGGER.warn("connection {}: {}{}", who, reason, verdict.leftOut());
    }
  }
}
