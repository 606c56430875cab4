package io.mayflymq.server.connection;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.AuthenticationResult;
import io.mayflymq.core.security.SaslMechanism;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.auth.x500.X500Principal;

/**
 * Who is at the other end of a socket.
 *
 * @param address where it is
 * @param isEncrypted whether it speaks TLS
 * @param subject whom its certificate names, which has been verified; null if it has none
 */
record Peer(InetAddress address, boolean isEncrypted, X500Principal subject) {
  /** The peer of a socket whose TLS handshake, if it has one, is over. */
  static Peer of(Channel socket) {
    InetAddress address = ((InetSocketAddress) socket.remoteAddress()).getAddress();
    SslHandler tls = socket.pipeline().get(SslHandler.class);
    return new Peer(address, tls != null, tls == null ? null : subject(tls));
  }

  private static X500Principal subject(SslHandler tls) {
    try {
      return tls.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate verified
          ? verified.getSubjectX500Principal()
          : null;
    } catch (SSLPeerUnverifiedException e) {
      // It was not asked for a certificate, or sent none: that is what this exception says.
      return null;
    }
  }

  /** Logs in by the certificate. */
  AuthenticationResult authenticate(SaslMechanism.External mechanism, AccessControl control) {
    String user = subject == null ? null : mechanism.from().name(subject);
    return user == null
        ? new AuthenticationResult.Refused(
            "", subject == null ? "client sent no certificate" : "no name in " + subject)
        : control.authenticateProved(user, address);
  }
}
