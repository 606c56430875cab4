package io.mayflymq.server.config;

import java.util.Map;
import java.util.Optional;

/**
 * One key.
 *
 * @param byDefault the value as text when nothing is set; empty if the key then has none
 */
public record Setting<T>(String name, ValueType<T> type, Optional<String> byDefault, String doc)
    implements Key<T> {
  /** A key with a default, as text. */
  public static <T> Setting<T> of(String name, ValueType<T> type, String byDefault, String doc) {
    return new Setting<>(name, type, Optional.of(byDefault), doc);
  }

  /** A key that has no value until it is set. */
  public static <T> Setting<T> withoutDefault(String name, ValueType<T> type, String doc) {
    return new Setting<>(name, type, Optional.empty(), doc);
  }

  @Override
  public boolean matches(String key) {
    return name.equals(key);
  }

  @Override
  public Map<String, String> defaults() {
    return byDefault.map(value -> Map.of(name, value)).orElse(Map.of());
  }

  /** A name has one key. The methods that Java generates for records would slow the start. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Setting<?> that && name.equals(that.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
