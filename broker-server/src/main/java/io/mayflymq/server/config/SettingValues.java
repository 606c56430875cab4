package io.mayflymq.server.config;

import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The values of keys: what the strongest source of each says, or the default. Immutable. */
final class SettingValues {
  private final Map<String, FileEntry> entries;

  /**
   * Creates the values that were written.
   *
   * @param entries the strongest entry of each key by the key's full name, already checked
   */
  public SettingValues(Map<String, FileEntry> entries) {
    this.entries = Map.copyOf(entries);
  }

  /** Returns values of which each key was written once, already checked. */
  static SettingValues of(List<FileEntry> entries) {
    Map<String, FileEntry> byKey = new LinkedHashMap<>();
    entries.forEach(entry -> byKey.put(entry.key(), entry));
    return new SettingValues(byKey);
  }

  /** Returns these values with others that count over them. */
  SettingValues overlaid(List<FileEntry> others) {
    Map<String, FileEntry> all = new LinkedHashMap<>(entries);
    others.forEach(entry -> all.put(entry.key(), entry));
    return new SettingValues(all);
  }

  /** Returns whether any source sets a key. */
  public boolean sets(Setting<?> setting) {
    return entries.containsKey(setting.name());
  }

  /** Returns the value of a key, or its default. */
  public <T> T get(Setting<T> setting) {
    return find(setting).orElseThrow();
  }

  /** Returns the value of a key, its default, or empty if it has neither. */
  public <T> Optional<T> find(Setting<T> setting) {
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
  public <T> SortedMap<String, T> members(KeyFamily<T> family) {
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
  public <T> List<T> inOrder(KeyFamily<T> family) {
    return members(family).entrySet().stream()
        .sorted(
            Comparator.<Map.Entry<String, T>>comparingInt(member -> member.getKey().length())
                .thenComparing(Map.Entry::getKey))
        .map(Map.Entry::getValue)
        .distinct()
        .toList();
  }

  /** Returns the names of the members of a family that are true, in alphabetical order. */
  SortedSet<String> trueMembers(KeyFamily<Boolean> family) {
    SortedSet<String> names = new TreeSet<>();
    members(family)
        .forEach(
            (name, value) -> {
              if (value) {
                names.add(name);
              }
            });
    return Collections.unmodifiableSortedSet(names);
  }

  private SortedMap<String, String> texts(KeyFamily<?> family) {
    SortedMap<String, String> texts = new TreeMap<>(defaults(family));
    entries(family).forEach(entry -> texts.put(entry.key(), entry.value()));
    return texts;
  }

  /** Returns the defaults of a key in full, as text; none if a source sets or empties it. */
  public Map<String, String> defaults(Key<?> key) {
    boolean emptied = key instanceof KeyFamily<?> family && entries.containsKey(family.emptiedBy());
    return emptied || !entries(key).isEmpty() ? Map.of() : key.defaults();
  }

  /** Returns what was written of a key and counts; of a family its members, by name. */
  public List<FileEntry> entries(Key<?> key) {
    return entries.values().stream()
        .filter(entry -> key.matches(entry.key()))
        .filter(entry -> !(key instanceof KeyFamily<?> family) || !isEmptied(family, entry))
        .sorted(Comparator.comparing(FileEntry::key))
        .toList();
  }

  /** Whether the key that empties the family is from a source that is not weaker. */
  private boolean isEmptied(KeyFamily<?> family, FileEntry member) {
    FileEntry none = entries.get(family.emptiedBy());
    return none != null && member.origin().rank().compareTo(none.origin().rank()) <= 0;
  }

  /** Returns whether a key has the same value here and there, or a family the same members. */
  public boolean agree(Key<?> key, SettingValues other) {
    return key instanceof KeyFamily<?> family
        ? members(family).equals(other.members(family))
        : find((Setting<?>) key).equals(other.find((Setting<?>) key));
  }

  /**
   * Returns these values with those that others have for some keys. What was set at run time counts
   * over both.
   */
  public SettingValues with(Set<Key<?>> keys, SettingValues other) {
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
    return overriding(changed);
  }

  /** Returns other values with what was set at run time in these. */
  public SettingValues overriding(SettingValues other) {
    return overriding(other.entries);
  }

  private SettingValues overriding(Map<String, FileEntry> others) {
    Map<String, FileEntry> changed = new LinkedHashMap<>(others);
    entries.forEach(
        (name, entry) -> {
          if (entry.origin().equals(Origin.SET_COMMAND)) {
            changed.put(name, entry);
          }
        });
    return new SettingValues(changed);
  }

  /** Returns these values with one that is set at run time, which counts over all sources. */
  public SettingValues with(FileEntry set) {
    String key = set.key();
    Map<String, FileEntry> changed = new LinkedHashMap<>(entries);
    // Of a family and the key that empties it, what was said last counts.
    changed
        .values()
        .removeIf(
            entry ->
                entry.origin().equals(Origin.SET_COMMAND)
                    && (entry.key().startsWith(key + ".") || key.startsWith(entry.key() + ".")));
    changed.put(key, set);
    return new SettingValues(changed);
  }
}
