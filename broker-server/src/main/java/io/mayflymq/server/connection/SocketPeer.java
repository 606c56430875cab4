package io.mayflymq.server.connection;

import io.mayflymq.core.security.SaslMechanism;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;

/**
 * The other end of a socket.
 *
 * @param address its address
 * @param port its port there
 * @param local the address that it connected to
 * @param isEncrypted whether it speaks TLS
 * @param certificate its verified certificate; null if it has none
 */
record SocketPeer(
    InetAddress address,
    int port,
    InetAddress local,
    boolean isEncrypted,
    X509Certificate certificate) {
  private static final AttributeKey<Ends> ENDS = AttributeKey.valueOf(SocketPeer.class, "ends");

  private record Ends(InetSocketAddress client, InetSocketAddress server) {}

  /** Notes that a proxy stands between the client and this socket, and who the client is. */
  static void comesThroughAProxy(
      Channel socket, InetSocketAddress client, InetSocketAddress server) {
    socket.attr(ENDS).set(new Ends(client, server));
  }

  /** Returns the address of the client: what a proxy says, or the other end of the socket. */
  static InetSocketAddress client(Channel socket) {
    Ends ends = socket.attr(ENDS).get();
    return ends == null ? (InetSocketAddress) socket.remoteAddress() : ends.client;
  }

  /** Returns where the client connected to: what a proxy says, or this end of the socket. */
  static InetSocketAddress server(Channel socket) {
    Ends ends = socket.attr(ENDS).get();
    return ends == null ? (InetSocketAddress) socket.localAddress() : ends.server;
  }

  /** Returns the peer of a socket whose TLS handshake, if it has one, is over. */
  static SocketPeer of(Channel socket) {
    InetSocketAddress remote = client(socket);
    InetSocketAddress local = server(socket);
    Encryption encryption = Encryption.of(socket);
    return new SocketPeer(
        remote.getAddress(),
        remote.getPort(),
        local.getAddress(),
        encryption != null,
        encryption == null ? null : encryption.peer());
  }

  /** Returns the name of the user in the certificate; null if there is none. */
  String name(SaslMechanism.External mechanism) {
    return certificate == null ? null : mechanism.from().name(certificate);
  }

  /** Returns why there is no name of a user. */
  String namelessness() {
    return certificate == null
        ? "client sent no certificate"
        : "no name in the certificate of " + certificate.getSubjectX500Principal();
  }
}
