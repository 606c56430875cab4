package io.mayflymq.it.security;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables of {@code docs/rights-amqp.md}. */
final class RightsPage {
  private static final Path PAGE = Path.of("../../docs/rights-amqp.md");
  private static final String NEEDING = "## Methods that need permissions";
  private static final String NOT_NEEDING = "## Methods that need none";
  private static final Pattern OBJECT = Pattern.compile("(queue|exchange) (`.+`)( \\\\\\*)?");
  private static final Pattern TOPIC = Pattern.compile("(write|read): (`.+`) of `([^`]+)`");
  private static final List<String> PERMISSIONS = List.of("configure", "write", "read");

  private RightsPage() {}

  /**
   * A permission for one name.
   *
   * @param permission configure, write or read
   * @param kind queue or exchange; topic if the name is a routing key
   * @param exchange that of the routing key; null if it is none
   */
  record Right(String permission, String kind, String name, String exchange) {
    boolean isTopic() {
      return exchange != null;
    }

    /** The text of a refusal, up to the virtual host; a name that the broker has given is open. */
    String refusal() {
      String named = "ACCESS_REFUSED - %s access to %s '%s".formatted(permission, kind, name);
      return isTopic() ? named + "' in exchange '%s'".formatted(exchange) : named;
    }

    @Override
    public String toString() {
      return permission + " " + kind + " " + name;
    }
  }

  /**
   * A row of the first table.
   *
   * @param alternatives whether one of the rights is enough
   */
  record Row(String method, String when, List<Right> rights, boolean alternatives) {
    /** What finds the call of this row. */
    String key() {
      return when.isEmpty() ? method : method + " " + when;
    }

    @Override
    public String toString() {
      return key();
    }
  }

  /** Returns the rows about methods that need permissions. */
  static List<Row> rows() {
    return cells(NEEDING).stream().map(RightsPage::row).toList();
  }

  /** Returns the methods that need none. */
  static List<String> free() {
    return cells(NOT_NEEDING).stream().map(cells -> unquoted(cells.get(0))).toList();
  }

  private static Row row(List<String> cells) {
    List<Right> rights = new ArrayList<>();
    boolean alternatives = false;
    for (int i = 0; i < PERMISSIONS.size(); i++) {
      Matcher object = OBJECT.matcher(cells.get(2 + i));
      if (object.matches()) {
        for (String name : object.group(2).split(", ")) {
          rights.add(new Right(PERMISSIONS.get(i), object.group(1), unquoted(name), null));
        }
        alternatives |= object.group(3) != null;
      } else {
        requireEmpty(cells.get(2 + i));
      }
    }
    String keys = cells.get(2 + PERMISSIONS.size());
    Matcher topic = TOPIC.matcher(keys);
    if (topic.matches()) {
      for (String key : topic.group(2).split(", ")) {
        rights.add(new Right(topic.group(1), "topic", unquoted(key), topic.group(3)));
      }
    } else {
      requireEmpty(keys);
    }
    return new Row(unquoted(cells.get(0)), unquoted(cells.get(1)), rights, alternatives);
  }

  private static void requireEmpty(String cell) {
    if (!cell.isEmpty()) {
      throw new IllegalStateException(PAGE + " has a cell that says nothing: " + cell);
    }
  }

  private static String unquoted(String text) {
    return text.replace("`", "");
  }

  /** Returns the cells of the rows below a heading. */
  private static List<List<String>> cells(String heading) {
    List<List<String>> rows = new ArrayList<>();
    boolean within = false;
    try {
      for (String line : Files.readAllLines(PAGE)) {
        if (line.startsWith("## ")) {
          within = line.equals(heading);
        } else if (within && line.startsWith("| `")) {
          List<String> row = new ArrayList<>();
          for (String cell : line.substring(1, line.length() - 1).split("\\|", -1)) {
            row.add(cell.trim());
          }
          rows.add(row);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }
}
