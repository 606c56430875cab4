package io.mayflymq.server.definitions;

import io.mayflymq.server.json.JsonWriter;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** Formats JSON as Erlang terms, which RabbitMQ's error texts contain. */
final class ErlangJson {
  private ErlangJson() {}

  static String of(Object value) {
    if (value instanceof String text) {
      return "<<\"" + text + "\">>";
    }
    if (value instanceof Map<?, ?> object) {
      StringJoiner fields = new StringJoiner(",", "#{", "}");
      object.forEach((name, field) -> fields.add(of(name) + " => " + of(field)));
      return fields.toString();
    }
    if (value instanceof List<?> list) {
      StringJoiner elements = new StringJoiner(",", "[", "]");
      list.forEach(element -> elements.add(of(element)));
      return elements.toString();
    }
    return JsonWriter.text(value);
  }
}
