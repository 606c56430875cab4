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
  private static final String LOCK_FILE = "mayfly.lock";

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
      return new DataDirectory(path, channel);
    } catch (IOException e) {
      throw new StartException("cannot use data directory " + path + ": " + IoReason.of(e), e);
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
