package io.mayflymq.server.definitions;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.StringJoiner;

/** Formats JSON as Erlang terms, which RabbitMQ's error texts contain. */
final class ErlangJson {
  private ErlangJson() {}

  static String of(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> "<<\"" + value.textValue() + "\">>";
      case OBJECT -> {
        StringJoiner fields = new StringJoiner(",", "#{", "}");
        value
            .properties()
            .forEach(
                field -> fields.add("<<\"" + field.getKey() + "\">> => " + of(field.getValue())));
        yield fields.toString();
      }
      case ARRAY -> {
        StringJoiner elements = new StringJoiner(",", "[", "]");
        value.forEach(element -> elements.add(of(element)));
        yield elements.toString();
      }
      default -> value.toString();
    };
  }
}
