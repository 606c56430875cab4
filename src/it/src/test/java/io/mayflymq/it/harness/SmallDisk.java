package io.mayflymq.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;

/**
 * A file system of a few megabytes, in memory, mounted for a test. Mounting needs Linux and root: a
 * test that cannot have one is skipped, with what mount has said as the reason.
 */
public final class SmallDisk implements AutoCloseable {
  private final Path directory;

  private SmallDisk(Path directory) {
    this.directory = directory;
  }

  /** Mounts one on an empty directory. */
  public static SmallDisk mount(Path directory, int megabytes) {
    String refused =
        SystemCommand.run(
                "mount",
                "-t",
                "tmpfs",
                "-o",
                "size=" + megabytes + "m",
                "tmpfs",
                directory.toString())
            .refusal();
    Assumptions.assumeTrue(refused == null, () -> "no small disk can be mounted: " + refused);
    return new SmallDisk(directory);
  }

  public Path directory() {
    return directory;
  }

  /** The bytes that can still be written. */
  public long free() {
    try {
      return Files.getFileStore(directory).getUsableSpace();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a file that leaves room for nothing, not even an empty file's first byte. */
  public Path fill() throws IOException {
    Path filler = directory.resolve("filler");
    try (FileChannel channel =
        FileChannel.open(filler, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer page = ByteBuffer.allocate(4096);
      while (free() > 0) {
        page.clear();
        channel.write(page);
      }
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).contains("No space left")) {
        throw e;
      }
    }
    return filler;
  }

  @Override
  public void close() {
    // Detached immediately, and removed when it is no longer in use.
    String refused = SystemCommand.run("umount", "--lazy", directory.toString()).refusal();
    if (refused != null) {
      throw new AssertionError(directory + " cannot be unmounted: " + refused);
    }
  }
}
