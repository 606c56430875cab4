package io.mayflymq.server.connection;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.Optional;

/** The names of a connection. */
final class ConnectionName {
  private ConnectionName() {}

  /** Returns the name in the log, as in RabbitMQ: "10.0.0.7:4711 -> 10.0.0.1:5672". */
  static String of(Channel socket) {
    InetSocketAddress remote = SocketPeer.client(socket);
    InetSocketAddress local = SocketPeer.server(socket);
    return "%s:%d -> %s:%d"
        .formatted(
            remote.getAddress().getHostAddress(),
            remote.getPort(),
            local.getAddress().getHostAddress(),
            local.getPort());
  }

  /** Returns the name that the client has given it, if any. */
  static Optional<String> given(FieldTable clientProperties) {
    return clientProperties.get("connection_name") instanceof FieldValue.LongString name
        ? Optional.of(name.string())
        : Optional.empty();
  }
}
