package io.mayflymq.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Reads the sources of a configuration, the weakest first, and collects their entries, errors and
 * warnings. Not thread-safe.
 */
final class ConfigurationReader {
  private static final String FILE_VARIABLE = Keys.ENVIRONMENT_PREFIX + "CONFIG_FILE";

  /** Variables that belong to the start script, not to the broker. */
  private static final List<String> FOREIGN_VARIABLES =
      List.of(FILE_VARIABLE, "MAYFLY_HOME", "MAYFLY_JAVA_OPTS", "MAYFLY_CACHE_DIR");

  private final Map<String, FileEntry> entries = new LinkedHashMap<>();

  /** The entries with encrypted values, also those that stronger ones override. */
  private final List<FileEntry> encrypted = new ArrayList<>();

  private final List<Path> files = new ArrayList<>();
  private final ConfigErrors errors = new ConfigErrors();
  private final List<String> warnings = new ArrayList<>();

  /** The warnings about entries without effect: one for each key, however often it is set. */
  private final Map<String, String> withoutEffect = new LinkedHashMap<>();

  /** Returns the file or directory that the environment names. */
  static Optional<Path> fileOf(Map<String, String> environment) {
    return Optional.ofNullable(environment.get(FILE_VARIABLE))
        .filter(value -> !value.isEmpty())
        .map(Path::of);
  }

  /** Reads the file or the directory that the operator has named, if any. */
  void readFiles(Optional<Path> named) {
    if (named.isEmpty()) {
      return;
    }
    try {
      for (Path file : ConfigFiles.of(named.get())) {
        files.add(file.toAbsolutePath().normalize());
        ConfigFile.read(file, Keys::isSecret, errors).forEach(this::add);
      }
      ConfigFiles.foreign(named.get())
          .forEach(file -> warnings.add(file + " is not read: set its keys in a *.conf file"));
    } catch (ConfigException e) {
      errors.add(e);
    }
  }

  /**
   * Reads the variables of keys; one with an empty value counts as unset. Those of RabbitMQ are the
   * weaker ones.
   */
  void readEnvironment(Map<String, String> environment) {
    Keys.VARIABLES_OF_RABBITMQ.forEach(
        (variable, key) -> {
          String value = environment.getOrDefault(variable, "");
          if (!value.isEmpty()) {
            add(new FileEntry(Origin.variable(variable), key, value));
          }
        });
    Optional.ofNullable(environment.get(EnabledPlugins.VARIABLE))
        .filter(file -> !file.isEmpty())
        .ifPresent(file -> warnings.addAll(EnabledPlugins.warnings(Path.of(file))));
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      String name = variable.getKey();
      if (!name.startsWith(Keys.ENVIRONMENT_PREFIX)
          || variable.getValue().isEmpty()
          || FOREIGN_VARIABLES.contains(name)) {
        continue;
      }
      Optional<String> key = Keys.ofEnvironmentVariable(name);
      if (key.isPresent()) {
        add(new FileEntry(Origin.variable(name), key.get(), variable.getValue()));
      } else {
        // Not an error: Kubernetes gives every pod variables such as MAYFLY_PORT of its own accord.
        warnings.add("environment variable " + name + " is ignored: it names no key");
      }
    }
  }

  /** Reads the arguments of {@code --set}, each {@code key=value}. */
  void readSets(List<String> sets) {
    for (String set : sets) {
      int equals = set.indexOf('=');
      if (equals <= 0) {
        errors.add(
            "--set: expected KEY=VALUE, found " + ConfigException.quoteEntry(set, Keys::isSecret));
        continue;
      }
      add(
          new FileEntry(
              Origin.SET_OPTION,
              set.substring(0, equals).strip(),
              set.substring(equals + 1).strip()));
    }
  }

  /**
   * Returns what was read, with encrypted values as they were written.
   *
   * @throws ConfigException if there were errors
   */
  Configuration encryptedConfiguration() throws ConfigException {
    errors.throwIfAny();
    warnings.addAll(withoutEffect.values());
    return new Configuration(new SettingValues(entries), warnings, files);
  }

  /**
   * Returns what was read.
   *
   * @throws ConfigException if there were errors, or an encrypted value cannot be decrypted
   */
  Configuration configuration() throws ConfigException {
    errors.throwIfAny();
    // Any source may have the passphrase.
    DecoderKeys.Decoder decoder = new DecoderKeys.Decoder(new SettingValues(entries));
    for (FileEntry entry : encrypted) {
      try {
        FileEntry decoded = decoder.decode(entry);
        check(decoded);
        entries.replace(entry.key(), entry, decoded);
      } catch (ConfigException e) {
        errors.add(e);
      }
    }
    return encryptedConfiguration();
  }

  private void add(FileEntry written) {
    FileEntry entry = new FileEntry(written.origin(), Keys.current(written.key()), written.value());
    if (Keys.isFormer(written.key())) {
      warnings.add(
          "%s: key '%s' is now called '%s'"
              .formatted(written.origin().where(), written.key(), entry.key()));
    }
    ForeignKeys.Entry foreign = foreign(entry);
    if (foreign != null && !foreign.isRefused()) {
      withoutEffect.put(
          entry.key(),
          Keys.find(entry.key()).isEmpty()
              ? "%s: key '%s' has no effect: %s"
                  .formatted(entry.origin().where(), entry.key(), foreign.reason())
              : "%s: value %s of key '%s' has no effect: %s"
                  .formatted(
                      entry.origin().where(), quoteValue(entry), entry.key(), foreign.reason()));
      return;
    }
    try {
      check(entry);
      entries.put(entry.key(), entry);
      if (DecoderKeys.isEncrypted(entry)) {
        encrypted.add(entry);
      }
    } catch (ConfigException e) {
      errors.add(e);
    }
  }

  /**
   * Returns what is known of a key or a value of RabbitMQ that this broker does not have; null for
   * others.
   */
  private static ForeignKeys.Entry foreign(FileEntry entry) {
    Key<?> key = Keys.find(entry.key()).orElse(null);
    if (key == null) {
      return ForeignKeys.find(entry.key(), entry.value()).orElse(null);
    }
    return key.type().parser().apply(entry.value()).isPresent()
        ? null
        : ForeignKeys.findValue(entry.key(), entry.value()).orElse(null);
  }

  /**
   * Checks that an entry has a key of this broker, and a value of its type.
   *
   * @throws ConfigException if not
   */
  static void check(FileEntry entry) throws ConfigException {
    Key<?> key = Keys.find(entry.key()).orElse(null);
    if (key == null) {
      ForeignKeys.Entry foreign = foreign(entry);
      throw new ConfigException(foreign == null ? unknown(entry) : refused(entry, foreign));
    }
    if (DecoderKeys.isEncrypted(entry) && !DecoderKeys.canBeEncrypted(entry.key())) {
      throw new ConfigException(
          "%s: the value of key '%s' cannot be encrypted, only passwords and other secrets can"
              .formatted(entry.origin().where(), entry.key()));
    }
    if (key.type().parser().apply(entry.value()).isEmpty()) {
      throw new ConfigException(
          "%s: bad value %s for key '%s': expected %s"
              .formatted(
                  entry.origin().where(), quoteValue(entry), entry.key(), key.type().expected()));
    }
  }

  private static String quoteValue(FileEntry entry) {
    return ConfigException.quoteValue(Keys.isSecret(entry.key()), entry.value());
  }

  private static String unknown(FileEntry entry) {
    String hint =
        Keys.nearest(entry.key())
            .map(name -> "did you mean '" + name + "'?")
            .orElse("config/mayfly.conf lists them all");
    return "%s: unknown key %s (value %s): expected a key of MayflyMQ; %s"
        .formatted(
            entry.origin().where(), ConfigException.quote(entry.key()), quoteValue(entry), hint);
  }

  private static String refused(FileEntry entry, ForeignKeys.Entry foreign) {
    return "%s: key %s (value %s) %s: %s"
        .formatted(
            entry.origin().where(),
            ConfigException.quote(entry.key()),
            quoteValue(entry),
            foreign.isRefused() ? "is refused" : "has no effect",
            foreign.reason());
  }
}
