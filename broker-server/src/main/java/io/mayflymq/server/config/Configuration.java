package io.mayflymq.server.config;

import io.mayflymq.core.policy.DefaultPolicy;
import io.mayflymq.core.policy.Defaults;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
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

  private final Map<String, FileEntry> entries;
  private final List<String> warnings;
  private final List<DefaultPolicy> defaultPolicies;
  private final Defaults objectDefaults;

  private Configuration(Map<String, FileEntry> entries, List<String> warnings)
      throws ConfigException {
    this.entries = Map.copyOf(entries);
    this.warnings = List.copyOf(warnings);
    this.defaultPolicies = DefaultPolicySettings.of(this);
    this.objectDefaults = ObjectDefaultKeys.of(this);
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
    return new Configuration(entries, warnings);
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
    entries.put(entry.key(), entry);
  }

  /** Returns warnings for the operator, a line each. */
  public List<String> warnings() {
    return warnings;
  }

  /** Returns the policies that new virtual hosts are given. */
  List<DefaultPolicy> defaultPolicies() {
    return defaultPolicies;
  }

  /** Returns the defaults for queues and exchanges without a setting of their own. */
  Defaults objectDefaults() {
    return objectDefaults;
  }

  /** Returns whether any source sets a key. */
  boolean sets(Setting<?> setting) {
    return entries.containsKey(setting.name());
  }

  /** Returns the value of a key, or its default. */
  <T> T get(Setting<T> setting) {
    return find(setting).orElseThrow();
  }

  /** Returns the value of a key, its default, or empty if it has neither. */
  <T> Optional<T> find(Setting<T> setting) {
    return Optional.ofNullable(entries.get(setting.name()))
        .map(FileEntry::value)
        .or(setting::byDefault)
        .flatMap(setting.type().parser());
  }

  /**
   * Returns the members of a family by the operator's names, or its defaults if none is set. Of a
   * family that a key of its own can empty ({@code listeners.tcp = none}), members from a stronger
   * source than that key's survive it, so {@code --set} can add to an emptied file.
   */
  <T> SortedMap<String, T> members(Family<T> family) {
    SortedMap<String, T> members = new TreeMap<>();
    texts(family)
        .forEach(
            (key, text) ->
                members.put(
                    family.memberName(key), family.type().parser().apply(text).orElseThrow()));
    return members;
  }

  /**
   * Returns the members of a family whose names are numbers, each once, in the order of these
   * numbers: {@code auth_mechanisms.10} comes after {@code auth_mechanisms.2}.
   */
  <T> List<T> inOrder(Family<T> family) {
    return members(family).entrySet().stream()
        .sorted(
            Comparator.<Map.Entry<String, T>>comparingInt(member -> member.getKey().length())
                .thenComparing(Map.Entry::getKey))
        .map(Map.Entry::getValue)
        .distinct()
        .toList();
  }

  private SortedMap<String, String> texts(Family<?> family) {
    List<FileEntry> set = set(family);
    boolean byDefault = set.isEmpty() && !entries.containsKey(family.emptiedBy());
    SortedMap<String, String> texts = new TreeMap<>(byDefault ? family.defaults() : Map.of());
    set.forEach(entry -> texts.put(entry.key(), entry.value()));
    return texts;
  }

  /** Returns the members of a family that were written and count, by name. */
  private List<FileEntry> set(Family<?> family) {
    Optional<FileEntry> none = Optional.ofNullable(entries.get(family.emptiedBy()));
    return entries.values().stream()
        .filter(entry -> family.matches(entry.key()))
        .filter(
            entry ->
                none.map(FileEntry::origin)
                    .map(origin -> entry.origin().rank().compareTo(origin.rank()) > 0)
                    .orElse(true))
        .sorted(Comparator.comparing(FileEntry::key))
        .toList();
  }

  /**
   * Returns every key that has a value, in the order of the documentation, with what holds for it.
   */
  List<EffectiveSetting> effective() {
    List<EffectiveSetting> effective = new ArrayList<>();
    for (Key<?> key : Keys.ALL) {
      if (key instanceof Family<?> family) {
        List<FileEntry> set = set(family);
        set.forEach(entry -> effective.add(EffectiveSetting.of(entry)));
        if (set.isEmpty() && !entries.containsKey(family.emptiedBy())) {
          new TreeMap<>(family.defaults())
              .forEach((name, value) -> effective.add(EffectiveSetting.byDefault(name, value)));
        }
      } else if (entries.containsKey(key.name())) {
        effective.add(EffectiveSetting.of(entries.get(key.name())));
      } else {
        // A key without a default, such as one that empties a family, has no value until it is set.
        key.defaults()
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
    Map<String, FileEntry> changed = new LinkedHashMap<>();
    entries.forEach(
        (name, entry) -> {
          if (keys.stream().noneMatch(key -> key.matches(name))) {
            changed.put(name, entry);
          }
        });
    other.entries.forEach(
        (name, entry) -> {
          if (keys.stream().anyMatch(key -> key.matches(name))) {
            changed.put(name, entry);
          }
        });
    changed.putAll(setAtRunTime());
    return new Configuration(changed, other.warnings);
  }

  /** Another configuration with what was set at run time in this one. */
  Configuration overriding(Configuration other) throws ConfigException {
    Map<String, FileEntry> changed = new LinkedHashMap<>(other.entries);
    changed.putAll(setAtRunTime());
    return new Configuration(changed, other.warnings);
  }

  private Map<String, FileEntry> setAtRunTime() {
    Map<String, FileEntry> set = new LinkedHashMap<>();
    entries.forEach(
        (name, entry) -> {
          if (entry.origin().equals(Origin.SET_COMMAND)) {
            set.put(name, entry);
          }
        });
    return set;
  }

  /**
   * Returns the keys that have other values in another configuration, in the documentation's order.
   */
  List<String> differences(Configuration other) {
    return Keys.ALL.stream()
        .filter(
            key ->
                key instanceof Family<?> family
                    ? !members(family).equals(other.members(family))
                    : !find((Setting<?>) key).equals(other.find((Setting<?>) key)))
        .map(Key::name)
        .toList();
  }

  /**
   * Returns the configuration with another value of a key, which counts over all sources.
   *
   * @throws ConfigException if there is no such key, or the value is none of its type
   */
  Configuration with(String key, String value) throws ConfigException {
    Map<String, FileEntry> changed = new LinkedHashMap<>(entries);
    String name = Keys.renamed(key).orElse(key);
    put(changed, new FileEntry(Origin.SET_COMMAND, name, value));
    // Of a family and the key that empties it, what was said last counts.
    changed
        .values()
        .removeIf(
            entry ->
                entry.origin().equals(Origin.SET_COMMAND)
                    && (entry.key().startsWith(key + ".") || key.startsWith(entry.key() + ".")));
    return new Configuration(changed, warnings);
  }
}
