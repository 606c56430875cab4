package io.mayflymq.server.ctl;

import io.mayflymq.server.json.JsonValue;
import io.mayflymq.server.json.JsonWriter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a command shows, beside texts, numbers, truth values, null, lists and maps: the kinds of
 * Erlang's terms that RabbitMQ's command line shows in a way of their own. And how a term is
 * written for a human, in Erlang and in Elixir.
 */
public final class Term {
  private static final int WIDTH = 80;

  private Term() {}

  /** A name that stands for itself, such as a state. */
  record Atom(String name) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** What identifies a connection, a channel or a queue. */
  record Pid(String text) {
    @Override
    public String toString() {
      return text;
    }
  }

  /** A fixed number of elements. */
  public record Tuple(List<Object> elements) implements JsonValue {
    public static Tuple of(Object... elements) {
      return new Tuple(Arrays.asList(elements));
    }

    @Override
    public Object json() {
      return elements;
    }
  }

  /** An element of an array of AMQP, with its type. In a table's cell and in JSON it has none. */
  record Element(Atom type, Object value) implements JsonValue {
    @Override
    public Object json() {
      return value;
    }
  }

  private static final String UNDEFINED = "undefined";

  /** Returns an atom, or null for none. */
  public static Object atom(Object name) {
    return name == null ? null : new Atom(name.toString());
  }

  public static Object pid(Object text) {
    return text == null ? null : new Pid(text.toString());
  }

  public static List<Object> atoms(Object names) {
    return names instanceof List<?> list
        ? list.stream().map(Term::atom).collect(Collectors.toList())
        : List.of();
  }

  /**
   * Returns a table of AMQP that came as a JSON object: names, types and values, in order of names.
   */
  public static Object table(Object json) {
    if (!(json instanceof Map<?, ?> object)) {
      return List.of();
    }
    return object.entrySet().stream()
        .map(
            field ->
                new Tuple(
                    Arrays.asList(
                        field.getKey(), new Atom(type(field.getValue())), field(field.getValue()))))
        .sorted(Comparator.comparing(tuple -> tuple.elements().get(0).toString()))
        .collect(Collectors.toList());
  }

  private static Object field(Object value) {
    if (value instanceof List<?> array) {
      return array.stream()
          .map(element -> new Element(new Atom(type(element)), field(element)))
          .collect(Collectors.toList());
    }
    if (isVoid(value)) {
      return new Atom(UNDEFINED);
    }
    return value instanceof Map<?, ?> ? table(value) : value;
  }

  /** Returns whether a value is the text by which the API, like RabbitMQ's, shows a void value. */
  private static boolean isVoid(Object value) {
    return UNDEFINED.equals(value);
  }

  private static String type(Object value) {
    if (value instanceof Boolean) {
      return "bool";
    }
    if (value instanceof Double) {
      return "double";
    }
    if (value instanceof Number) {
      return "long";
    }
    if (value instanceof Map<?, ?>) {
      return "table";
    }
    if (value instanceof List<?>) {
      return "array";
    }
    return isVoid(value) ? "void" : "longstr";
  }

  // For a cell of a table

  /** Returns a value as RabbitMQ shows it in a table's cell. */
  public static String cell(Object value) {
    if (value == null) {
      return "";
    }
    if (value instanceof List<?> list) {
      return "["
          + list.stream().map(Term::nested).collect(Collectors.joining(isTable(list) ? "," : ", "))
          + "]";
    }
    if (value instanceof Map<?, ?>) {
      return JsonWriter.text(value);
    }
    return value instanceof Tuple ? nested(value) : escape(value.toString());
  }

  /**
   * Returns whether its elements stand close together, as RabbitMQ shows those of tables and
   * arrays.
   */
  private static boolean isTable(List<?> list) {
    return !list.isEmpty() && (list.get(0) instanceof Tuple || list.get(0) instanceof Element);
  }

  private static String nested(Object value) {
    if (value instanceof Tuple tuple) {
      List<Object> elements = tuple.elements();
      // A field of a table is shown without its type.
      List<Object> shown =
          elements.size() == 3 && elements.get(1) instanceof Atom
              ? Arrays.asList(elements.get(0), elements.get(2))
              : elements;
      return shown.stream().map(Term::nested).collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof Element element) {
      return nested(element.value());
    }
    if (value instanceof String text) {
      return "\"" + escape(text) + "\"";
    }
    return cell(value);
  }

  /** Escapes characters that would end the line or the cell. */
  private static String escape(String text) {
    if (text.chars().noneMatch(c -> c < ' ')) {
      return text;
    }
    StringBuilder escaped = new StringBuilder();
    text.chars().forEach(c -> escaped.append(c < ' ' ? String.format("\\%03o", c) : (char) c));
    return escaped.toString();
  }

  // Erlang

  /** Returns a term as Erlang writes it, in lines of about 80 columns. */
  public static String erlang(Object value) {
    return erlang(value, 0);
  }

  private static String erlang(Object value, int column) {
    String flat = flat(value);
    if (column + flat.length() <= WIDTH) {
      return flat;
    }
    if (value instanceof Map<?, ?> object) {
      return erlang(properties(object), column);
    }
    if (value instanceof List<?> list) {
      return list.stream()
          .map(element -> erlang(element, column + 1))
          .collect(Collectors.joining(",\n" + " ".repeat(column + 1), "[", "]"));
    }
    if (value instanceof Tuple tuple && !tuple.elements().isEmpty()) {
      String head = flat(tuple.elements().get(0));
      int next = column + head.length() + 2;
      return tuple.elements().stream()
          .skip(1)
          .map(element -> erlang(element, next))
          .collect(Collectors.joining(",\n" + " ".repeat(next), "{" + head + ",", "}"));
    }
    return flat;
  }

  /** Returns what a map is in Erlang: a list of pairs. */
  static List<Object> properties(Map<?, ?> object) {
    return object.entrySet().stream()
        .map(
            field ->
                (Object)
                    new Tuple(Arrays.asList(new Atom(field.getKey().toString()), field.getValue())))
        .collect(Collectors.toList());
  }

  private static String flat(Object value) {
    if (value == null) {
      return "<<>>";
    }
    if (value instanceof Map<?, ?> object) {
      return flat(properties(object));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Term::flat).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof Element element) {
      return flat(Tuple.of(element.type(), element.value()));
    }
    if (value instanceof Tuple tuple) {
      return tuple.elements().stream().map(Term::flat).collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof Atom atom) {
      return atom.name().matches("[a-z][A-Za-z0-9_@]*") ? atom.name() : "'" + atom.name() + "'";
    }
    return value instanceof String text ? "<<" + quoted(text) + ">>" : value.toString();
  }

  // Elixir

  /** Returns a term as Elixir inspects it. */
  public static String elixir(Object value) {
    if (value == null) {
      return "\"\"";
    }
    if (value instanceof Map<?, ?> object) {
      return object.entrySet().stream()
          .map(field -> key(field.getKey().toString()) + " " + elixir(field.getValue()))
          .collect(Collectors.joining(", ", "[", "]"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Term::elixir).collect(Collectors.joining(", ", "[", "]"));
    }
    if (value instanceof Element element) {
      return key(element.type().name()) + " " + elixir(element.value());
    }
    if (value instanceof Tuple tuple) {
      return tuple.elements().stream()
          .map(Term::elixir)
          .collect(Collectors.joining(", ", "{", "}"));
    }
    if (value instanceof Atom atom) {
      return ":" + (isElixirName(atom.name()) ? atom.name() : quoted(atom.name()));
    }
    if (value instanceof Pid pid) {
      return "#PID" + pid.text();
    }
    return value instanceof String text ? quoted(text) : value.toString();
  }

  private static String key(String name) {
    return (isElixirName(name) ? name : quoted(name)) + ":";
  }

  private static boolean isElixirName(String name) {
    return name.matches("[a-z_][A-Za-z0-9_]*");
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
  }
}
