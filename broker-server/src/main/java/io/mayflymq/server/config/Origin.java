package io.mayflymq.server.config;

import java.nio.file.Path;

/**
 * Where a value was written. A later rank overrides an earlier one.
 *
 * @param where opens an error message: the file with its line, the variable, or the option
 */
public record Origin(Rank rank, String where) {
  /** The precedence of sources, the weakest first. */
  enum Rank {
    FILE,
    ENVIRONMENT,
    COMMAND_LINE,
    RUNTIME
  }

  /** The option of the command line. */
  public static final Origin SET_OPTION = new Origin(Rank.COMMAND_LINE, "--set");

  /** The command that changes a key of a running broker. */
  public static final Origin SET_COMMAND = new Origin(Rank.RUNTIME, "set_config");

  static Origin line(Path file, int line) {
    return new Origin(Rank.FILE, file + ":" + line);
  }

  /** Returns the place of an environment variable. */
  public static Origin variable(String name) {
    return new Origin(Rank.ENVIRONMENT, "environment variable " + name);
  }
}
