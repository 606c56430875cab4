package io.mayflymq.server.config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Keys that are about one subject, in the order in which they are declared. Filled by static
 * initializers only.
 */
final class Section {
  private final String title;
  private final List<Key<?>> keys = new ArrayList<>();
  private final Set<Key<?>> changeable = new LinkedHashSet<>();

  /**
   * An empty section.
   *
   * @param title the headline above the keys in the documentation
   */
  Section(String title) {
    this.title = title;
  }

  /** Adds a key that is read at the start. */
  <K extends Key<?>> K add(K key) {
    keys.add(key);
    return key;
  }

  /** Adds a key that can be changed while the broker runs. */
  <K extends Key<?>> K addChangeable(K key) {
    changeable.add(key);
    return add(key);
  }

  /** Returns the headline above the keys. */
  String title() {
    return title;
  }

  /** Returns the keys. */
  List<Key<?>> keys() {
    return List.copyOf(keys);
  }

  /** Returns those that can be changed while the broker runs. */
  Set<Key<?>> changeable() {
    return changeable;
  }
}
