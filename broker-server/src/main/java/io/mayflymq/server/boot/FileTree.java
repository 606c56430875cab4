package io.mayflymq.server.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory with all that is in it. */
final class FileTree {
  private FileTree() {}

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
