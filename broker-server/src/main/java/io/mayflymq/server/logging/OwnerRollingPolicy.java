package io.mayflymq.server.logging;

import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.RolloverFailure;
import io.mayflymq.core.store.OwnerFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.zip.GZIPOutputStream;

/**
 * Keeps earlier log files as {@code FILE.0}, {@code FILE.1} and so on, the latest first, or as
 * {@code FILE.0.gz}. Only their owner may read them, also those that are compressed: Logback's own
 * policy leaves that to the umask. On the log's thread.
 */
final class OwnerRollingPolicy extends RollingPolicyBase {
  private static final String PART = ".part";

  private final Path file;
  private final int count;
  private final boolean compress;

  /**
   * Creates the policy.
   *
   * @param count how many files are kept, 1 or more
   */
  OwnerRollingPolicy(Path file, int count, boolean compress) {
    this.file = file;
    this.count = count;
    this.compress = compress;
  }

  @Override
  public String getActiveFileName() {
    return file.toString();
  }

  private Path kept(int number) {
    return file.resolveSibling(file.getFileName() + "." + number + (compress ? ".gz" : ""));
  }

  @Override
  public void rollover() throws RolloverFailure {
    try {
      Files.deleteIfExists(kept(count - 1));
      for (int number = count - 2; number >= 0; number--) {
        if (Files.exists(kept(number))) {
          Files.move(kept(number), kept(number + 1), StandardCopyOption.ATOMIC_MOVE);
        }
      }
      if (compress) {
        compress();
      } else {
        Files.move(file, kept(0), StandardCopyOption.ATOMIC_MOVE);
      }
    } catch (IOException e) {
      throw new RolloverFailure(IoReason.of(e), e);
    }
  }

  private void compress() throws IOException {
    Path part = file.resolveSibling(file.getFileName() + PART);
    Files.deleteIfExists(part);
    try (FileChannel channel =
            FileChannel.open(
                part,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                OwnerFiles.file());
        OutputStream out = new GZIPOutputStream(Channels.newOutputStream(channel))) {
      Files.copy(file, out);
    }
    Files.move(part, kept(0), StandardCopyOption.ATOMIC_MOVE);
    Files.delete(file);
  }
}
