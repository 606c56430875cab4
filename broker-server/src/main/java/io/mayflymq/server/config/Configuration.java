package io.mayflymq.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Everything that was set, checked, with the strongest source of each key: {@code --set} over the
 * environment over the file over the default.
 *
 * <p>Every value is checked, also one that a stronger source overrides, so that an error is found
 * now and not when the override is removed. Immutable.
 */
public final class Configuration {
  private final SettingValues values;
  private final List<String> warnings;
  private final List<Path> files;
  private final ServerSettings settings;

  /**
   * Reads the settings from checked values.
   *
   * @throws ConfigException if some of them make no sense together
   */
  Configuration(SettingValues values, List<String> warnings, List<Path> files)
      throws ConfigException {
    this.values = values;
    this.warnings = List.copyOf(warnings);
    this.files = List.copyOf(files);
    this.settings = ServerSettings.of(values);
  }

  /**
   * Reads all sources.
   *
   * @param file the file or directory of {@code --config}; without one, that which the environment
   *     variable {@code MAYFLY_CONFIG_FILE} names, if any. After a file those of {@code conf.d}
   *     beside it are read.
   * @param environment the process environment; a variable with an empty value counts as unset
   * @param sets the arguments of {@code --set}, each {@code key=value}, the last one strongest
   * @throws ConfigException for files that cannot be read, unknown keys and bad values; it tells
   *     all of them
   */
  public static Configuration load(
      Optional<Path> file, Map<String, String> environment, List<String> sets)
      throws ConfigException {
    return read(file, environment, sets).configuration();
  }

  /**
   * Reads the sources that the environment names, for a program that needs no secrets: encrypted
   * values stay as they are, so it need not have the passphrase.
   *
   * @throws ConfigException as {@link #load}
   */
  public static Configuration loadEncrypted(Map<String, String> environment)
      throws ConfigException {
    return read(Optional.empty(), environment, List.of()).encryptedConfiguration();
  }

  private static ConfigurationReader read(
      Optional<Path> file, Map<String, String> environment, List<String> sets) {
    ConfigurationReader reader = new ConfigurationReader();
    reader.readFiles(file.or(() -> ConfigurationReader.fileOf(environment)));
    reader.readEnvironment(environment);
    reader.readSets(sets);
    return reader;
  }

  /** Returns warnings for the operator, a line each. */
  public List<String> warnings() {
    List<String> all = new ArrayList<>(warnings);
    all.addAll(AuthBackendKeys.warnings(values));
    all.addAll(ClusterSettings.warnings(values));
    return all;
  }

  /** Returns the files that were read, absolute, the one that counts most last. */
  public List<Path> files() {
    return files;
  }

  /** Returns the typed settings. */
  public ServerSettings settings() {
    return settings;
  }

  /**
   * Returns every key that has a value, in the order of the documentation, with what holds for it.
   */
  List<EffectiveSetting> effective() {
    List<EffectiveSetting> effective = new ArrayList<>();
    for (Key<?> key : Keys.ALL) {
      List<FileEntry> written = values.entries(key);
      written.forEach(entry -> effective.add(EffectiveSetting.of(key, entry)));
      if (written.isEmpty()) {
        // A key without a default, such as one that empties a family, has no value until it is set.
        new TreeMap<>(values.defaults(key))
            .forEach((name, value) -> effective.add(EffectiveSetting.byDefault(key, name, value)));
      }
    }
    return effective;
  }

  /**
   * This configuration with what another one says about some keys. What was set at run time counts
   * over both.
   */
  Configuration with(Set<Key<?>> keys, Configuration other) throws ConfigException {
    return new Configuration(values.with(keys, other.values), other.warnings, other.files);
  }

  /** Another configuration with what was set at run time in this one. */
  Configuration overriding(Configuration other) throws ConfigException {
    return new Configuration(values.overriding(other.values), other.warnings, other.files);
  }

  /**
   * Returns the keys that have other values in another configuration, in the documentation's order.
   */
  List<String> differences(Configuration other) {
    return Keys.ALL.stream()
        .filter(key -> !values.agree(key, other.values))
        .map(Key::name)
        .toList();
  }

  /**
   * Returns the configuration with another value of a key, which counts over all sources.
   *
   * @throws ConfigException if there is no such key, or the value is none of its type
   */
  Configuration with(String key, String value) throws ConfigException {
    FileEntry entry = new FileEntry(Origin.SET_COMMAND, Keys.current(key), value);
    ConfigurationReader.check(entry);
    if (DecoderKeys.isEncrypted(entry)) {
      entry = new DecoderKeys.Decoder(values).decode(entry);
      ConfigurationReader.check(entry);
    }
    return new Configuration(values.with(entry), warnings, files);
  }
}
