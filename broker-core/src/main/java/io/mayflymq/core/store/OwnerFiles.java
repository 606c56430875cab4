package io.mayflymq.core.store;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
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
   * Takes all permissions of group and others from a file or directory that exists.
   *
   * @return whether there were any
   * @throws IOException if they cannot be changed, because the file belongs to another user
   */
  public static boolean tighten(Path path) throws IOException {
    if (!POSIX) {
      return false;
    }
    Set<PosixFilePermission> permissions =
        EnumSet.copyOf(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    if (!permissions.removeAll(OTHERS)) {
      return false;
    }
    Files.setPosixFilePermissions(path, permissions);
    return true;
  }
}
