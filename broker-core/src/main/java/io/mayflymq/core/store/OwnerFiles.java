package io.mayflymq.core.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Creates files that only the user may read that the broker runs as, since they hold messages and
 * password hashes. Does nothing on a file system without such permissions.
 */
public final class OwnerFiles {
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));

  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  private static final String PROBE = "mayfly.owner";

  private OwnerFiles() {}

  /** Returns the attributes with which a file is created: mode 600. */
  public static FileAttribute<?>[] file() {
    return attributes("rw-------");
  }

  /** Returns the attributes with which a directory is created: mode 700. */
  public static FileAttribute<?>[] directory() {
    return attributes("rwx------");
  }

  private static FileAttribute<?>[] attributes(String permissions) {
    return POSIX
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  /** Creates an empty file if there is none. */
  public static void createIfMissing(Path file) throws IOException {
    if (Files.notExists(file)) {
      Files.createFile(file, file());
    }
  }

  /**
   * Writes a file, whole, that only its owner may read: also one that was there and could be read
   * by others. A symbolic link is followed, and what is not a regular file, such as a pipe, is
   * written to as it is.
   *
   * @throws IOException if it cannot be written, or belongs to another user
   */
  public static void write(Path file, byte[] content) throws IOException {
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      tighten(file);
    }
    Set<OpenOption> options =
        Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    try (SeekableByteChannel channel = Files.newByteChannel(file, options, file())) {
      ByteBuffer left = ByteBuffer.wrap(content);
      while (left.hasRemaining()) {
        channel.write(left);
      }
    }
  }

  /**
   * Takes all permissions of group and others from a file or directory that exists. A symbolic link
   * is left alone, and so is what it leads to.
   *
   * @return whether there were any
   * @throws IOException if they cannot be changed, because the file belongs to another user
   */
  public static boolean tighten(Path path) throws IOException {
    if (!POSIX || Files.isSymbolicLink(path)) {
      return false;
    }
    // Should it become a link in between, that is not followed either.
    PosixFileAttributeView file =
        Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    permissions.addAll(file.readAttributes().permissions());
    if (!permissions.removeAll(OTHERS)) {
      return false;
    }
    file.setPermissions(permissions);
    return true;
  }

  /**
   * Returns whom a directory belongs to, in words, if that is neither the user that the process
   * runs as nor root, who can read everything anyway; empty also if that cannot be found out. Makes
   * a file in the directory for a moment, whose owner is the user.
   */
  public static Optional<String> otherOwner(Path directory) {
    if (!POSIX) {
      return Optional.empty();
    }
    Path probe = directory.resolve(PROBE);
    try {
      UserPrincipal owner = Files.getOwner(directory);
      Files.deleteIfExists(probe);
      Files.createFile(probe, file());
      UserPrincipal user = Files.getOwner(probe, LinkOption.NOFOLLOW_LINKS);
      Files.delete(probe);
      boolean isRoot = Integer.valueOf(0).equals(Files.getAttribute(directory, "unix:uid"));
      return owner.equals(user) || isRoot
          ? Optional.empty()
          : Optional.of("%s, and not to %s".formatted(owner.getName(), user.getName()));
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }
}
