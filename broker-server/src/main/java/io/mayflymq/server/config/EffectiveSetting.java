package io.mayflymq.server.config;

import io.mayflymq.server.config.source.ConfigException;
import io.mayflymq.server.config.source.FileEntry;

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

  static EffectiveSetting byDefault(String key, String value) {
    return new EffectiveSetting(key, shown(key, value), BY_DEFAULT);
  }

  static EffectiveSetting of(FileEntry entry) {
    return new EffectiveSetting(
        entry.key(), shown(entry.key(), entry.value()), entry.origin().where());
  }

  private static String shown(String key, String value) {
    return ConfigException.isSecret(key) ? ConfigException.NOT_SHOWN : value;
  }
}
