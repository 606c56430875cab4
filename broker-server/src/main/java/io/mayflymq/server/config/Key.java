package io.mayflymq.server.config;

import java.util.Map;

/** A key of the configuration, or a family of keys that share a prefix. */
public sealed interface Key<T> permits Setting, KeyFamily {
  /** The name as documentation writes it; a family's ends in its placeholder, {@code $name}. */
  String name();

  ValueType<T> type();

  /** What it does, for the page about the configuration, in Markdown. */
  String doc();

  /** Returns the same as plain text. */
  default String plainDoc() {
    return doc().replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").replace("`", "");
  }

  /** Returns whether its value is never shown: a property of its type. */
  default boolean isSecret() {
    return type().secret();
  }

  /** Returns whether a full key is this one, or a member of this family. */
  boolean matches(String key);

  /** Returns what holds when nothing is set: full keys and their values as text. */
  Map<String, String> defaults();
}
