package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.cipherSuite;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.server.config.TlsSettings.Revocation;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The keys that say how listeners of one kind speak TLS: the same ones under different prefixes.
 *
 * @param prefix without its last dot, {@code ssl_options}
 * @param neededBy the key that makes listeners which need them
 */
record TlsKeys(
    String prefix,
    String neededBy,
    Setting<Optional<Path>> certificate,
    Setting<Optional<Path>> key,
    Setting<Optional<String>> password,
    Setting<Optional<Path>> authorities,
    Setting<String> verify,
    Setting<Boolean> failIfNoPeerCert,
    KeyFamily<String> versions,
    KeyFamily<String> ciphers,
    Setting<Boolean> honorCipherOrder) {

  static TlsKeys of(Section section, String prefix, String neededBy) {
    return new TlsKeys(
        prefix,
        neededBy,
        section.addChangeable(
            Setting.of(
                prefix + ".certfile",
                orWord("none", path()),
                "none",
                "The server's certificate and its intermediate certificates, in PEM.")),
        section.addChangeable(
            Setting.of(
                prefix + ".keyfile", orWord("none", path()), "none", "Its private key, in PEM.")),
        section.addChangeable(
            Setting.of(
                prefix + ".password",
                orWord("none", secretText()),
                "none",
                "The password of that key.")),
        section.addChangeable(
            Setting.of(
                prefix + ".cacertfile",
                orWord("none", path()),
                "none",
                "The authorities that sign clients' certificates, in PEM; for `verify_peer`.")),
        section.addChangeable(
            Setting.of(
                prefix + ".verify",
                word("verify_peer", "verify_none"),
                "verify_none",
                "Whether clients are asked for a certificate.")),
        section.addChangeable(
            Setting.of(
                prefix + ".fail_if_no_peer_cert",
                bool(),
                "false",
                "Whether clients without a certificate are refused.")),
        section.addChangeable(
            new KeyFamily<>(
                prefix + ".versions.",
                "$n",
                word("tlsv1.3", "tlsv1.2"),
                Map.of(prefix + ".versions.1", "tlsv1.3", prefix + ".versions.2", "tlsv1.2"),
                "Allowed versions of TLS.")),
        section.addChangeable(
            new KeyFamily<>(
                prefix + ".ciphers.",
                "$n",
                cipherSuite(),
                Map.of(),
                "Allowed [cipher suites](tls.md#cipher-suites), in the order of their"
                    + " numbers; if none are listed, all that have forward secrecy.")),
        section.addChangeable(
            Setting.of(
                prefix + ".honor_cipher_order",
                bool(),
                "true",
                "Whether the broker's order of cipher suites has precedence over the client's.")));
  }

  TlsSettings settings(SettingValues values) {
    return settings(values, Optional.empty(), Optional.empty());
  }

  /** Returns settings with what only some listeners have. */
  TlsSettings settings(
      SettingValues values, Optional<Path> trusted, Optional<Revocation> revocation) {
    return new TlsSettings(
        prefix,
        neededBy,
        values.get(certificate),
        values.get(key),
        values.get(authorities),
        trusted,
        revocation,
        values.get(verify).equals("verify_peer"),
        values.get(failIfNoPeerCert),
        values.members(versions).values().stream()
            .distinct()
            .map(version -> version.replace("tlsv", "TLSv"))
            .toList(),
        values.inOrder(ciphers),
        values.get(honorCipherOrder),
        values.get(password));
  }
}
