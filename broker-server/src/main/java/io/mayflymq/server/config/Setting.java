package io.mayflymq.server.config;

import java.util.Map;
import java.util.Optional;

/**
 * One key.
 *
 * @param byDefault the value as text when nothing is set; empty if the key then has none
 */
record Setting<T>(String name, ValueType<T> type, Optional<String> byDefault, String doc)
    implements Key<T> {
  static <T> Setting<T> of(String name, ValueType<T> type, String byDefault, String doc) {
    return new Setting<>(name, type, Optional.of(byDefault), doc);
  }

  static <T> Setting<T> withoutDefault(String name, ValueType<T> type, String doc) {
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
}
