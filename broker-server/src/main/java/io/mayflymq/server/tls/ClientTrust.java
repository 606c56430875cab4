package io.mayflymq.server.tls;

import io.mayflymq.server.config.TlsSettings;
import io.mayflymq.server.config.TlsSettings.Revocation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CRL;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CRL;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;

/**
 * Decides which certificates of clients are accepted: those that an authority has signed and not
 * revoked, and those in a directory. Nothing is asked over the network.
 */
final class ClientTrust extends X509ExtendedTrustManager {
  private static final String TRUSTED = "trust_store.directory";

  /** RFC 5280, section 5.2.3. */
  private static final String CRL_NUMBER = "2.5.29.20";

  private static final Comparator<X509CRL> NEWER =
      Comparator.comparing(ClientTrust::number).thenComparing(X509CRL::getThisUpdate);

  /** Null if no certificate is accepted. */
  private final X509ExtendedTrustManager pkix;

  private ClientTrust(X509ExtendedTrustManager pkix) {
    this.pkix = pkix;
  }

  /**
   * Reads all files.
   *
   * @param authorities may sign certificates of clients
   * @throws TlsException if a file cannot be used
   */
  static TrustManager of(TlsSettings settings, List<X509Certificate> authorities)
      throws TlsException {
    Set<TrustAnchor> anchors = new HashSet<>();
    authorities.forEach(authority -> anchors.add(new TrustAnchor(authority, null)));
    if (settings.trusted().isPresent()) {
      for (Path file : files(TRUSTED, settings.trusted().get())) {
        // Java accepts a certificate that is itself an anchor.
        PemFiles.certificates(TRUSTED, file)
            .forEach(certificate -> anchors.add(new TrustAnchor(certificate, null)));
      }
    }
    if (anchors.isEmpty()) {
      // The last one may have been taken out of the directory, and is not to stay in use.
      return new ClientTrust(null);
    }
    try {
      PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, new X509CertSelector());
      parameters.setRevocationEnabled(settings.revocation().isPresent());
      if (settings.revocation().isPresent()) {
        Revocation revocation = settings.revocation().get();
        parameters.addCertPathChecker(checker(revocation.check()));
        parameters.addCertStore(
            CertStore.getInstance(
                "Collection",
                new CollectionCertStoreParameters(
                    lists(settings.option("crl_sources"), revocation.directories()))));
      }
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(new CertPathTrustManagerParameters(parameters));
      return new ClientTrust((X509ExtendedTrustManager) factory.getTrustManagers()[0]);
    } catch (GeneralSecurityException e) {
      throw new TlsException(
          "%s: TLS cannot be set up: %s".formatted(settings.prefix(), e.getMessage()), e);
    }
  }

  private static PKIXRevocationChecker checker(Revocation.Check check)
      throws GeneralSecurityException {
    PKIXRevocationChecker checker =
        (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
    Set<PKIXRevocationChecker.Option> options =
        EnumSet.of(
            PKIXRevocationChecker.Option.PREFER_CRLS, PKIXRevocationChecker.Option.NO_FALLBACK);
    if (check == Revocation.Check.PEER) {
      options.add(PKIXRevocationChecker.Option.ONLY_END_ENTITY);
    } else if (check == Revocation.Check.BEST_EFFORT) {
      options.add(PKIXRevocationChecker.Option.SOFT_FAIL);
    }
    checker.setOptions(options);
    return checker;
  }

  private static Collection<CRL> lists(String option, List<Path> directories)
      throws TlsException, GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    Map<X500Principal, X509CRL> newest = new HashMap<>();
    for (Path directory : directories) {
      for (Path file : files(option, directory)) {
        try {
          Collection<? extends CRL> found =
              factory.generateCRLs(new ByteArrayInputStream(Files.readAllBytes(file)));
          if (found.isEmpty()) {
            throw new TlsException("%s: %s holds no revocation list".formatted(option, file));
          }
          for (CRL list : found) {
            // Java takes any list of an authority that is valid, also one that a newer one
            // replaces.
            newest.merge(
                ((X509CRL) list).getIssuerX500Principal(),
                (X509CRL) list,
                (one, other) -> NEWER.compare(one, other) > 0 ? one : other);
          }
        } catch (IOException | GeneralSecurityException e) {
          throw new TlsException(
              "%s: %s holds no revocation list in PEM or DER: %s"
                  .formatted(option, file, e.getMessage()),
              e);
        }
      }
    }
    return List.copyOf(newest.values());
  }

  /** Returns the number of a list, which grows from one to the next; 0 if it has none. */
  private static BigInteger number(X509CRL list) {
    byte[] extension = list.getExtensionValue(CRL_NUMBER);
    // An integer of at most 20 bytes, in an octet string: a tag and a length before each.
    return extension == null || extension.length < 5
        ? BigInteger.ZERO
        : new BigInteger(Arrays.copyOfRange(extension, 4, extension.length));
  }

  /**
   * Returns the files of a directory in the order of their names, without hidden ones.
   *
   * @param option the key that names the directory, for errors
   * @throws TlsException if it cannot be read
   */
  static List<Path> files(String option, Path directory) throws TlsException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(
              file -> Files.isRegularFile(file) && !file.getFileName().toString().startsWith("."))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new TlsException(
          "%s: cannot read the directory %s: %s"
              .formatted(option, directory, e.getClass().getSimpleName()),
          e);
    }
  }

  private X509ExtendedTrustManager trust(X509Certificate[] chain) throws CertificateException {
    if (pkix == null) {
      throw new CertificateException("no certificate is accepted");
    }
    // Of a certificate that is an anchor, Java looks at nothing else.
    chain[0].checkValidity();
    return pkix;
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    trust(chain).checkClientTrusted(chain, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    trust(chain).checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    trust(chain).checkClientTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    throw new CertificateException("a server has no servers");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkServerTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    throw new CertificateException("a server has no servers");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return pkix == null ? new X509Certificate[0] : pkix.getAcceptedIssuers();
  }
}
