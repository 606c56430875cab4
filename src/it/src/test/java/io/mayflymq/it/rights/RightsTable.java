package io.mayflymq.it.rights;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tables of the page: who may do what, here and in RabbitMQ. */
final class RightsTable {
  private static final String CODE = "`";
  private static final String SAME = "same";
  private static final String ABSENT = "absent";

  private final Map<String, List<String>> mayfly = new LinkedHashMap<>();
  private final Map<String, List<String>> rabbit = new LinkedHashMap<>();

  private RightsTable() {}

  /** Reads all rows whose first cell is a method and a path as code. */
  static RightsTable read(Path page) throws IOException {
    RightsTable table = new RightsTable();
    if (Files.exists(page)) {
      Files.readAllLines(page).stream().filter(line -> line.startsWith("| `")).forEach(table::add);
    }
    return table;
  }

  private void add(String line) {
    List<String> cells =
        Arrays.stream(line.split("\\|")).map(String::strip).filter(c -> !c.isEmpty()).toList();
    String operation = cells.get(0).replace(CODE, "");
    List<String> rights = cells.subList(1, 1 + RightsFixture.TAGS.size());
    if (mayfly.put(operation, rights) != null) {
      throw new AssertionError("two rows for " + operation);
    }
    String other = cells.get(1 + RightsFixture.TAGS.size());
    if (other.equals(SAME)) {
      rabbit.put(operation, rights);
    } else if (!other.equals(ABSENT)) {
      rabbit.put(operation, List.of(other.split(", ")));
    }
  }

  List<String> operations() {
    return new ArrayList<>(mayfly.keySet());
  }

  Map<String, List<String>> mayfly() {
    return mayfly;
  }

  Map<String, List<String>> rabbit() {
    return rabbit;
  }

  /** Returns the beginning of a row of the page. */
  static String row(String operation, List<String> rights) {
    return "| `"
        + operation
        + "` | "
        + (rights == null ? ABSENT : String.join(" | ", rights))
        + " |";
  }
}
