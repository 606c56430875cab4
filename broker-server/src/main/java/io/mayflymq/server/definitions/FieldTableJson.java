package io.mayflymq.server.definitions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.Utf8;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Converts arguments to and from RabbitMQ's JSON: all integers have one type, timestamps are
 * numbers, and binary values are text.
 */
public final class FieldTableJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private FieldTableJson() {}

  /** Converts a table to an object, in the order of its fields. */
  public static ObjectNode write(FieldTable table) {
    ObjectNode object = JSON.objectNode();
    table.forEach((name, value) -> object.set(name, write(value)));
    return object;
  }

  private static JsonNode write(FieldValue value) {
    if (value.isInteger()) {
      return JSON.numberNode(value.longValue());
    } else if (value instanceof FieldValue.Bool bool) {
      return JSON.booleanNode(bool.value());
    } else if (value instanceof FieldValue.LongString text) {
      return JSON.textNode(text.string());
    } else if (value instanceof FieldValue.Binary binary) {
      return JSON.textNode(Utf8.decode(binary.bytes(), 0, binary.bytes().length));
    } else if (value instanceof FieldValue.Float32 number) {
      return JSON.numberNode(number.value());
    } else if (value instanceof FieldValue.Float64 number) {
      return JSON.numberNode(number.value());
    } else if (value instanceof FieldValue.Decimal number) {
      return JSON.numberNode(BigDecimal.valueOf(number.unscaled(), number.scale()));
    } else if (value instanceof FieldValue.Timestamp time) {
      return JSON.numberNode(time.seconds());
    } else if (value instanceof FieldValue.Table table) {
      return write(table.table());
    } else if (value instanceof FieldValue.Array array) {
      ArrayNode node = JSON.arrayNode();
      array.values().forEach(element -> node.add(write(element)));
      return node;
    }
    return JSON.nullNode();
  }

  /**
   * Converts an object to a table.
   *
   * @throws IllegalArgumentException if a number has more than 64 bits, or a name more than 255
   *     bytes; the message says which
   */
  public static FieldTable read(JsonNode object) {
    FieldTable.Builder table = FieldTable.builder();
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      table.put(field.getKey(), readValue(field.getKey(), field.getValue()));
    }
    return table.build();
  }

  private static FieldValue readValue(String name, JsonNode value) {
    return switch (value.getNodeType()) {
      case BOOLEAN -> FieldValue.Bool.of(value.booleanValue());
      case STRING -> FieldValue.of(value.textValue());
      case OBJECT -> new FieldValue.Table(read(value));
      case ARRAY -> {
        List<FieldValue> elements = new ArrayList<>();
        value.forEach(element -> elements.add(readValue(name, element)));
        yield new FieldValue.Array(elements);
      }
      case NUMBER -> {
        if (!value.isIntegralNumber()) {
          yield new FieldValue.Float64(value.doubleValue());
        }
        if (!value.canConvertToLong()) {
          throw new IllegalArgumentException(
              "'%s' is %s: expected an integer of 64 bits".formatted(name, value));
        }
        yield new FieldValue.Int64(value.longValue());
      }
      default -> new FieldValue.Void();
    };
  }
}
