package io.mayflymq.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How the broker reaches a service by TLS.
 *
 * @param prefix what the keys begin with, without the last dot
 * @param verify whether the certificate of the service must be valid
 * @param authorities PEM: which may have signed it; empty for those that Java trusts
 * @param checksHost whether it must be that of the host of the URL
 * @param certificate PEM: the broker's own; empty if it has none
 * @param key PEM: the private key of that
 * @param password of that key
 * @param versions names of protocol versions, as in Java: TLSv1.3, TLSv1.2
 */
public record ClientTlsSettings(
    String prefix,
    boolean verify,
    Optional<Path> authorities,
    boolean checksHost,
    Optional<Path> certificate,
    Optional<Path> key,
    Optional<String> password,
    List<String> versions) {
  public ClientTlsSettings {
    versions = List.copyOf(versions);
  }

  /** Returns the same, of keys that begin otherwise. */
  ClientTlsSettings called(String otherPrefix) {
    return new ClientTlsSettings(
        otherPrefix, verify, authorities, checksHost, certificate, key, password, versions);
  }

  /** Returns the same for any certificate of the service. */
  ClientTlsSettings unverified() {
    return new ClientTlsSettings(
        prefix, false, authorities, checksHost, certificate, key, password, versions);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "ClientTlsSettings[verify=%s, authorities=%s, checksHost=%s, certificate=%s, versions=%s]"
        .formatted(verify, authorities, checksHost, certificate, versions);
  }
}
