package io.mayflymq.server.connection;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
import java.util.Locale;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * How a connection is encrypted.
 *
 * @param protocol as in {@code TLSv1.3}
 * @param suite the name of the cipher suite, as in {@code TLS_AES_256_GCM_SHA384}
 * @param peer the client's certificate, which has been verified; null if it sent none
 */
public record Encryption(String protocol, String suite, X509Certificate peer) {
  private static final String WITH = "_WITH_";
  private static final String TLS = "TLS_";

  /**
   * Returns the encryption of a socket whose TLS handshake is over; null if it does not use TLS.
   */
  static Encryption of(Channel socket) {
    SslHandler tls = socket.pipeline().get(SslHandler.class);
    if (tls == null) {
      return null;
    }
    SSLSession session = tls.engine().getSession();
    return new Encryption(session.getProtocol(), session.getCipherSuite(), certificate(session));
  }

  private static X509Certificate certificate(SSLSession session) {
    try {
      return session.getPeerCertificates()[0] instanceof X509Certificate verified ? verified : null;
    } catch (SSLPeerUnverifiedException e) {
      // This exception means that the client was not asked for a certificate, or sent none.
      return null;
    }
  }

  /** Returns the key exchange, as in {@code ecdhe_rsa}; {@code any} if the suite leaves it open. */
  public String keyExchange() {
    int with = suite.indexOf(WITH);
    return with < 0 ? "any" : lower(suite.substring(start(), with));
  }

  /** Returns the cipher, as in {@code aes_256_gcm}. */
  public String cipher() {
    int with = suite.indexOf(WITH);
    int from = with < 0 ? start() : with + WITH.length();
    return lower(suite.substring(from, Math.max(from, suite.lastIndexOf('_'))));
  }

  /** Returns the message authentication: {@code aead} if the cipher does that itself. */
  public String hash() {
    return suite.contains("_GCM_") || suite.contains("_CCM") || suite.contains("_POLY1305_")
        ? "aead"
        : lower(suite.substring(suite.lastIndexOf('_') + 1));
  }

  private int start() {
    return suite.startsWith(TLS) ? TLS.length() : 0;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
