package io.mayflymq.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.store.segment.DiskDirectory;
import io.mayflymq.core.store.segment.LogFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Assumptions;
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

  @Test
  void writtenFilesAreTheOwnersAlsoIfTheyWereThere() throws IOException {
    Path file = directory.resolve("file");
    OwnerFiles.write(file, new byte[] {1, 2, 3});
    assertThat(mode(file)).isEqualTo("rw-------");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    OwnerFiles.write(file, new byte[] {4});
    assertThat(mode(file)).isEqualTo("rw-------");
    assertThat(Files.readAllBytes(file)).containsExactly(4);
  }

  @Test
  void whatALinkLeadsToKeepsItsPermissions() throws IOException {
    Path outside = Files.createFile(directory.resolve("outside"));
    Files.setPosixFilePermissions(outside, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), outside);
    assertThat(OwnerFiles.tighten(link)).isFalse();
    OwnerFiles.write(link, new byte[] {1});
    assertThat(mode(outside)).isEqualTo("rwxrwxrwx");
    assertThat(Files.readAllBytes(outside)).containsExactly(1);
    Path broken = Files.createSymbolicLink(directory.resolve("broken"), Path.of("nowhere"));
    assertThat(OwnerFiles.tighten(broken)).isFalse();
  }

  @Test
  void directoryOfAnotherUserIsNoticed() throws IOException {
    assertThat(OwnerFiles.otherOwner(directory)).isEmpty();
    assertThat(directory).isEmptyDirectory();
    Path other = Files.createDirectory(directory.resolve("other"));
    try {
      Files.setAttribute(other, "unix:uid", 12_345);
    } catch (IOException e) {
      Assumptions.abort("not as root: " + e);
    }
    assertThat(OwnerFiles.otherOwner(other))
        .hasValueSatisfying(owner -> assertThat(owner).startsWith("12345, and not to "));
    assertThat(other).isEmptyDirectory();
  }
}
