package io.mayflymq.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
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
        run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", directory.toString());
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

  @Override
  public void close() {
    // Detached immediately, and removed when it is no longer in use.
    String refused = run("umount", "--lazy", directory.toString());
    if (refused != null) {
      throw new AssertionError(directory + " cannot be unmounted: " + refused);
    }
  }

  /** Runs a command; returns null, or why it has failed. */
  private static String run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return command[0] + " does not end";
      }
      return process.exitValue() == 0 ? null : output.trim();
    } catch (IOException e) {
      return e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
