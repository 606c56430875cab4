package io.mayflymq.server.management.api;

import java.util.Arrays;
import java.util.List;

/**
 * What an operation of the API does, as its description has it.
 *
 * @param method in capitals
 * @param template the path after {@code /api/}, with names in braces
 * @param group what it belongs to
 * @param summary what it does
 * @param query its parameters of the query, or names of groups of them
 * @param fields the fields of its body
 */
public record Operation(
    String method,
    String template,
    String group,
    String summary,
    List<String> query,
    List<Field> fields) {

  /**
   * A field of a body.
   *
   * @param type of JSON, or {@code any}
   */
  public record Field(String name, String type, boolean required) {
    static Field parse(String text) {
      boolean required = text.endsWith("!");
      int colon = text.indexOf(':');
      return new Field(
          text.substring(0, colon),
          text.substring(colon + 1, text.length() - (required ? 1 : 0)),
          required);
    }
  }

  /**
   * Parses a line of the catalog.
   *
   * @throws IllegalArgumentException if it has not five parts
   */
  static Operation parse(String line) {
    String[] parts = line.split("\\|", -1);
    if (parts.length < 4) {
      throw new IllegalArgumentException("not a description of an operation: " + line);
    }
    String[] named = parts[0].strip().split(" ");
    return new Operation(
        named[0],
        named[1],
        parts[1].strip(),
        parts[2].strip(),
        items(parts[3]),
        parts.length < 5 ? List.of() : items(parts[4]).stream().map(Field::parse).toList());
  }

  private static List<String> items(String text) {
    return Arrays.stream(text.split(","))
        .map(String::strip)
        .filter(item -> !item.isEmpty())
        .toList();
  }

  /** Returns the method and the path. */
  public String key() {
    return method + " " + template;
  }

  /** Returns the names of the variable parts of the path, in order. */
  public List<String> pathNames() {
    return Arrays.stream(template.split("/"))
        .filter(part -> part.startsWith("{"))
        .map(part -> part.substring(1, part.length() - 1))
        .toList();
  }
}
