package io.mayflymq.server.connection;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.AuthenticationResult;
import io.mayflymq.core.security.SaslMechanism;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import javax.security.auth.x500.X500Principal;

/**
 * The other end of a socket.
 *
 * @param address its address
 * @param port its port there
 * @param local the address that it connected to
 * @param isEncrypted whether it speaks TLS
 * @param subject the subject of its verified certificate; null if it has none
 */
record Peer(
    InetAddress address, int port, InetAddress local, boolean isEncrypted, X500Principal subject) {
  /** Returns the peer of a socket whose TLS handshake, if it has one, is over. */
  static Peer of(Channel socket) {
    InetSocketAddress remote = (InetSocketAddress) socket.remoteAddress();
    InetSocketAddress local = (InetSocketAddress) socket.localAddress();
    Encryption encryption = Encryption.of(socket);
    boolean isKnown = encryption != null && encryption.peer() != null;
    return new Peer(
        remote.getAddress(),
        remote.getPort(),
        local.getAddress(),
        encryption != null,
        isKnown ? encryption.peer().getSubjectX500Principal() : null);
  }

  /** Authenticates the peer by its certificate. */
  AuthenticationResult authenticate(SaslMechanism.External mechanism, AccessControl control) {
    String user = subject == null ? null : mechanism.from().name(subject);
    return user == null
        ? new AuthenticationResult.Refused(
            "", subject == null ? "client sent no certificate" : "no name in " + subject)
        : control.authenticateProved(user, address);
  }
}
