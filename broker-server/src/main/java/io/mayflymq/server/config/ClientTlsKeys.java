package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.word;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The keys that say how the broker reaches a service by TLS: the same for each service. */
final class ClientTlsKeys {
  private final String prefix;
  private final Setting<String> verify;
  private final Setting<Optional<Path>> authorities;
  private final Setting<String> hostName;
  private final Setting<Optional<Path>> certificate;
  private final Setting<Optional<Path>> key;
  private final Setting<Optional<String>> password;
  private final KeyFamily<String> versions;

  /**
   * Adds the keys to a section.
   *
   * @param prefix what they begin with, without the last dot
   * @param service what documentation calls the service
   */
  ClientTlsKeys(Section section, String prefix, String service) {
    this.prefix = prefix;
    this.verify =
        section.add(
            Setting.of(
                prefix + ".verify",
                word("verify_peer", "verify_none"),
                "verify_peer",
                "Whether the certificate of %s must be valid.".formatted(service)));
    this.authorities =
        section.add(
            Setting.of(
                prefix + ".cacertfile",
                orWord("none", path()),
                "none",
                "The authorities that may have signed it, in PEM; `none`: those that Java"
                    + " trusts."));
    this.hostName =
        section.add(
            Setting.of(
                prefix + ".hostname_verification",
                word("wildcard", "none"),
                "wildcard",
                "Whether it must be for the host that is asked; it may have a wildcard. With"
                    + " `none` it may be for any."));
    this.certificate =
        section.add(
            Setting.of(
                prefix + ".certfile",
                orWord("none", path()),
                "none",
                "The broker's certificate for %s and its intermediate certificates, in PEM."
                    .formatted(service)));
    this.key =
        section.add(
            Setting.of(
                prefix + ".keyfile", orWord("none", path()), "none", "Its private key, in PEM."));
    this.password =
        section.add(
            Setting.of(
                prefix + ".password",
                orWord("none", secretText()),
                "none",
                "The password of that key."));
    this.versions =
        section.add(
            new KeyFamily<>(
                prefix + ".versions.",
                "$n",
                word("tlsv1.3", "tlsv1.2"),
                Map.of(prefix + ".versions.1", "tlsv1.3", prefix + ".versions.2", "tlsv1.2"),
                "Allowed versions of TLS."));
  }

  ClientTlsSettings read(SettingValues values) {
    return new ClientTlsSettings(
        prefix,
        values.get(verify).equals("verify_peer"),
        values.get(authorities),
        values.get(hostName).equals("wildcard"),
        values.get(certificate),
        values.get(key),
        values.get(password),
        values.members(versions).values().stream()
            .distinct()
            .map(version -> version.replace("tlsv", "TLSv"))
            .toList());
  }

  /** Notes an error if there is a certificate without a key, or a key without a certificate. */
  void check(ClientTlsSettings settings, ConfigErrors errors) {
    if (settings.certificate().isPresent() != settings.key().isPresent()) {
      boolean hasKey = settings.key().isPresent();
      errors.add(
          "key '%s' is set and key '%s' is not: expected both or none"
              .formatted(
                  settings.prefix() + (hasKey ? ".keyfile" : ".certfile"),
                  settings.prefix() + (hasKey ? ".certfile" : ".keyfile")));
    }
  }
}
