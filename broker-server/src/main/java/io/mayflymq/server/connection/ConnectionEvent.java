package io.mayflymq.server.connection;

import io.mayflymq.core.metadata.BrokerEvent;
import io.mayflymq.core.metadata.ErlangTable;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.server.channel.ConnectionIdentity;
import io.mayflymq.server.config.NodeName;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.StringJoiner;

/** A connection was opened or closed, or a client tried to log in. */
sealed interface ConnectionEvent extends BrokerEvent {
  /** AMQP 0-9-1, as Erlang prints it. */
  String PROTOCOL = "{0,9,1}";

  /** A connection was opened. */
  record ConnectionCreated(ConnectionView connection, SocketPeer peer) implements ConnectionEvent {
    @Override
    public String name() {
      return "connection.created";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      ConnectionIdentity identity = connection.identity();
      Encryption encryption = connection.encryption();
      put(properties, connection);
      properties
          .put("type", "network")
          .put("port", (long) identity.port())
          .put("peer_port", (long) identity.peerPort())
          .put("host", address(peer.local()))
          .put("peer_host", address(peer.address()))
          .put("ssl", encryption != null)
          .put("ssl_protocol", encryption == null ? "" : encryption.protocol())
          .put("ssl_key_exchange", encryption == null ? "" : encryption.keyExchange())
          .put("ssl_cipher", encryption == null ? "" : encryption.cipher())
          .put("ssl_hash", encryption == null ? "" : encryption.hash())
          .put("peer_cert_subject", subject(peer.certificate()))
          .put("auth_mechanism", connection.mechanism())
          .put("protocol", PROTOCOL)
          .put("user", identity.user())
          .put("vhost", identity.vhost())
          .put("timeout", (long) connection.tuning().heartbeatSeconds())
          .put("frame_max", (long) connection.tuning().frameMax())
          .put("channel_max", (long) connection.tuning().channelMax())
          .put("connected_at", connection.connectedAtMillis());
      identity.sign(properties);
    }
  }

  /** A connection that was open is closed. */
  record ConnectionClosed(ConnectionView connection) implements ConnectionEvent {
    @Override
    public String name() {
      return "connection.closed";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      put(properties, connection);
    }
  }

  /**
   * A client tried to log in.
   *
   * @param connection the name of the connection
   * @param refusal why the login was refused; null if it succeeded
   */
  record Authentication(
      String connection, SocketPeer peer, String mechanism, String user, String refusal)
      implements ConnectionEvent {
    @Override
    public String name() {
      return refusal == null ? "user.authentication.success" : "user.authentication.failure";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties
          .put("connection_type", "network")
          .put("name", user)
          .put("host", address(peer.local()))
          .put("connection_name", connection)
          .put("peer_host", address(peer.address()))
          .put("peer_port", (long) peer.port())
          .put("protocol", PROTOCOL)
          .put("auth_mechanism", mechanism)
          .put("ssl", peer.isEncrypted());
      if (refusal != null) {
        properties.put("error", refusal);
      }
    }
  }

  private static void put(FieldTable.Builder properties, ConnectionView connection) {
    properties
        .put("name", connection.identity().name())
        .put("pid", connection.identity().pid())
        .put("node", NodeName.value())
        .put("client_properties", ErlangTable.of(connection.clientProperties()));
    if (connection.clientProperties().get("connection_name")
        instanceof FieldValue.LongString name) {
      properties.put("user_provided_name", name.string());
    }
  }

  private static String subject(X509Certificate certificate) {
    return certificate == null ? "" : certificate.getSubjectX500Principal().getName();
  }

  /** Returns an address as Erlang prints it, such as <code>{127,0,0,1}</code>. */
  private static String address(InetAddress address) {
    byte[] bytes = address.getAddress();
    int step = address instanceof Inet6Address ? 2 : 1;
    StringJoiner parts = new StringJoiner(",", "{", "}");
    for (int i = 0; i < bytes.length; i += step) {
      int high = bytes[i] & 0xff;
      parts.add(Integer.toString(step == 1 ? high : (high << 8) | (bytes[i + 1] & 0xff)));
    }
    return parts.toString();
  }
}
