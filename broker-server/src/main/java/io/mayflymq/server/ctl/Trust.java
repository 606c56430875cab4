package io.mayflymq.server.ctl;

import io.mayflymq.server.tls.PemFiles;
import io.mayflymq.server.tls.TlsException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Which certificate authorities are trusted. */
final class Trust {
  private Trust() {}

  /**
   * Returns a factory of sockets that trust only certificates of these authorities.
   *
   * @param authorities certificates in PEM
   * @throws ControlException if they cannot be read
   */
  static SSLSocketFactory only(Path authorities) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int serial = 0;
      for (X509Certificate certificate :
          PemFiles.certificates(GlobalOptions.AUTHORITIES, authorities)) {
        store.setCertificateEntry("authority-" + serial++, certificate);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context.getSocketFactory();
    } catch (TlsException e) {
      throw ControlException.error(Sysexits.CONFIG, e.getMessage());
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the JDK has no TLS", e);
    }
  }
}
