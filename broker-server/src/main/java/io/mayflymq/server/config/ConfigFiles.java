package io.mayflymq.server.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The files of a configuration, as in RabbitMQ: a main file, and then the files of the directory
 * {@code conf.d} beside it, in the order of their names; or the files of one directory. What a
 * later file says of a key counts.
 *
 * <p>Source: RabbitMQ, "Configuration", section on {@code conf.d}.
 */
final class ConfigFiles {
  private static final String DIRECTORY = "conf.d";
  private static final String PATTERN = "*.conf";

  /** Files of RabbitMQ that are terms of Erlang, or variables for its scripts. */
  private static final List<String> FOREIGN = List.of("advanced.config", "rabbitmq-env.conf");

  private ConfigFiles() {}

  /**
   * Returns the files that belong to what the operator has named, the one that counts most last.
   *
   * @param named a file, which may be missing, or a directory
   * @throws ConfigException if a directory cannot be listed
   */
  public static List<Path> of(Path named) throws ConfigException {
    if (Files.isDirectory(named)) {
      return in(named);
    }
    List<Path> files = new ArrayList<>(List.of(named));
    Path directory = named.resolveSibling(DIRECTORY);
    if (Files.isDirectory(directory)) {
      files.addAll(in(directory));
    }
    return files;
  }

  /** Returns the files beside these that RabbitMQ would read, and this broker does not. */
  public static List<Path> foreign(Path named) {
    return FOREIGN.stream().map(named::resolveSibling).filter(Files::exists).toList();
  }

  private static List<Path> in(Path directory) throws ConfigException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, PATTERN)) {
      found.forEach(files::add);
    } catch (AccessDeniedException e) {
      throw new ConfigException(directory + ": permission denied; expected a readable directory");
    } catch (IOException e) {
      throw new ConfigException(
          directory + ": " + e.getMessage() + "; expected a readable directory");
    }
    files.sort(Comparator.comparing(file -> file.getFileName().toString()));
    return files;
  }
}
