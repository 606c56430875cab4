package io.mayflymq.server.boot;

import io.mayflymq.core.store.OwnerFiles;
import io.mayflymq.server.logging.IoReason;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The directory that holds all data of a broker. It is used by one broker at a time: a lock on a
 * file in it, which the system releases when the process ends for any reason.
 */
final class DataDirectory implements AutoCloseable {
  static final String LOCK_FILE = "mayfly.lock";
  static final String FORMAT_FILE = "mayfly.format";

  /**
   * The layout of what is in the directory; a new number for each that an older broker cannot read.
   */
  static final String FORMAT = "4";

  /** The layouts that {@link #CONVERTER} converts to the current one. */
  private static final Set<String> OLD_FORMATS = Set.of("2", "3");

  private static final String CONVERTER = "0.2.0";

  private static final String NEW_FORMAT_FILE = "mayfly.format.new";

  private final Path path;
  private final FileChannel lockFile;
  private final boolean isNew;
  private final List<String> warnings;

  private DataDirectory(Path path, FileChannel lockFile, boolean isNew, List<String> warnings) {
    this.path = path;
    this.lockFile = lockFile;
    this.isNew = isNew;
    this.warnings = warnings;
  }

  /**
   * Creates the directory if it is missing, and locks it.
   *
   * @param ofAnyOwner whether it may belong to another user, which is told in the log then
   * @throws StartException if it cannot be created or written, belongs to another user, or another
   *     broker uses it
   */
  static DataDirectory open(Path path, boolean ofAnyOwner) throws StartException {
    try {
      Files.createDirectories(path, OwnerFiles.directory());
      Optional<String> otherOwner = OwnerFiles.otherOwner(path);
      if (otherOwner.isPresent() && !ofAnyOwner) {
        throw new StartException(
            ("data directory %s belongs to %s, the user that the broker runs as: its owner could"
                    + " read and replace all data; expected the same user, or data_dir_owner = any")
                .formatted(path, otherOwner.get()));
      }
      FileChannel channel =
          FileChannel.open(
              path.resolve(LOCK_FILE),
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
              OwnerFiles.file());
      if (!lock(channel)) {
        channel.close();
        throw new StartException("data directory " + path + " is in use by another broker");
      }
      try {
        List<String> warnings = new ArrayList<>(checkFormat(path));
        otherOwner.ifPresent(
            owner ->
                warnings.add(
                    ("data directory %s belongs to %s, the user that the broker runs as: its owner"
                            + " can read and replace all data")
                        .formatted(path, owner)));
        warnings.addAll(tighten(path));
        boolean isNew = Files.notExists(path.resolve(DataFaults.MESSAGES_DIRECTORY));
        return new DataDirectory(path, channel, isNew, List.copyOf(warnings));
      } catch (IOException | StartException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new StartException("cannot use data directory " + path + ": " + IoReason.of(e), e);
    }
  }

  /**
   * Marks a new directory, which has no format file, with the current format. A directory of
   * another format is not changed.
   *
   * @return what is to be said in the log
   */
  private static List<String> checkFormat(Path path) throws IOException, StartException {
    Path file = path.resolve(FORMAT_FILE);
    String found = Files.exists(file) ? Files.readString(file).strip() : "";
    if (!found.isEmpty() && !found.equals(FORMAT)) {
      throw new StartException("data directory " + path + " " + unknown(found));
    }
    if (found.isEmpty()) {
      writeFormat(path);
    }
    boolean isNew = Files.notExists(path.resolve(DataFaults.MESSAGES_DIRECTORY));
    return found.isEmpty() && !isNew
        ? List.of(
            "%s in %s was missing or empty: written anew, as format %s"
                .formatted(FORMAT_FILE, path, FORMAT))
        : List.of();
  }

  /** Says of a directory why a broker does not use it, and what can be done. */
  static String unknown(String format) {
    return "has format '%s' (file %s), this version knows format %s only%s"
        .formatted(
            format,
            FORMAT_FILE,
            FORMAT,
            OLD_FORMATS.contains(format)
                ? ": version %s converts it when it is started with this directory"
                    .formatted(CONVERTER)
                : "");
  }

  /**
   * Writes the format file atomically and durably: a truncated file would prevent the next start.
   */
  private static void writeFormat(Path path) throws IOException {
    Path written = path.resolve(NEW_FORMAT_FILE);
    try (FileChannel channel =
        FileChannel.open(
            written,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE),
            OwnerFiles.file())) {
      channel.write(ByteBuffer.wrap((FORMAT + "\n").getBytes(StandardCharsets.US_ASCII)));
      channel.force(true);
    }
    Files.move(written, path.resolve(FORMAT_FILE), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel directory = FileChannel.open(path, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /** Removes the permissions of group and others that an older broker has set. */
  private static List<String> tighten(Path path) {
    int tightened = 0;
    try (Stream<Path> files = Files.walk(path.toRealPath())) {
      for (Path file : files.toList()) {
        tightened += OwnerFiles.tighten(file) ? 1 : 0;
      }
    } catch (IOException | UncheckedIOException e) {
      return List.of("the permissions of files in " + path + " could not be changed: " + e);
    }
    return tightened == 0
        ? List.of()
        : List.of(
            "%d files in %s could be read by other users: only their owner may now"
                .formatted(tightened, path));
  }

  private static boolean lock(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      // Another broker in the same process, as in a test.
      return false;
    }
  }

  Path path() {
    return path;
  }

  /** Returns whether no broker has kept anything in it before. */
  boolean isNew() {
    return isNew;
  }

  /** Returns what was found and put right when it was opened, for the log. */
  List<String> warnings() {
    return warnings;
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
