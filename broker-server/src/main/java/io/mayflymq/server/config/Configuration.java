package io.mayflymq.server.config;

import io.mayflymq.server.config.key.Keys;
import io.mayflymq.server.config.key.SettingsReader;
import io.mayflymq.server.config.settings.ServerSettings;
import io.mayflymq.server.config.source.ConfigException;
import io.mayflymq.server.config.source.ConfigFile;
import io.mayflymq.server.config.source.FileEntry;
import io.mayflymq.server.config.source.Origin;
import io.mayflymq.server.config.source.SettingValues;
import io.mayflymq.server.config.type.Key;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
  private static final String FILE_VARIABLE = Keys.ENVIRONMENT_PREFIX + "CONFIG_FILE";

  /** Variables that belong to the start script, not to the broker. */
  private static final List<String> FOREIGN_VARIABLES =
      List.of(FILE_VARIABLE, "MAYFLY_HOME", "MAYFLY_JAVA_OPTS");

  private final SettingValues values;
  private final List<String> warnings;
  private final ServerSettings settings;

  private Configuration(SettingValues values, List<String> warnings) throws ConfigException {
    this.values = values;
    this.warnings = List.copyOf(warnings);
    this.settings = SettingsReader.read(values);
  }

  /**
   * Reads all sources.
   *
   * @param file the file of {@code --config}; without one, the file that the environment variable
   *     {@code MAYFLY_CONFIG_FILE} names, if any
   * @param environment the process environment; a variable with an empty value counts as unset
   * @param sets the arguments of {@code --set}, each {@code key=value}, the last one strongest
   * @throws ConfigException for a file that cannot be read, an unknown key or a bad value
   */
  public static Configuration load(
      Optional<Path> file, Map<String, String> environment, List<String> sets)
      throws ConfigException {
    Map<String, FileEntry> entries = new LinkedHashMap<>();
    List<String> warnings = new ArrayList<>();
    Optional<Path> source = file.or(() -> variable(environment, FILE_VARIABLE).map(Path::of));
    if (source.isPresent()) {
      for (FileEntry entry : ConfigFile.read(source.get())) {
        put(entries, current(entry, warnings));
      }
    }
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      String name = variable.getKey();
      if (!name.startsWith(Keys.ENVIRONMENT_PREFIX)
          || variable.getValue().isEmpty()
          || FOREIGN_VARIABLES.contains(name)) {
        continue;
      }
      Optional<String> key = Keys.ofEnvironmentVariable(name);
      if (key.isPresent()) {
        FileEntry entry = new FileEntry(Origin.variable(name), key.get(), variable.getValue());
        put(entries, current(entry, warnings));
      } else {
        // Not an error: Kubernetes gives every pod variables such as MAYFLY_PORT of its own accord.
        warnings.add("environment variable " + name + " is ignored: it names no key");
      }
    }
    for (String set : sets) {
      int equals = set.indexOf('=');
      if (equals <= 0) {
        throw new ConfigException("--set: expected KEY=VALUE, found " + ConfigException.quote(set));
      }
      FileEntry entry =
          new FileEntry(
              Origin.SET_OPTION,
              set.substring(0, equals).strip(),
              set.substring(equals + 1).strip());
      put(entries, current(entry, warnings));
    }
    return new Configuration(new SettingValues(entries), warnings);
  }

  private static Optional<String> variable(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** The entry under the name of today, with a warning if it has one of an earlier version. */
  private static FileEntry current(FileEntry entry, List<String> warnings) {
    String name = Keys.renamed(entry.key()).orElse(null);
    if (name == null) {
      return entry;
    }
    warnings.add(
        "%s: key '%s' is now called '%s'".formatted(entry.origin().where(), entry.key(), name));
    return new FileEntry(entry.origin(), name, entry.value());
  }

  private static void put(Map<String, FileEntry> entries, FileEntry entry) throws ConfigException {
    check(entry);
    entries.put(entry.key(), entry);
  }

  private static void check(FileEntry entry) throws ConfigException {
    Key<?> key = Keys.find(entry.key()).orElse(null);
    if (key == null) {
      String hint =
          Keys.nearest(entry.key())
              .map(name -> "did you mean '" + name + "'?")
              .orElse("config/mayfly.conf lists them all");
      throw new ConfigException(
          "%s: unknown key %s (value %s): expected a key of MayflyMQ; %s"
              .formatted(
                  entry.origin().where(),
                  ConfigException.quote(entry.key()),
                  ConfigException.quoteValue(entry.key(), entry.value()),
                  hint));
    }
    if (key.type().parser().apply(entry.value()).isEmpty()) {
      throw new ConfigException(
          "%s: bad value %s for key '%s': expected %s"
              .formatted(
                  entry.origin().where(),
                  ConfigException.quoteValue(entry.key(), entry.value()),
                  entry.key(),
                  key.type().expected()));
    }
  }

  /** Returns warnings for the operator, a line each. */
  public List<String> warnings() {
    return warnings;
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
      written.forEach(entry -> effective.add(EffectiveSetting.of(entry)));
      if (written.isEmpty()) {
        // A key without a default, such as one that empties a family, has no value until it is set.
        new TreeMap<>(values.defaults(key))
            .forEach((name, value) -> effective.add(EffectiveSetting.byDefault(name, value)));
      }
    }
    return effective;
  }

  /**
   * This configuration with what another one says about some keys. What was set at run time counts
   * over both.
   */
  Configuration with(Set<Key<?>> keys, Configuration other) throws ConfigException {
    return new Configuration(values.with(keys, other.values), other.warnings);
  }

  /** Another configuration with what was set at run time in this one. */
  Configuration overriding(Configuration other) throws ConfigException {
    return new Configuration(values.overriding(other.values), other.warnings);
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
    FileEntry entry = new FileEntry(Origin.SET_COMMAND, Keys.renamed(key).orElse(key), value);
    check(entry);
    return new Configuration(values.with(entry), warnings);
  }
}
