package io.mayflymq.core.store.disk;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.store.OwnerFiles;
import io.mayflymq.core.store.segment.DiskDirectory;
import io.mayflymq.core.store.segment.FileGate;
import io.mayflymq.core.store.segment.LogDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;

/**
 * Directories of the file system below one path, and flusher threads whose failure ends the broker.
 *
 * <p>A log that is deleted file by file could reappear in part, if the machine crashes in between:
 * entries without the marks that say that they are gone. So a directory is first renamed, which is
 * atomic; a directory with the other name is no log, whatever it still contains.
 */
final class LocalStorageEnvironment implements StorageEnvironment {
  private static final String DELETED = ".deleted";

  private final Path path;
  private final BrokerThreads threads;
  private final FileGate gate;

  /**
   * Creates the environment; no file is accessed yet.
   *
   * @param path the parent of the directories; created with the first of them
   * @param threads creates the threads that wait for the disk
   * @param gate through which all changes of files pass
   */
  public LocalStorageEnvironment(Path path, BrokerThreads threads, FileGate gate) {
    this.path = path;
    this.threads = threads;
    this.gate = gate;
  }

  /** Creates an environment for reading only: there are no threads. */
  public LocalStorageEnvironment(Path path) {
    this(path, null, new FileGate());
  }

  @Override
  public List<String> list() throws IOException {
    if (Files.notExists(path)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(path)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> !name.endsWith(DELETED))
          .toList();
    }
  }

  @Override
  public LogDirectory root() throws IOException {
    makeRoot();
    return new DiskDirectory(path, gate);
  }

  private void makeRoot() throws IOException {
    if (Files.notExists(path)) {
      Files.createDirectories(path, OwnerFiles.directory());
      force(path.toAbsolutePath().getParent());
    }
  }

  @Override
  public LogDirectory open(String name) throws IOException {
    Path directory = path.resolve(name);
    if (Files.notExists(directory)) {
      makeRoot();
      gate.change(() -> Files.createDirectory(directory, OwnerFiles.directory()));
      force(path);
    }
    return new DiskDirectory(directory, gate);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    gate.change(
        () -> Files.move(path.resolve(from), path.resolve(to), StandardCopyOption.ATOMIC_MOVE));
    force(path);
  }

  @Override
  public void delete(String name) throws IOException {
    Path deleted = path.resolve(name + DELETED);
    empty(deleted);
    if (Files.exists(path.resolve(name))) {
      gate.change(() -> Files.move(path.resolve(name), deleted, StandardCopyOption.ATOMIC_MOVE));
      force(path);
      empty(deleted);
    }
  }

  @Override
  public void sweep() throws IOException {
    if (Files.exists(path)) {
      List<Path> left;
      try (Stream<Path> entries = Files.list(path)) {
        left = entries.filter(entry -> entry.toString().endsWith(DELETED)).toList();
      }
      for (Path directory : left) {
        empty(directory);
      }
    }
  }

  private static void empty(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(directory);
    }
  }

  /** Forces the entries of a directory to the disk. */
  private static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public ExecutorService flusher(String name, int most) {
    return threads.essentialPool(name, most);
  }
}
