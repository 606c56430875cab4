package io.mayflymq.server.connection;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;

/** What a connection is called in the log, as in RabbitMQ: "10.0.0.7:4711 -> 10.0.0.1:5672". */
final class ConnectionName {
  private ConnectionName() {}

  static String of(Channel socket) {
    InetSocketAddress remote = (InetSocketAddress) socket.remoteAddress();
    InetSocketAddress local = (InetSocketAddress) socket.localAddress();
    return "%s:%d -> %s:%d"
        .formatted(
            remote.getAddress().getHostAddress(),
            remote.getPort(),
            local.getAddress().getHostAddress(),
            local.getPort());
  }
}
