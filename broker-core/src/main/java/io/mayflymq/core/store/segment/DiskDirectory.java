package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.OwnerFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A directory of the file system. Files are written by position and never memory-mapped for
 * writing: so a full disk leads to an exception, and not to the end of the process by SIGBUS.
 */
public final class DiskDirectory implements LogDirectory {
  private final Path path;
  private final FileGate gate;

  /**
   * Opens a directory.
   *
   * @param path the directory; it must exist
   */
  public DiskDirectory(Path path) {
    this(path, new FileGate());
  }

  /**
   * Opens a directory of which backups are taken.
   *
   * @param gate through which all changes pass
   */
  public DiskDirectory(Path path, FileGate gate) {
    this.path = path;
    this.gate = gate;
  }

  @Override
  public List<String> list() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Override
  public LogFile create(String name) throws IOException {
    return new DiskFile(
        gate.pass(
            () ->
                FileChannel.open(
                    path.resolve(name),
                    Set.of(
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE),
                    OwnerFiles.file())),
        gate);
  }

  @Override
  public LogFile open(String name, boolean writable) throws IOException {
    Path file = path.resolve(name);
    return new DiskFile(
        writable
            ? FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)
            : FileChannel.open(file, StandardOpenOption.READ),
        gate);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    gate.change(
        () -> Files.move(path.resolve(from), path.resolve(to), StandardCopyOption.ATOMIC_MOVE));
  }

  @Override
  public void delete(String name) throws IOException {
    gate.change(() -> Files.deleteIfExists(path.resolve(name)));
  }

  @Override
  public boolean hasOtherLinks(String name) throws IOException {
    try {
      return Files.getAttribute(path.resolve(name), "unix:nlink") instanceof Integer links
          && links > 1;
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      // The file system does not tell. Backups are taken by links only where it can.
      return false;
    }
  }

  @Override
  public void force() throws IOException {
    try (FileChannel directory = FileChannel.open(path, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }

  private record DiskFile(FileChannel channel, FileGate gate) implements LogFile {
    /**
     * The JDK copies data on the heap into a direct buffer that it caches: with this, that buffer
     * stays small.
     */
    private static final int PIECE = 1 << 18;

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      gate.change(() -> writeNow(source, position));
    }

    private void writeNow(ByteBuffer source, long position) throws IOException {
      long at = position;
      int end = source.limit();
      while (source.position() < end) {
        if (!source.isDirect()) {
          source.limit(Math.min(end, source.position() + PIECE));
        }
        at += channel.write(source, at);
        source.limit(end);
      }
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      int total = 0;
      int end = target.limit();
      while (target.position() < end) {
        if (!target.isDirect()) {
          target.limit(Math.min(end, target.position() + PIECE));
        }
        int count = channel.read(target, position + total);
        target.limit(end);
        if (count < 0) {
          break;
        }
        total += count;
      }
      return total;
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      gate.change(() -> channel.truncate(size));
    }

    @Override
    public void force() throws IOException {
      channel.force(false);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
