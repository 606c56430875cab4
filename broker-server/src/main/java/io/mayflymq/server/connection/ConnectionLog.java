package io.mayflymq.server.connection;

import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.LogLineLimit;
import io.mayflymq.protocol.method.MethodNames;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.server.channel.ConnectionIdentity;
import io.netty.channel.Channel;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the log lines about one connection, in RabbitMQ's words where it has them. Each line names
 * the sockets, and the connection, its virtual host and its user as far as they are known.
 *
 * <p>The reason for the end of a connection is logged once, and the first reason counts: after a
 * heartbeat timeout, no line says that the client has closed the connection. The number of lines
 * that clients can cause is limited, for channel errors and for clients that have not logged in.
 * Texts chosen by a client may contain any character; the layout of the log keeps them on one line.
 *
 * <p>Used on the connection's loop only.
 */
final class ConnectionLog {
  private static final Logger LOGGER = LoggerFactory.getLogger(ConnectionLog.class);
  private static final int MOST_CHANNEL_ERRORS = 20;
  private static final int MOST_STRANGERS = 200;
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String sockets;
  private final LogLineLimit linesBeforeLogin;
  private LogLineLimit channelErrors;
  private String who;
  private boolean loggedIn;
  private boolean endTold;

  /**
   * Creates the log of a new connection.
   *
   * @param linesBeforeLogin limits the lines about all clients that have not logged in
   */
  ConnectionLog(Channel socket, LogLineLimit linesBeforeLogin) {
    this.sockets = ConnectionName.of(socket);
    this.linesBeforeLogin = linesBeforeLogin;
    this.who = sockets;
  }

  /** Creates the limit that all connections of a server share. */
  static LogLineLimit limitOfStrangers() {
    return new LogLineLimit(MOST_STRANGERS, PERIOD_NANOS, System::nanoTime);
  }

  /** Returns RabbitMQ's name for the connection: {@code 10.0.0.7:4711 -> 10.0.0.1:5672}. */
  String sockets() {
    return sockets;
  }

  // Beginnings

  /** Logs that the first bytes are not an AMQP 0-9-1 protocol header. */
  void foreignProtocol(String what) {
    endOfStranger("not an AMQP 0-9-1 client: " + what);
  }

  void tlsFailed(String reason) {
    endOfStranger("TLS handshake failed: " + reason);
  }

  /** Logs that a connection has not begun with the header of its proxy. */
  void noProxyHeader(String what) {
    endOfStranger("expected a header of the PROXY protocol (proxy_protocol = true): " + what);
  }

  void handshakeTimedOut() {
    endOfStranger("handshake timed out");
  }

  /** Logs why a login was refused; the client does not see the reason. */
  void loginRefused(String reason) {
    endTold = true;
    LOGGER.warn("connection {}: {}", sockets, reason);
  }

  void loggedIn(String user) {
    loggedIn = true;
    who = "%s (user: '%s')".formatted(sockets, user);
  }

  /**
   * Logs that the connection is open.
   *
   * @param givenName the name that the client has given it; empty if none
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

  /** Logs why a newer token of the client does not count. */
  void newSecretRefused(String reason) {
    LOGGER.warn("connection {}: new secret refused: {}", who, reason);
  }

  /** Logs a channel error caused by the client. */
  void channelError(int channel, AmqpException error) {
    if (channelErrors == null) {
      channelErrors = new LogLineLimit(MOST_CHANNEL_ERRORS, PERIOD_NANOS, System::nanoTime);
    }
    LogLineLimit.Verdict verdict = channelErrors.next();
    if (verdict.isAdmitted()) {
      LOGGER.warn(
          "Channel error on connection {}, channel {}: {}{}",
          who,
          channel,
          text("channel", error),
          verdict.leftOut());
    }
  }

  /** Logs a connection error caused by the client. */
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

  /** Logs an internal error of the broker. */
  void internalError(Throwable cause, Faults faults) {
    endTold = true;
    faults.report("AMQP connection", who, cause);
  }

  /** Logs an error of the socket, such as a reset by the peer. */
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

  /** Logs that the broker closes the connection, with its reason. */
  void closedByBroker(String reason) {
    if (!endTold) {
      endTold = true;
      LOGGER.info("closing AMQP connection {}: {}", who, reason);
    }
  }

  /** Logs that the socket is closed: by the client, unless another reason was logged before. */
  void socketClosed() {
    String what = "client unexpectedly closed TCP connection";
    if (!loggedIn) {
      endOfStranger(what);
    } else if (!endTold) {
      endTold = true;
      LOGGER.warn("closing AMQP connection {}: {}", who, what);
    }
  }

  /** Ends the log: reports the lines that were left out. */
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
    LogLineLimit.Verdict verdict = linesBeforeLogin.next();
    if (verdict.isAdmitted()) {
      LOGGER.warn("connection {}: {}{}", who, reason, verdict.leftOut());
    }
  }
}
