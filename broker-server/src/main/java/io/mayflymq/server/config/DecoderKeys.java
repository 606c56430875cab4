package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The keys {@code config_entry_decoder.*}, which say how encrypted values are read: those of
 * secrets that begin with {@code encrypted:}. RabbitMQ has them in advanced.config.
 */
final class DecoderKeys {
  static final Section SECTION = new Section("Encrypted values");

  /** What an encrypted value begins with. */
  private static final String TAG = "encrypted:";

  static final Setting<Optional<String>> PASSPHRASE =
      SECTION.addChangeable(
          Setting.of(
              "config_entry_decoder.passphrase",
              orWord("none", secretText()),
              "none",
              "The passphrase. With one, the [passwords of shovels and"
                  + " upstreams](security.md#shovels-and-links) are kept encrypted too; for this"
                  + " it is looked at when the broker starts."));
  static final Setting<Optional<Path>> PASSPHRASE_FILE =
      SECTION.addChangeable(
          Setting.of(
              "config_entry_decoder.passphrase_file",
              orWord("none", path()),
              "none",
              "A file whose first line is the passphrase."));
  private static final Setting<String> CIPHER =
      SECTION.addChangeable(
          Setting.of(
              "config_entry_decoder.cipher",
              word(SecretCipher.CIPHERS.toArray(String[]::new)),
              SecretCipher.DEFAULT_CIPHER,
              "The cipher."));
  private static final Setting<String> HASH =
      SECTION.addChangeable(
          Setting.of(
              "config_entry_decoder.hash",
              word(SecretCipher.HASHES.toArray(String[]::new)),
              SecretCipher.DEFAULT_HASH,
              "The hash function by which PBKDF2 makes the key of the passphrase."));
  private static final Setting<Integer> ITERATIONS =
      SECTION.addChangeable(
          Setting.of(
              "config_entry_decoder.iterations",
              wholeNumber("", 1, SecretCipher.MOST_ITERATIONS),
              Integer.toString(SecretCipher.DEFAULT_ITERATIONS),
              "The iterations of PBKDF2."));

  private DecoderKeys() {}

  /** Returns whether a value is encrypted. */
  public static boolean isEncrypted(FileEntry entry) {
    return entry.value().startsWith(TAG);
  }

  /**
   * Returns whether the values of a key may be encrypted: those of secrets may, but for the
   * passphrase.
   */
  public static boolean canBeEncrypted(String key) {
    return Keys.isSecret(key) && !PASSPHRASE.matches(key);
  }

  /**
   * Decrypts values. It looks for the passphrase when there is a value, so that a configuration
   * without one needs none. Not thread-safe.
   */
  public static final class Decoder {
    private final SettingValues values;
    private String passphrase;

    /** Decrypts as these values say. */
    public Decoder(SettingValues values) {
      this.values = values;
    }

    /**
     * Returns an entry with what its value stands for.
     *
     * @param entry which {@linkplain #isEncrypted is encrypted}
     * @throws ConfigException if there is no passphrase, or the value cannot be decrypted by it
     */
    public FileEntry decode(FileEntry entry) throws ConfigException {
      SecretCipher cipher =
          new SecretCipher(values.get(CIPHER), values.get(HASH), values.get(ITERATIONS));
      String text =
          cipher
              .decrypt(entry.value().substring(TAG.length()), passphrase(entry))
              .map(EncryptedTerm::text)
              .orElseThrow(
                  () ->
                      new ConfigException(
                          ("%s: the value of key '%s' cannot be decrypted: expected what mayflyctl"
                                  + " encode or rabbitmqctl encode has made with the same"
                                  + " passphrase, %s, %s and iterations %d")
                              .formatted(
                                  entry.origin().where(),
                                  entry.key(),
                                  cipher.cipher(),
                                  cipher.hash(),
                                  cipher.iterations())));
      return new FileEntry(entry.origin(), entry.key(), text);
    }

    private String passphrase(FileEntry entry) throws ConfigException {
      if (passphrase == null) {
        Passphrase given = passphraseOf(values);
        if (!given.isGiven()) {
          throw new ConfigException(
              "%s: the value of key '%s' is encrypted: expected either %s"
                  .formatted(entry.origin().where(), entry.key(), Passphrase.KEYS));
        }
        passphrase = given.read();
      }
      return passphrase;
    }
  }

  /** Returns where the passphrase is. */
  static Passphrase passphraseOf(SettingValues values) {
    return new Passphrase(values.get(PASSPHRASE), values.get(PASSPHRASE_FILE));
  }
}
