package io.mayflymq.it.management.answer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The table in {@code answers.txt}, which explains itself. */
final class AnswerTable {
  private static final String NAME = "answers.txt";

  private final List<String> head = new ArrayList<>();
  private final Map<String, List<String>> shapes = new LinkedHashMap<>();
  private final Set<String> differences = new LinkedHashSet<>();

  /** The one whose shape is being read. */
  private String request;

  private AnswerTable() {}

  static AnswerTable read() {
    AnswerTable table = new AnswerTable();
    try (InputStream in = AnswerTable.class.getResourceAsStream(NAME)) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(table::line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return table;
  }

  private void line(String line) {
    if (line.startsWith("  ")) {
      shapes.get(request).add(line);
    } else if (line.startsWith("differs ")) {
      head.add(line);
      differences.add(line.substring(8, line.indexOf(" -- ")).trim());
    } else if (line.isEmpty() || line.startsWith("#")) {
      head.add(line);
    } else {
      request = line;
      shapes.put(line, new ArrayList<>());
    }
  }

  /** The requests, in their order. */
  Set<String> requests() {
    return shapes.keySet();
  }

  /** The shape of RabbitMQ's answer. */
  Shape shape(String request) {
    return Shape.parse(shapes.get(request));
  }

  /** Whether ours may miss this, for the reason that the table gives. */
  boolean differs(String request, String miss) {
    String path = miss.substring(0, miss.indexOf(' '));
    return differences.contains(request + " " + path) || differences.contains("* " + path);
  }

  /** Adds the shape of an answer that has none. */
  void putIfAbsent(String request, Shape shape) {
    if (shapes.get(request).isEmpty()) {
      shapes.put(request, shape.lines());
    }
  }

  void write(Path directory) throws IOException {
    List<String> lines = new ArrayList<>(head);
    shapes.forEach(
        (request, shape) -> {
          lines.add(request);
          lines.addAll(shape);
        });
    Files.write(directory.resolve(NAME), lines);
  }
}
