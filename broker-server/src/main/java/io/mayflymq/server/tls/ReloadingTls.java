package io.mayflymq.server.tls;

import io.mayflymq.server.config.CipherSuites;
import io.mayflymq.server.config.TlsSettings;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS contexts of listeners, from files that may be replaced while the broker runs.
 *
 * <p>The files are checked whenever a client connects, and read again if one of them has changed.
 * Certificate and key are two files, so for a moment they may not match: while the current files
 * cannot be used, the last usable ones stay in use, and the log says why. Open connections are not
 * affected.
 */
public final class ReloadingTls {
  private static final Logger LOGGER = LoggerFactory.getLogger(ReloadingTls.class);

  /**
   * Seconds; a session that may be resumed for more than the seven days that a ticket of TLS 1.3
   * can be valid gets none. RabbitMQ sends none either, and its Java client on NIO takes one for
   * part of a frame.
   */
  private static final long TOO_LONG_FOR_TICKETS = Duration.ofDays(8).toSeconds();

  /** Sessions of TLS 1.2 that clients may resume; the one not used for longest goes first. */
  private static final long REMEMBERED_SESSIONS = 1_000;

  static {
    // Without this Java announces a ticket in the ServerHello of TLS 1.2 to every client that asks
    // for one, whether
    // it will send one or not, and OpenSSL treats the message that follows as an error. Sessions
    // of 1.2 are still resumed, by the number that the server gave them. There is no other switch,
    // and Java looks at this one whenever a context is made.
    System.setProperty("jdk.tls.server.enableSessionTicketExtension", "false");
  }

  private record Stamp(FileTime modified, long size, Object key) {}

  /**
   * Made from the same files.
   *
   * @param client null if this side never connects
   */
  private record Contexts(SslContext server, SslContext client) {}

  private final Supplier<TlsSettings> wanted;
  private final boolean connects;
  private TlsSettings settings;
  private List<Optional<Stamp>> stamps;
  private Contexts contexts;
  private boolean honorsCipherOrder;

  private ReloadingTls(Supplier<TlsSettings> wanted, boolean connects) {
    this.wanted = wanted;
    this.connects = connects;
    this.settings = wanted.get();
  }

  /**
   * Reads all files.
   *
   * @throws TlsException if one is missing or cannot be used
   */
  public static ReloadingTls load(TlsSettings settings) throws TlsException {
    return load(() -> settings);
  }

  /**
   * The same for settings that may change.
   *
   * @param settings those of the moment; asked whenever a client connects
   * @throws TlsException if a file is missing or cannot be used
   */
  public static ReloadingTls load(Supplier<TlsSettings> settings) throws TlsException {
    return load(settings, false);
  }

  /**
   * The same for both ends of connections: the side that connects shows the same certificate, and
   * requires one of the same authorities of the other side. Host names are not compared.
   *
   * @throws TlsException if a file is missing or cannot be used
   */
  public static ReloadingTls loadForBothEnds(Supplier<TlsSettings> settings) throws TlsException {
    return load(settings, true);
  }

  private static ReloadingTls load(Supplier<TlsSettings> settings, boolean connects)
      throws TlsException {
    ReloadingTls tls = new ReloadingTls(settings, connects);
    tls.stamps = tls.stamps();
    tls.contexts = tls.read();
    tls.honorsCipherOrder = tls.settings.honorCipherOrder();
    return tls;
  }

  /** Adds TLS to a new connection. Any thread may call. */
  public void encrypt(Channel connection) {
    SslHandler handler = new SslHandler(newEngine(connection.alloc()));
    connection.pipeline().addLast(new Tls13FinishedWorkaround(handler), handler);
  }

  /**
   * Adds TLS to a connection that this side opens. Any thread may call.
   *
   * @throws IllegalStateException if these are not {@link #loadForBothEnds}
   */
  public void encryptOutgoing(Channel connection) {
    SslContext client;
    synchronized (this) {
      client = current().client();
    }
    if (client == null) {
      throw new IllegalStateException("TLS was loaded for listeners only");
    }
    connection.pipeline().addLast(client.newHandler(connection.alloc()));
  }

  private synchronized SSLEngine newEngine(ByteBufAllocator allocator) {
    SSLEngine engine = current().server().newEngine(allocator);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setUseCipherSuitesOrder(honorsCipherOrder);
    engine.setSSLParameters(parameters);
    return engine;
  }

  /** Checks the files now, and not only when the next client connects. Any thread may call. */
  public void look() {
    current();
  }

  private synchronized Contexts current() {
    TlsSettings asked = wanted.get();
    boolean isOther = !asked.equals(settings);
    settings = asked;
    List<Optional<Stamp>> found = stamps();
    if (isOther || !found.equals(stamps)) {
      stamps = found;
      try {
        contexts = read();
        honorsCipherOrder = settings.honorCipherOrder();
        LOGGER.info("TLS: certificates were read again");
      } catch (TlsException e) {
        LOGGER.error("TLS: the files have changed and cannot be used: {}", e.getMessage());
      }
    }
    return contexts;
  }

  private List<Optional<Stamp>> stamps() {
    List<Optional<Path>> files = new ArrayList<>();
    files.add(settings.certificate());
    files.add(settings.key());
    files.add(settings.authorities());
    Stream.concat(
            settings.trusted().stream(),
            settings.revocation().stream().flatMap(each -> each.directories().stream()))
        .forEach(directory -> addFiles(directory, files));
    return files.stream().map(file -> file.flatMap(ReloadingTls::stamp)).toList();
  }

  /** A directory that cannot be read is one that has changed. */
  private static void addFiles(Path directory, List<Optional<Path>> files) {
    try {
      ClientTrust.files("", directory).forEach(file -> files.add(Optional.of(file)));
    } catch (TlsException e) {
      files.add(Optional.empty());
    }
  }

  private static Optional<Stamp> stamp(Path file) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return Optional.of(
          new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey()));
    } catch (IOException e) {
      // The file is being replaced, or deleted; the next check will show which.
      return Optional.empty();
    }
  }

  private Contexts read() throws TlsException {
    Path certificateFile = required("certfile", settings.certificate());
    Path keyFile = required("keyfile", settings.key());
    List<X509Certificate> chain = certificates("certfile", certificateFile);
    PrivateKey key = PemFiles.privateKey(settings.prefix(), keyFile, settings.password());
    if (!belongTogether(key, chain.get(0).getPublicKey())) {
      throw new TlsException(
          "%s: %s is not the key of the certificate in %s"
              .formatted(settings.option("keyfile"), keyFile, certificateFile));
    }
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(key, chain)
              .sslProvider(SslProvider.JDK)
              .sessionTimeout(TOO_LONG_FOR_TICKETS)
              .sessionCacheSize(REMEMBERED_SESSIONS)
              .ciphers(ciphers(key))
              .protocols(settings.versions());
      if (settings.verifyPeer()) {
        builder
            .trustManager(ClientTrust.of(settings, authorities()))
            .clientAuth(settings.failIfNoPeerCert() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL);
      }
      return new Contexts(builder.build(), connects ? client(key, chain) : null);
    } catch (SSLException e) {
      throw new TlsException("TLS cannot be set up: " + e.getMessage(), e);
    }
  }

  /** Without a directory of trusted certificates there must be some. */
  private List<X509Certificate> authorities() throws TlsException {
    return settings.authorities().isEmpty() && settings.trusted().isPresent()
        ? List.of()
        : certificates("cacertfile", required("cacertfile", settings.authorities()));
  }

  private SslContext client(PrivateKey key, List<X509Certificate> chain)
      throws SSLException, TlsException {
    return SslContextBuilder.forClient()
        .keyManager(key, chain)
        .trustManager(certificates("cacertfile", required("cacertfile", settings.authorities())))
        .sslProvider(SslProvider.JDK)
        // Netty compares host names otherwise. Nodes prove who they are by the secret as well.
        .endpointIdentificationAlgorithm(null)
        .ciphers(ciphers(key))
        .protocols(settings.versions())
        .build();
  }

  /** Returns the suites that can be spoken with this key and the versions that are wanted. */
  private List<String> ciphers(PrivateKey key) throws TlsException {
    boolean chosen = !settings.ciphers().isEmpty();
    List<String> usable =
        (chosen ? settings.ciphers() : CipherSuites.byDefault())
            .stream()
                .filter(
                    suite ->
                        settings
                            .versions()
                            .contains(CipherSuites.isOfVersion13(suite) ? "TLSv1.3" : "TLSv1.2"))
                .filter(suite -> CipherSuites.fits(suite, key.getAlgorithm()))
                .toList();
    if (usable.isEmpty()) {
      throw new TlsException(
          "%s: none of these can be spoken by %s with a key of the kind %s: %s"
              .formatted(
                  settings.option("ciphers"),
                  String.join(" or ", settings.versions()),
                  key.getAlgorithm(),
                  String.join(", ", settings.ciphers())));
    }
    return usable;
  }

  private Path required(String name, Optional<Path> file) throws TlsException {
    return file.orElseThrow(
        () ->
            new TlsException(
                "%s is not set, and %s needs it"
                    .formatted(settings.option(name), settings.neededBy())));
  }

  private List<X509Certificate> certificates(String name, Path file) throws TlsException {
    return PemFiles.certificates(settings.option(name), file);
  }

  private static boolean belongTogether(PrivateKey key, PublicKey certified) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> key.getAlgorithm();
        };
    byte[] sample = {1, 2, 3};
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(sample);
      byte[] signed = signature.sign();
      signature.initVerify(certified);
      signature.update(sample);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      LOGGER.debug("TLS: key and certificate do not match", e);
      return false;
    }
  }
}
