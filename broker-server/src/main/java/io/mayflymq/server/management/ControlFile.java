package io.mayflymq.server.management;

import java.io.IOException;
import java.net.InetSocketAddress;
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

/**
 * The file by which whoever owns the data directory controls the broker without a password: where
 * the API listens on this machine, and a token that makes an administrator of whoever sends it.
 *
 * <p>Only the owner may read it. It is written whole or not at all, anew at each start, and removed
 * at an orderly stop; one that is left behind by a crash names a process that is gone.
 */
final class ControlFile {
  private static final String NAME = "mayfly.control";
  private static final int TOKEN_BYTES = 32;

  private final Path path;

  private ControlFile(Path path) {
    this.path = path;
  }

  /** A token that nobody can guess. */
  static String newToken() {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /**
   * Writes the file.
   *
   * @param api where the API listens for it
   * @throws IOException if it cannot be written
   */
  static ControlFile write(Path dataDir, InetSocketAddress api, String token) throws IOException {
    // Nothing in it needs escaping, and to load a JSON library would be a good part of the start.
    String json =
        "{\"url\":\"http://%s:%d\",\"token\":\"%s\",\"pid\":%d}%n"
            .formatted(
                api.getAddress().getHostAddress(),
                api.getPort(),
                token,
                ProcessHandle.current().pid());
    Path path = dataDir.resolve(NAME);
    Path fresh = dataDir.resolve(NAME + ".new");
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
      channel.write(StandardCharsets.UTF_8.encode(json));
    }
    Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return new ControlFile(path);
  }

  /** The broker stops. */
  void remove() throws IOException {
    Files.deleteIfExists(path);
  }
}
