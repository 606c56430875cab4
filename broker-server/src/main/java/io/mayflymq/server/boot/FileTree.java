package io.mayflymq.server.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory with all that is in it. */
final class FileTree {
  private FileTree() {}

  /**
   * Copies it.
   *
   * @param to does not exist
   * @throws IOException if that fails; some of it may be copied then
   */
  static void copy(Path directory, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.toList()) {
        Files.copy(
            file, to.resolve(directory.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  /**
   * Deletes it.
   *
   * @throws IOException if that fails; some of it may be deleted then
   */
  static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
