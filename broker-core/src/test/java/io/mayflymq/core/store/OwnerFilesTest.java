package io.mayflymq.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.store.segment.file.DiskDirectory;
import io.mayflymq.core.store.segment.file.LogFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnerFilesTest {
  @TempDir Path directory;

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void createdFilesAreAccessibleOnlyToTheOwner() throws IOException {
    Path made = Files.createDirectories(directory.resolve("a/b"), OwnerFiles.directory());
    assertThat(mode(made)).isEqualTo("rwx------");
    assertThat(mode(made.getParent())).isEqualTo("rwx------");
    OwnerFiles.createIfMissing(made.resolve("file"));
    assertThat(mode(made.resolve("file"))).isEqualTo("rw-------");
    try (LogFile file = new DiskDirectory(made).create("log")) {
      assertThat(file.size()).isZero();
    }
    assertThat(mode(made.resolve("log"))).isEqualTo("rw-------");
  }

  @Test
  void tighteningRemovesPermissionsOfOthersButNotOfTheOwner() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xrwx"));
    assertThat(OwnerFiles.tighten(file)).isTrue();
    assertThat(mode(file)).isEqualTo("rwx------");
    assertThat(OwnerFiles.tighten(file)).isFalse();
  }
}
