package io.mayflymq.server.boot;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the arguments that services and scripts start the broker with, without picocli: its classes
 * are compiled for Java 5, which no archive of classes can hold, and take a sixth of the time of a
 * start to load. Whatever is not as plain as this is left to it, and so are all errors.
 */
final class PlainArguments {
  private static final String SERVER = "server";
  private static final String SET = "--set";
  private static final String CONFIG = "--config";

  private PlainArguments() {}

  /**
   * Returns what the arguments say if they are none, or only {@code --set} and at most one {@code
   * --config}, each with a value that does not look like an option, maybe after the word {@code
   * server}.
   */
  static Optional<ServerOptions> parse(String... args) {
    Optional<Path> config = Optional.empty();
    List<String> sets = new ArrayList<>();
    int start = args.length > 0 && args[0].equals(SERVER) ? 1 : 0;
    for (int i = start; i < args.length; i += 2) {
      boolean hasValue = i + 1 < args.length && !args[i + 1].isEmpty();
      if (!hasValue || args[i + 1].startsWith("-")) {
        return Optional.empty();
      }
      if (args[i].equals(SET)) {
        sets.add(args[i + 1]);
      } else if (args[i].equals(CONFIG) && config.isEmpty()) {
        config = Optional.of(Path.of(args[i + 1]));
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(new ServerOptions(config, List.copyOf(sets), false));
  }
}
