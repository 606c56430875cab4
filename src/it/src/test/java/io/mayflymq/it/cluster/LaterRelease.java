package io.mayflymq.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import javax.tools.ToolProvider;

/**
 * A build of the broker that knows one version more, of changes and of the protocol between nodes:
 * the jar under test with two classes that are compiled anew.
 */
final class LaterRelease {
  /** Where the sources of a module are, from the directory of this one. */
  private static final String SOURCES = "../../%s/src/main/java/%s.java";

  private final Path jar;
  private final Path directory;

  private LaterRelease(Path jar, Path directory) {
    this.jar = jar;
    this.directory = directory;
  }

  /**
   * Builds it.
   *
   * @param present the jar under test
   * @param directory an empty one
   * @return the jar
   */
  static Path build(Path present, Path directory) {
    try {
      LaterRelease later = new LaterRelease(directory.resolve("later.jar"), directory);
      Files.copy(present, later.jar);
      later.replace(
          "broker-cluster",
          "io/mayflymq/cluster/metadata/ChangeVersions",
          "int highest() {\n    return OF_ADOPTIONS;",
          "int highest() {\n    return OF_ADOPTIONS + 1;");
      later.replace(
          "broker-server",
          "io/mayflymq/server/cluster/transport/VersionRange",
          "new VersionRange(1, 4)",
          "new VersionRange(1, 5)");
      return later.jar;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void replace(String module, String name, String now, String later) throws IOException {
    String source = Files.readString(Path.of(SOURCES.formatted(module, name)));
    if (!source.contains(now)) {
      throw new IllegalStateException("%s: expected it to have '%s'".formatted(name, now));
    }
    String simpleName = name.substring(name.lastIndexOf('/') + 1);
    Path changed =
        Files.writeString(directory.resolve(simpleName + ".java"), source.replace(now, later));
    String classes = directory.toString();
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "--release",
                "17",
                "-cp",
                jar.toString(),
                "-implicit:none",
                "-d",
                classes,
                changed.toString());
    if (status != 0) {
      throw new IllegalStateException("the compiler ended with " + status);
    }
    try (FileSystem contents =
        FileSystems.newFileSystem(URI.create("jar:" + jar.toUri()), Map.of())) {
      Files.copy(
          directory.resolve(name + ".class"),
          contents.getPath(name + ".class"),
          StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
