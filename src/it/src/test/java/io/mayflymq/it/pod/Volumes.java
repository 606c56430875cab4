package io.mayflymq.it.pod;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Directories and files that are mounted in containers.
 *
 * @param directory has them
 */
record Volumes(Path directory) {
  /** Makes a directory if it is not there. */
  void directory(String name, String permissions) throws IOException {
    Path made = Files.createDirectories(of(name));
    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString(permissions));
  }

  /** Writes a file. */
  void file(String name, String content) throws IOException {
    Files.createDirectories(of(name).getParent());
    Files.writeString(of(name), content);
  }

  Path of(String name) {
    return directory.resolve(name);
  }
}
