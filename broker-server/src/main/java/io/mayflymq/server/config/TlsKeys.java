package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.cipherSuite;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.word;

import java.nio.file.Path;
import java.util.List;
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

  static TlsKeys of(String prefix, String neededBy) {
    return new TlsKeys(
        prefix,
        neededBy,
        Setting.of(
            prefix + ".certfile",
            orWord("none", path()),
            "none",
            "The server's certificate, and those between it and its authority, in PEM."),
        Setting.of(prefix + ".keyfile", orWord("none", path()), "none", "Its private key, in PEM."),
        Setting.of(
            prefix + ".password",
            orWord("none", secretText()),
            "none",
            "The password of that key."),
        Setting.of(
            prefix + ".cacertfile",
            orWord("none", path()),
            "none",
            "The authorities that clients' certificates are signed by, in PEM."),
        Setting.of(
            prefix + ".verify",
            word("verify_peer", "verify_none"),
            "verify_none",
            "Whether clients are asked for a certificate."),
        Setting.of(
            prefix + ".fail_if_no_peer_cert",
            bool(),
            "false",
            "Whether clients that have none are turned away."),
        new KeyFamily<>(
            prefix + ".versions.",
            "$n",
            word("tlsv1.3", "tlsv1.2"),
            Map.of(prefix + ".versions.1", "tlsv1.3", prefix + ".versions.2", "tlsv1.2"),
            "Versions of TLS that are spoken."),
        new KeyFamily<>(
            prefix + ".ciphers.",
            "$n",
            cipherSuite(),
            Map.of(),
            "Cipher suites that are spoken, the best first, by OpenSSL's or IANA's names."),
        Setting.of(
            prefix + ".honor_cipher_order",
            bool(),
            "true",
            "Whether the broker's order of them decides, and not the client's."));
  }

  /** Returns all these keys. */
  List<Key<?>> keys() {
    return List.of(
        certificate,
        key,
        password,
        authorities,
        verify,
        failIfNoPeerCert,
        versions,
        ciphers,
        honorCipherOrder);
  }

  TlsSettings settings(SettingValues values) {
    return new TlsSettings(
        prefix,
        neededBy,
        values.get(certificate),
        values.get(key),
        values.get(authorities),
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
