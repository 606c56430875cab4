package io.mayflymq.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The data directory of a broker: one that the test has named, or one that ends with the broker.
 */
final class DataFiles {
  /** A file system in memory, where there is one: on a disk each declaration waits for the disk. */
  private static final Path MEMORY = Path.of("/dev/shm");

  /** Where less is free, as in a container, large messages would not fit. */
  private static final long LEAST_MEMORY = 512L << 20;

  private final Path directory;
  private final boolean temporary;

  private DataFiles(Path directory, boolean temporary) {
    this.directory = directory;
    this.temporary = temporary;
  }

  /** One that is kept. */
  static DataFiles of(Path directory) {
    return new DataFiles(directory.toAbsolutePath(), false);
  }

  /** A new one that is deleted, in memory if that can be. */
  static DataFiles temporary() {
    try {
      return new DataFiles(
          hasMemory()
              ? Files.createTempDirectory(MEMORY, "mayfly-test-")
              : Files.createTempDirectory("mayfly-test-"),
          true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean hasMemory() {
    try {
      return Files.isWritable(MEMORY)
          && Files.getFileStore(MEMORY).getUsableSpace() >= LEAST_MEMORY;
    } catch (IOException e) {
      return false;
    }
  }

  Path directory() {
    return directory;
  }

  /** Returns a name beside it that no file has. */
  Path beside() {
    return directory.resolveSibling(directory.getFileName() + ".killed");
  }

  /** Puts a directory in its place. */
  void replaceBy(Path other) {
    try {
      delete(directory);
      Files.move(other, directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes it if it is to end with the broker. */
  void end() {
    if (temporary) {
      try {
        delete(directory);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(directory)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    } catch (NoSuchFileException e) {
      return;
    }
    for (Path file : all) {
      Files.deleteIfExists(file);
    }
  }
}
