package io.mayflymq.it.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory with all that is below it. */
public final class Directory {
  private Directory() {}

  /** Makes a copy of one that no broker uses. */
  public static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    }
  }

  /** Deletes one. */
  public static void delete(Path directory) throws IOException {
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
