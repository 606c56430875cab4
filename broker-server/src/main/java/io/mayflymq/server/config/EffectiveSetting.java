package io.mayflymq.server.config;

/**
 * A key with what holds for it.
 *
 * @param key in full
 * @param value as it would be written; not shown if it is a secret
 * @param source where it was written: {@code default}, the file with its line, the variable, or the
 *     option
 */
public record EffectiveSetting(String key, String value, String source) {
  private static final String BY_DEFAULT = "default";

  static EffectiveSetting byDefault(Key<?> key, String name, String value) {
    return new EffectiveSetting(name, shown(key, value), BY_DEFAULT);
  }

  static EffectiveSetting of(Key<?> key, FileEntry entry) {
    return new EffectiveSetting(entry.key(), shown(key, entry.value()), entry.origin().where());
  }

  private static String shown(Key<?> key, String value) {
    return key.isSecret() ? ConfigException.NOT_SHOWN : value;
  }
}
