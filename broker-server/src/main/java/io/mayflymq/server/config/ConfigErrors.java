package io.mayflymq.server.config;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects the errors of a configuration, so that the operator sees all of them at once. Not
 * thread-safe.
 */
final class ConfigErrors {
  private final List<String> lines = new ArrayList<>();

  /** Adds an error: one line that begins with the place of the text. */
  public void add(String line) {
    lines.add(line);
  }

  /** Adds all errors of an exception. */
  public void add(ConfigException e) {
    lines.addAll(e.errors());
  }

  /**
   * Ends the collection.
   *
   * @throws ConfigException with all errors, if there are any
   */
  public void throwIfAny() throws ConfigException {
    if (!lines.isEmpty()) {
      throw new ConfigException(lines);
    }
  }
}
