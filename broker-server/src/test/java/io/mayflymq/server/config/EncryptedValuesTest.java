package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values {@code encrypted:...} of the configuration. */
class EncryptedValuesTest {
  /** Made by {@code rabbitmqctl encode '<<"bin">>' pass} of RabbitMQ 4.3.6 with these options. */
  private static final String BIN =
      "encrypted:NXFW+JjiRSFAtC6UqEwYAzudMAvpMy8IwsAJqfFa8SDYnZXwiFWUpNtj3SSpGPPR";

  private static final String DECODER =
      """
      config_entry_decoder.cipher = aes_256_cbc
      config_entry_decoder.hash = sha512
      config_entry_decoder.iterations = 1000
      """;

  @TempDir Path directory;

  private Configuration load(String content, String... sets) throws Exception {
    Path file = Files.writeString(directory.resolve("mayfly.conf"), content);
    return Configuration.load(Optional.of(file), Map.of(), List.of(sets));
  }

  private void assertRefused(String content, String message) {
    assertThatThrownBy(() -> load(content))
        .isInstanceOf(ConfigException.class)
        .hasMessage(message.replace("FILE", directory.resolve("mayfly.conf").toString()));
  }

  @Test
  void encryptedSecretIsReadByThePassphraseOfAnySource() throws Exception {
    Configuration configuration =
        load(
            "default_pass = "
                + BIN
                + "\ntracing.otlp.headers.authorization = "
                + BIN
                + "\n"
                + DECODER,
            "config_entry_decoder.passphrase=pass");
    assertThat(configuration.settings().defaults().password()).isEqualTo("bin");
    assertThat(configuration.settings().tracing().headers()).containsEntry("authorization", "bin");
    assertThat(configuration.effective())
        .extracting(EffectiveSetting::value)
        .doesNotContain("bin", "pass", BIN);
  }

  @Test
  void passphraseIsTheFirstLineOfAFile() throws Exception {
    Path file = Files.writeString(directory.resolve("passphrase"), "pass\r\nmore\n");
    Configuration configuration =
        load(
            DECODER
                + "config_entry_decoder.passphrase_file = %s\nssl_options.password = %s"
                    .formatted(file, BIN));
    assertThat(configuration.settings().tls().password()).contains("bin");
  }

  @Test
  void encryptedSecretWithoutThePassphraseIsRefused() {
    assertRefused(
        "default_pass = " + BIN,
        "FILE:1: the value of key 'default_pass' is encrypted: expected either"
            + " config_entry_decoder.passphrase or config_entry_decoder.passphrase_file");
    assertRefused(
        "default_pass = %s\nconfig_entry_decoder.passphrase_file = /nowhere".formatted(BIN),
        "config_entry_decoder.passphrase_file /nowhere: no such file; expected a file with the"
            + " passphrase in its first line");
  }

  @Test
  void everyValueThatCannotBeDecryptedIsReportedAlsoIfItIsOverridden() {
    assertRefused(
        "default_pass = encrypted:x\ndefault_pass = encrypted:%s\ndefault_pass = guest\n%s"
            .formatted(BIN, "config_entry_decoder.passphrase = pass"),
        """
        FILE:1: the value of key 'default_pass' cannot be decrypted: expected what mayflyctl encode\
         or rabbitmqctl encode has made with the same passphrase, aes_128_cbc, sha256 and iterations 1
        FILE:2: the value of key 'default_pass' cannot be decrypted: expected what mayflyctl encode\
         or rabbitmqctl encode has made with the same passphrase, aes_128_cbc, sha256 and iterations 1""");
  }

  @Test
  void onlySecretsCanBeEncrypted() {
    assertRefused(
        "default_user = " + BIN,
        "FILE:1: the value of key 'default_user' cannot be encrypted, only passwords and other"
            + " secrets can");
    assertRefused(
        "config_entry_decoder.passphrase = " + BIN,
        "FILE:1: the value of key 'config_entry_decoder.passphrase' cannot be encrypted, only"
            + " passwords and other secrets can");
  }

  @Test
  void emptySecretIsRefusedAlsoIfItIsEncrypted() {
    String empty = SecretCipher.ofDefaults().encrypt(EncryptedTerm.written("\"\""), "pass");
    assertRefused(
        "default_pass = encrypted:%s\nconfig_entry_decoder.passphrase = pass".formatted(empty),
        "FILE:1: bad value (not shown) for key 'default_pass': expected a text that is not empty");
  }

  @Test
  void encryptedValueCanBeSetAtRunTime() throws Exception {
    LiveConfiguration live =
        new LiveConfiguration(load(DECODER, "config_entry_decoder.passphrase=pass"));
    live.set("ssl_options.password", BIN);
    assertThat(live.settings().tls().password()).contains("bin");
    assertThatThrownBy(() -> live.set("ssl_options.password", "encrypted:x"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("cannot be decrypted");
  }

  @Test
  void programsThatNeedNoSecretsNeedNoPassphrase() throws Exception {
    Configuration configuration =
        Configuration.loadEncrypted(Map.of("MAYFLY_DEFAULT_PASS", BIN, "MAYFLY_DATA_DIR", "/d"));
    assertThat(configuration.settings().dataDir()).hasToString("/d");
  }
}
