package io.mayflymq.server.connection;

import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.security.Session;
import io.mayflymq.server.channel.ConnectionIdentity;
import io.mayflymq.server.channel.ConnectionOutput;
import io.mayflymq.server.connection.ConnectionEvent.ConnectionClosed;
import io.mayflymq.server.connection.ConnectionEvent.ConnectionCreated;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The data of an open connection that management shows. Used on the connection's loop only, apart
 * from the identity.
 */
final class ConnectionInfo {
  /** The state of one that nothing holds up. */
  static final String RUNNING = "running";

  private static final AtomicLong SERIALS = new AtomicLong();

  private final ConnectionIdentity identity;
  private final Handshake.Opened opened;
  private final ConnectionOutput output;
  private final long openedAtMillis;
  private final Encryption encryption;

  private ConnectionInfo(
      ConnectionIdentity identity,
      Handshake.Opened opened,
      ConnectionOutput output,
      long openedAtMillis,
      Encryption encryption) {
    this.identity = identity;
    this.opened = opened;
    this.output = output;
    this.openedAtMillis = openedAtMillis;
    this.encryption = encryption;
  }

  /** Registers a connection whose handshake is complete. */
  static ConnectionInfo begin(
      Handshake.Opened opened, Channel socket, ConnectionOutput output, long nowMillis) {
    InetSocketAddress remote = SocketPeer.client(socket);
    InetSocketAddress local = SocketPeer.server(socket);
    ConnectionIdentity identity =
        new ConnectionIdentity(
            SERIALS.incrementAndGet(),
            ConnectionName.of(socket),
            ConnectionName.given(opened.clientProperties()).orElse(""),
            opened.access().user(),
            opened.vhost().name(),
            remote.getAddress().getHostAddress(),
            remote.getPort(),
            local.getAddress().getHostAddress(),
            local.getPort(),
            socket::isOpen);
    opened.vhost().metrics().connections().join(output.traffic());
    opened.vhost().churn().happened(Churn.Event.CONNECTION_CREATED);
    ConnectionInfo open =
        new ConnectionInfo(identity, opened, output, nowMillis, Encryption.of(socket));
    opened
        .vhost()
        .events()
        .happened(new ConnectionCreated(open.view(0, RUNNING, 0), SocketPeer.of(socket)));
    return open;
  }

  /** Removes the registration; called when the connection is closed. */
  void end() {
    opened.vhost().metrics().connections().leave(output.traffic());
    opened.vhost().churn().happened(Churn.Event.CONNECTION_CLOSED);
    opened.vhost().events().happened(new ConnectionClosed(view(0, RUNNING, 0)));
  }

  /** Returns the identity of the connection. Any thread may call. */
  ConnectionIdentity identity() {
    return identity;
  }

  /** Returns the session that counts towards limits. */
  Session session() {
    return opened.session();
  }

  /**
   * Returns the state of the connection.
   *
   * @param state {@code running}, or why it is not
   * @param memory what is held for its client, in bytes
   */
  ConnectionView view(int channels, String state, long memory) {
    return new ConnectionView(
        identity,
        output.traffic(),
        state,
        channels,
        opened.tuning(),
        opened.mechanism(),
        opened.clientProperties(),
        openedAtMillis,
        encryption,
        output.pendingBytes(),
        memory);
  }
}
