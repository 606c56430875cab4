package io.mayflymq.server.boot;

import java.nio.file.Path;

/**
 * The options of {@code check-data}.
 *
 * @param directory the data directory to look at
 * @param formatter how to print what was found
 */
record CheckOptions(Path directory, Formatter formatter) {
  /** How a command prints its result. */
  public enum Formatter {
    /** For people. */
    TABLE,
    /** One JSON object. */
    JSON
  }
}
