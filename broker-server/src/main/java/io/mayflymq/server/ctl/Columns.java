package io.mayflymq.server.ctl;

import io.mayflymq.core.naming.NearestName;
import io.mayflymq.server.management.json.FieldColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The columns of a list, in order: each column's name, its field in the API's object, and its
 * conversion. Not changed once in use.
 */
public final class Columns {
  private record Column(String field, boolean text, Function<Map<String, Object>, Object> value) {}

  private final Map<String, Column> columns = new LinkedHashMap<>();

  private Columns() {}

  /** Creates columns whose names are those of the API's fields. */
  public static Columns of(String... names) {
    Columns columns = new Columns();
    for (String name : names) {
      columns.with(name);
    }
    return columns;
  }

  /** Creates the columns of a table of fields. */
  public static Columns of(List<FieldColumn> fields) {
    Columns columns = new Columns();
    for (FieldColumn field : fields) {
      String[] path = field.path().split("\\.");
      Function<Map<String, Object>, Object> value = object -> ControlValues.at(object, path);
      columns.columns.put(
          field.name(),
          new Column(
              field.path(),
              field.type().isText(),
              switch (field.type()) {
                case WORD -> object -> Term.atom(value.apply(object));
                case TABLE -> object -> Term.table(value.apply(object));
                case PROCESS -> object -> Term.pid(value.apply(object));
                case COUNT -> object -> value.apply(object) instanceof Number count ? count : 0L;
                case TEXT, NUMBER, FLAG, OTHER -> value;
              }));
    }
    return columns;
  }

  public Columns with(String name) {
    return with(name, object -> object.get(name), name);
  }

  /**
   * Adds a column.
   *
   * @param value returns the value of the column for an object
   * @param field the field that the object must have for it
   */
  public Columns with(String name, Function<Map<String, Object>, Object> value, String field) {
    columns.put(name, new Column(field, false, value));
    return this;
  }

  /** Adds a column with a text, by which rows are sorted from A to Z. */
  public Columns withText(String name, Function<Map<String, Object>, Object> value, String field) {
    columns.put(name, new Column(field, true, value));
    return this;
  }

  /** Adds a column with a word, such as a state. */
  public Columns withAtom(String name) {
    return withText(name, object -> Term.atom(object.get(name)), name);
  }

  /** Adds a column with an AMQP table. */
  public Columns withTable(String name) {
    return with(name, object -> Term.table(object.get(name)), name);
  }

  /**
   * Returns the columns that the user specifies, in this order.
   *
   * @param wanted names, also several in one text separated by commas; empty for the default
   *     columns
   * @throws ControlException that names the unknown columns
   */
  public Columns chosen(List<String> wanted, String... otherwise) {
    List<String> names = new ArrayList<>();
    for (String part : wanted) {
      Arrays.stream(part.split("[, ]+")).filter(name -> !name.isEmpty()).forEach(names::add);
    }
    Set<String> unknown = new TreeSet<>(names);
    unknown.removeAll(columns.keySet());
    if (!unknown.isEmpty()) {
      throw ControlException.usage(
          "Info key(s) %s are not supported%s"
              .formatted(
                  String.join(",", unknown),
                  NearestName.hint(unknown.iterator().next(), columns.keySet())));
    }
    Columns chosen = new Columns();
    for (String name : names.isEmpty() ? List.of(otherwise) : names) {
      chosen.columns.put(name, columns.get(name));
    }
    return chosen;
  }

  /** Returns the names of all columns, in order. */
  public List<String> names() {
    return List.copyOf(columns.keySet());
  }

  /** Returns the field that an object must have for a column, or several with commas. */
  String field(String name) {
    return columns.get(name).field();
  }

  /** Returns whether a column has texts. */
  boolean isText(String name) {
    return columns.get(name).text();
  }

  /** Returns what a column shows of an object, or null. */
  Object value(String name, Map<String, Object> object) {
    return columns.get(name).value().apply(object);
  }

  public boolean has(String name) {
    return columns.containsKey(name);
  }

  /**
   * Returns the query for exactly the fields of these columns.
   *
   * @param more fields that are wanted too
   */
  public String query(String... more) {
    Set<String> fields = new LinkedHashSet<>();
    columns.values().forEach(column -> fields.add(column.field()));
    fields.addAll(Arrays.asList(more));
    return "?columns=" + String.join(",", fields);
  }

  public Result.Rows rows(List<Map<String, Object>> objects) {
    return new Result.Rows(
        List.copyOf(columns.keySet()),
        objects.stream()
            .map(
                object -> {
                  Map<String, Object> row = new LinkedHashMap<>();
                  columns.forEach((name, column) -> row.put(name, column.value().apply(object)));
                  return row;
                })
            .collect(Collectors.toList()));
  }

  /** Returns the list of columns for the help of a command. */
  public String note() {
    return "Columns: " + String.join(", ", columns.keySet()) + ".";
  }
}
