package io.mayflymq.server.cluster.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.io.ByteArrayOutputStream;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** The certificates of the two sides of a TLS connection. */
final class Certificates {
  private Certificates() {}

  /**
   * Returns both in DER, that of the side that listens first; nothing without TLS.
   *
   * @param listens whether this side is the one that listens
   */
  static byte[] both(ChannelHandlerContext context, boolean listens) {
    SslHandler tls = context.pipeline().get(SslHandler.class);
    if (tls == null) {
      return new byte[0];
    }
    SSLSession session = tls.engine().getSession();
    Certificate[] own = session.getLocalCertificates();
    Certificate[] other;
    try {
      other = session.getPeerCertificates();
    } catch (SSLPeerUnverifiedException e) {
      other = null;
    }
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes(first(listens ? own : other));
    both.writeBytes(first(listens ? other : own));
    return both.toByteArray();
  }

  private static byte[] first(Certificate[] chain) {
    try {
      return chain == null || chain.length == 0 ? new byte[0] : chain[0].getEncoded();
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException(e);
    }
  }
}
