package io.mayflymq.server.management.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The files of the management page. A list that was made with them says which there are, and
 * nothing else is ever opened, whatever a path contains. A file is read when it is first requested,
 * then kept. Any thread may call.
 */
final class StaticFiles {
  static final String LIST = "files.txt";

  private final List<String> names;
  private final Function<String, InputStream> source;
  private final Map<String, StaticFile> read = new ConcurrentHashMap<>();

  /**
   * @param source opens a file by its name; returns null if there is none
   */
  StaticFiles(Function<String, InputStream> source) {
    this.source = source;
    this.names =
        new String(bytes(LIST), StandardCharsets.UTF_8)
            .lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .collect(Collectors.toUnmodifiableList());
  }

  /** Returns the files in this jar. */
  static StaticFiles ofJar() {
    return new StaticFiles(StaticFiles.class::getResourceAsStream);
  }

  /** Returns the names of all files. */
  List<String> names() {
    return names;
  }

  /**
   * Returns the file of a path, or null.
   *
   * @param path of the request; it is compared as it came, so an encoded one finds nothing
   */
  StaticFile find(String path) {
    String name =
        switch (path) {
          case "/" -> "index.html";
          // Where RabbitMQ has this program, of which there is no copy here.
          case "/cli", "/cli/", "/cli/index.html", "/cli/rabbitmqadmin" -> "cli/rabbitmqadmin.html";
          default -> path.substring(1);
        };
    return names.contains(name)
        ? read.computeIfAbsent(name, each -> new StaticFile(each, bytes(each)))
        : null;
  }

  private byte[] bytes(String name) {
    try (InputStream in = source.apply(name)) {
      if (in == null) {
        throw new IllegalStateException("the file " + name + " of the management page is missing");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
