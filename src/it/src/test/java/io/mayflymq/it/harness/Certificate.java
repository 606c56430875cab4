package io.mayflymq.it.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate with its key, made by the JDK's keytool, for a server or a client: in
 * PEM for the broker and as an {@link SSLContext} for the Java client.
 */
public final class Certificate {
  private static final String PASSWORD = "changeit";
  private static final String ALIAS = "it";

  private final KeyStore store;

  private Certificate(KeyStore store) {
    this.store = store;
  }

  /** Creates a certificate for a subject such as {@code CN=ann}, valid for 127.0.0.1. */
  public static Certificate of(String subject) throws IOException, GeneralSecurityException {
    return of(subject, "-keyalg", "EC", "-groupname", "secp256r1");
  }

  /** The same with a key of another kind, which other cipher suites are for. */
  public static Certificate withRsaKey(String subject)
      throws IOException, GeneralSecurityException {
    return of(subject, "-keyalg", "RSA", "-keysize", "2048");
  }

  private static Certificate of(String subject, String... key)
      throws IOException, GeneralSecurityException {
    Path directory = Files.createTempDirectory("certificate");
    Path file = directory.resolve("store.p12");
    Path output = directory.resolve("output");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                ALIAS,
                "-dname",
                subject,
                "-ext",
                "san=ip:127.0.0.1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString()));
    command.addAll(List.of(key));
    Process keytool =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
        keytool.destroyForcibly();
        throw new IOException("keytool: " + Files.readString(output));
      }
      return read(file);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(output);
      Files.delete(directory);
    }
  }

  /** Reads one from a store in PKCS#12, named {@code it}, with the password {@code changeit}. */
  public static Certificate read(Path file) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return new Certificate(store);
  }

  /** Writes the certificate. */
  public Path writeCertificate(Path file) {
    return write(file, "CERTIFICATE", certificate());
  }

  /** Writes the private key. */
  public Path writeKey(Path file) {
    try {
      byte[] key = store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
      return write(file, "PRIVATE KEY", key);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private byte[] certificate() {
    try {
      return store.getCertificate(ALIAS).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path write(Path file, String kind, byte[] der) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    String pem = "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, body, kind);
    try {
      return Files.writeString(file, pem);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the context of a client that trusts only this server. */
  public SSLContext trusted() throws IOException, GeneralSecurityException {
    return context(null);
  }

  /** Returns the context of a client that trusts only this server and has its own certificate. */
  public SSLContext trustedBy(Certificate client) throws IOException, GeneralSecurityException {
    return context(client);
  }

  private SSLContext context(Certificate client) throws IOException, GeneralSecurityException {
    KeyStore authorities = KeyStore.getInstance("PKCS12");
    authorities.load(null, null);
    authorities.setCertificateEntry(ALIAS, store.getCertificate(ALIAS));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(authorities);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    if (client != null) {
      keys.init(client.store, PASSWORD.toCharArray());
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(client == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }
}
