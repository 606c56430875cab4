package io.mayflymq.server.boot;

import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The directory that holds all a broker keeps, held by one broker at a time: a lock on a file in
 * it, which the system drops when the process ends in whatever way.
 */
final class DataDirectory implements AutoCloseable {
  static final String LOCK_FILE = "mayfly.lock";
  static final String FORMAT_FILE = "mayfly.format";

  /**
   * The layout of what is in the directory; a new number for each that an older broker cannot read.
   */
  static final String FORMAT = "2";

  private final Path path;
  private final FileChannel lockFile;

  private DataDirectory(Path path, FileChannel lockFile) {
    this.path = path;
    this.lockFile = lockFile;
  }

  /**
   * Creates the directory if it is missing, and takes it.
   *
   * @throws StartException if it cannot be created or written, or another broker has it
   */
  static DataDirectory open(Path path) throws StartException {
    try {
      Files.createDirectories(path);
      FileChannel channel =
          FileChannel.open(
              path.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!lock(channel)) {
        channel.close();
        throw new StartException("data directory " + path + " is in use by another broker");
      }
      try {
        requireKnownFormat(path);
      } catch (IOException | StartException e) {
        channel.close();
        throw e;
      }
      return new DataDirectory(path, channel);
    } catch (IOException e) {
      throw new StartException("cannot use data directory " + path + ": " + IoReason.of(e), e);
    }
  }

  /** A directory without a format file is new; one of a newer broker is left alone. */
  private static void requireKnownFormat(Path path) throws IOException, StartException {
    Path file = path.resolve(FORMAT_FILE);
    if (Files.notExists(file)) {
      Files.writeString(file, FORMAT + "\n");
      return;
    }
    String found = Files.readString(file).strip();
    if (!found.equals(FORMAT)) {
      throw new StartException(
          "data directory %s has format '%s', this broker knows format %s only"
              .formatted(path, found, FORMAT));
    }
  }

  private static boolean lock(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      // Another broker in this very process, as in a test.
      return false;
    }
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    try {
      lockFile.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
