package io.mayflymq.server.management;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.server.config.NodeName;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control file: lets the owner of the data directory control the broker without a password. It
 * holds the address at which the API listens on this machine, and a token; a request with the token
 * has the rights of an administrator.
 *
 * <p>Only the owner may read it. It is written atomically at each start, and deleted at an orderly
 * stop. A file that is left behind by a crash names a process that no longer exists.
 *
 * <p>If it cannot be written, as on a full disk, or is deleted, it is written as soon as possible.
 * The start does not fail for that, as a broker without a control file is better than none.
 */
final class ControlFile implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ControlFile.class);
  private static final String NAME = "mayfly.control";
  private static final int TOKEN_BYTES = 32;
  private static final long LOOK_MILLIS = 2_000;

  private final Path path;
  private final String content;
  private final PeriodicWork looking;
  private boolean failed;
  private boolean closed;

  private ControlFile(Path path, String content, PeriodicWork looking) {
    this.path = path;
    this.content = content;
    this.looking = looking;
  }

  /** Returns a random token that cannot be guessed. */
  static String newToken() {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /**
   * Writes the file, and writes it again if it disappears, until this is closed.
   *
   * @param api where the API listens for it
   * @param threads makes the thread that checks whether the file exists
   */
  static ControlFile keep(
      Path dataDir, InetSocketAddress api, String token, BrokerThreads threads) {
    // Nothing in it needs escaping; loading a JSON library would take a good part of the start-up
    // time.
    String json =
        "{\"url\":\"http://%s:%d\",\"token\":\"%s\",\"pid\":%d,\"node\":\"%s\"}%n"
            .formatted(
                api.getAddress().getHostAddress(),
                api.getPort(),
                token,
                ProcessHandle.current().pid(),
                NodeName.value());
    ControlFile file =
        new ControlFile(dataDir.resolve(NAME), json, threads.periodic("control-file"));
    file.look();
    file.looking.every("keeping the control file", LOOK_MILLIS, file::look);
    return file;
  }

  /** Writes the file unless it exists with the right content. */
  private synchronized void look() {
    if (closed || isThere()) {
      return;
    }
    try {
      write();
      if (failed) {
        LOGGER.info("the control file was written");
      }
      failed = false;
    } catch (IOException e) {
      if (!failed) {
        LOGGER.warn(
            "cannot write the control file, so mayflyctl needs --url until that can be done: {}",
            e.toString());
      }
      failed = true;
    }
  }

  private boolean isThere() {
    try {
      return Files.exists(path) && Files.readString(path).equals(content);
    } catch (IOException e) {
      LOGGER.debug("the control file cannot be read", e);
      return false;
    }
  }

  private void write() throws IOException {
    Path fresh = path.resolveSibling(NAME + ".new");
    Files.deleteIfExists(fresh);
    FileAttribute<?>[] ownerOnly =
        FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    try (var channel =
        Files.newByteChannel(
            fresh, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      Files.deleteIfExists(fresh);
      throw e;
    }
    Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Deletes the file, as the broker stops. */
  @Override
  public synchronized void close() {
    closed = true;
    looking.close();
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOGGER.warn("cannot remove the control file: {}", e.toString());
    }
  }
}
