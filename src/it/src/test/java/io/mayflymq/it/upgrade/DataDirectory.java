package io.mayflymq.it.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * A data directory in an archive, with what the version that wrote it said about it.
 *
 * @param path the directory, unpacked
 * @param written when the version that wrote it was killed
 * @param definitions what that version exported
 */
record DataDirectory(Path path, Instant written, JsonNode definitions) {
  /** The files of the data directory, without those that only a running broker needs. */
  private static final String DATA = "data/";

  private static final Set<String> OF_A_RUNNING_BROKER = Set.of("mayfly.lock", "mayfly.control");
  private static final String WRITTEN = "written";
  private static final String DEFINITIONS = "definitions.json";

  /** Unpacks an archive from the resources of this package. */
  static DataDirectory unpack(String resource, Path target) throws IOException {
    try (InputStream in = DataDirectory.class.getResourceAsStream(resource);
        ZipInputStream zip = new ZipInputStream(in)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path file = target.resolve(entry.getName());
        Files.createDirectories(file.getParent());
        Files.copy(zip, file);
      }
    }
    return new DataDirectory(
        target.resolve(DATA),
        Instant.ofEpochMilli(Long.parseLong(Files.readString(target.resolve(WRITTEN)))),
        new ObjectMapper().readTree(target.resolve(DEFINITIONS).toFile()));
  }

  /** Packs a data directory that no broker uses. */
  void pack(Path archive) throws IOException {
    try (OutputStream out = Files.newOutputStream(archive);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.setLevel(9);
      add(zip, WRITTEN, Long.toString(written.toEpochMilli()).getBytes(StandardCharsets.UTF_8));
      add(zip, DEFINITIONS, definitions.toPrettyString().getBytes(StandardCharsets.UTF_8));
      Files.walkFileTree(
          path,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              String name = path.relativize(file).toString();
              if (!OF_A_RUNNING_BROKER.contains(name)) {
                add(zip, DATA + name, Files.readAllBytes(file));
              }
              return FileVisitResult.CONTINUE;
            }
          });
    }
  }

  private static void add(ZipOutputStream zip, String name, byte[] content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(content);
    zip.closeEntry();
  }
}
