package io.mayflymq.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How listeners speak TLS ({@code ssl_options.*}, {@code management.ssl.*}).
 *
 * @param prefix what their keys begin with, without its last dot
 * @param neededBy the key that makes these listeners
 * @param certificate PEM: the server's certificate, and those between it and its authority
 * @param key PEM: the certificate's private key
 * @param authorities PEM: who may sign clients' certificates
 * @param trusted a directory of certificates that are accepted from clients, in PEM, besides those
 *     that the authorities have signed
 * @param revocation whether revoked certificates of clients are refused; empty if it does not
 *     matter
 * @param verifyPeer whether clients are asked for a certificate
 * @param failIfNoPeerCert whether those without one are turned away
 * @param versions names of protocol versions, as in Java: TLSv1.3, TLSv1.2
 * @param ciphers the cipher suites that are spoken, the best first, by IANA's names; none for
 *     {@link CipherSuites#byDefault}
 * @param honorCipherOrder whether that order decides, and not the client's
 * @param password of the private key
 */
public record TlsSettings(
    String prefix,
    String neededBy,
    Optional<Path> certificate,
    Optional<Path> key,
    Optional<Path> authorities,
    Optional<Path> trusted,
    Optional<Revocation> revocation,
    boolean verifyPeer,
    boolean failIfNoPeerCert,
    List<String> versions,
    List<String> ciphers,
    boolean honorCipherOrder,
    Optional<String> password) {
  /**
   * How it is found out whether a client's certificate is revoked.
   *
   * @param check what is looked at, and what counts if it is not known
   * @param directories of revocation lists, in PEM or DER
   */
  public record Revocation(Check check, List<Path> directories) {
    /** What is looked at, as {@code crl_check} says. */
    public enum Check {
      /** All certificates between the client's and the authority. What is not known is refused. */
      TRUE,
      /** The client's certificate. What is not known is refused. */
      PEER,
      /** All. What is not known is accepted. */
      BEST_EFFORT
    }
  }

  /** Returns a key in full, such as {@code ssl_options.certfile}. */
  public String option(String name) {
    return prefix + "." + name;
  }

  @Override
  public String toString() {
    return "TlsSettings[certificate=%s, key=%s, authorities=%s, verifyPeer=%s, versions=%s]"
        .formatted(certificate, key, authorities, verifyPeer, versions);
  }
}
