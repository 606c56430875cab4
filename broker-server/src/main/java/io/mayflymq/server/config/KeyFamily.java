package io.mayflymq.server.config;

import java.util.Map;

/**
 * Keys that share a prefix and have a name of the operator's choice behind it, such as {@code
 * listeners.tcp.internal}. As in rabbitmq.conf, the defaults hold only while no member is set.
 *
 * @param prefix up to and including the last dot before the name
 * @param placeholder what documentation writes for the name, {@code $name}
 * @param suffix what follows the name, from its dot on; empty if nothing does
 */
record KeyFamily<T>(
    String prefix,
    String placeholder,
    String suffix,
    ValueType<T> type,
    Map<String, String> defaults,
    String doc)
    implements Key<T> {
  /** A family whose keys end in the name. */
  public KeyFamily(
      String prefix,
      String placeholder,
      ValueType<T> type,
      Map<String, String> defaults,
      String doc) {
    this(prefix, placeholder, "", type, defaults, doc);
  }

  @Override
  public String name() {
    return prefix + placeholder + suffix;
  }

  @Override
  public boolean matches(String key) {
    return key.startsWith(prefix)
        && key.endsWith(suffix)
        && key.length() > prefix.length() + suffix.length();
  }

  /** Returns a key that, where there is one, empties the family: {@code listeners.tcp = none}. */
  public String emptiedBy() {
    return prefix.substring(0, prefix.length() - 1);
  }

  /** Returns the name of the operator's choice in a key that {@link #matches}. */
  public String memberName(String key) {
    return key.substring(prefix.length(), key.length() - suffix.length());
  }

  /** As for {@link Setting}. */
  @Override
  public boolean equals(Object other) {
    return other instanceof KeyFamily<?> that
        && prefix.equals(that.prefix)
        && suffix.equals(that.suffix);
  }

  @Override
  public int hashCode() {
    return prefix.hashCode();
  }
}
