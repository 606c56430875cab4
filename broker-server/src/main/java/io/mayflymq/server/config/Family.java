package io.mayflymq.server.config;

import java.util.Map;

/**
 * Keys that share a prefix and end in a name of the operator's choice, such as {@code
 * listeners.tcp.internal}. As in rabbitmq.conf, the defaults hold only while no member is set.
 *
 * @param prefix up to and including the last dot
 * @param placeholder what documentation writes for the name, {@code $name}
 */
record Family<T>(
    String prefix, String placeholder, ValueType<T> type, Map<String, String> defaults, String doc)
    implements Key<T> {
  @Override
  public String name() {
    return prefix + placeholder;
  }

  @Override
  public boolean matches(String key) {
    return key.startsWith(prefix) && key.length() > prefix.length();
  }
}
