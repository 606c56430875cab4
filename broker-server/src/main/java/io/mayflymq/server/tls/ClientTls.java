package io.mayflymq.server.tls;

import io.mayflymq.server.config.ClientTlsSettings;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

/** Makes the TLS contexts by which the broker reaches services. */
public final class ClientTls {
  private static final String ALIAS = "broker";
  private static final char[] IN_MEMORY = "in memory".toCharArray();

  private ClientTls() {}

  /**
   * Reads all files.
   *
   * @throws TlsException if one is missing or cannot be used
   */
  public static SSLContext context(ClientTlsSettings settings) throws TlsException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys(settings), trust(settings), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new TlsException(
          "%s: TLS cannot be set up: %s".formatted(settings.prefix(), e.getMessage()), e);
    }
  }

  /** Returns null for none. */
  private static KeyManager[] keys(ClientTlsSettings settings)
      throws TlsException, GeneralSecurityException, IOException {
    if (settings.certificate().isEmpty()) {
      return null;
    }
    KeyStore store = emptyStore();
    List<X509Certificate> chain =
        PemFiles.certificates(settings.prefix() + ".certfile", settings.certificate().get());
    store.setKeyEntry(
        ALIAS,
        PemFiles.privateKey(settings.prefix(), settings.key().orElseThrow(), settings.password()),
        IN_MEMORY,
        chain.toArray(X509Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, IN_MEMORY);
    return factory.getKeyManagers();
  }

  private static TrustManager[] trust(ClientTlsSettings settings)
      throws TlsException, GeneralSecurityException, IOException {
    if (!settings.verify()) {
      return new TrustManager[] {new Lenient(null)};
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(settings.authorities().isPresent() ? authorities(settings) : null);
    TrustManager[] managers = factory.getTrustManagers();
    if (!settings.checksHost()) {
      for (int i = 0; i < managers.length; i++) {
        if (managers[i] instanceof X509TrustManager strict) {
          managers[i] = new Lenient(strict);
        }
      }
    }
    return managers;
  }

  private static KeyStore authorities(ClientTlsSettings settings)
      throws TlsException, GeneralSecurityException, IOException {
    KeyStore store = emptyStore();
    int number = 0;
    for (X509Certificate authority :
        PemFiles.certificates(settings.prefix() + ".cacertfile", settings.authorities().get())) {
      store.setCertificateEntry(Integer.toString(number++), authority);
    }
    return store;
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  /**
   * Does not compare the host of a certificate: Java does so only where the trust manager looks at
   * the connection. There is no other switch for a single client.
   */
  private static final class Lenient extends X509ExtendedTrustManager {
    /** Checks the certificate as such; null if any is good. */
    private final X509TrustManager strict;

    Lenient(X509TrustManager strict) {
      this.strict = strict;
    }

    private void check(X509Certificate[] chain, String type) throws CertificateException {
      if (strict != null) {
        strict.checkServerTrusted(chain, type);
      }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      check(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      check(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      check(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      throw new CertificateException("a client has no clients");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return strict == null ? new X509Certificate[0] : strict.getAcceptedIssuers();
    }
  }
}
