package io.mayflymq.server.definitions;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.protocol.types.FieldTable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * One object of a document, with typed access to its fields. Errors are IllegalArgumentExceptions
 * that name the field.
 *
 * @param place its place in the document, such as {@code queues[3]}
 * @param vhost the virtual host of the whole document; null if each item names its own
 */
record DefinitionItem(String place, JsonNode object, String vhost) {

  DefinitionItem {
    if (!object.isObject()) {
      throw new IllegalArgumentException("expected an object, found " + object);
    }
  }

  boolean has(String field) {
    return object.hasNonNull(field);
  }

  String text(String field) {
    JsonNode value = required(field);
    if (!value.isTextual()) {
      throw wrong(field, value, "a text");
    }
    return value.textValue();
  }

  String text(String field, String byDefault) {
    return has(field) ? text(field) : byDefault;
  }

  boolean flag(String field) {
    JsonNode value = required(field);
    if (!value.isBoolean()) {
      throw wrong(field, value, "true or false");
    }
    return value.booleanValue();
  }

  boolean flag(String field, boolean byDefault) {
    return has(field) ? flag(field) : byDefault;
  }

  int integer(String field, int byDefault) {
    if (!has(field)) {
      return byDefault;
    }
    JsonNode value = object.get(field);
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      throw wrong(field, value, "an integer");
    }
    return value.intValue();
  }

  JsonNode any(String field) {
    return required(field);
  }

  JsonNode object(String field) {
    JsonNode value = required(field);
    if (!value.isObject()) {
      throw wrong(field, value, "an object");
    }
    return value;
  }

  /** Returns the arguments. RabbitMQ sometimes writes an empty table as an empty array. */
  FieldTable arguments() {
    if (!has("arguments")
        || (object.get("arguments").isArray() && object.get("arguments").isEmpty())) {
      return FieldTable.EMPTY;
    }
    return FieldTableJson.read(object("arguments"));
  }

  /** Returns the tags: a list, or a text separated by commas. */
  List<String> tags() {
    if (!has("tags")) {
      return List.of();
    }
    JsonNode value = object.get("tags");
    if (value.isTextual()) {
      return Arrays.stream(value.textValue().split(","))
          .map(String::strip)
          .filter(tag -> !tag.isEmpty())
          .toList();
    }
    if (!value.isArray()
        || StreamSupport.stream(value.spliterator(), false).anyMatch(tag -> !tag.isTextual())) {
      throw wrong("tags", value, "a list of texts, or a text with commas");
    }
    return StreamSupport.stream(value.spliterator(), false).map(JsonNode::textValue).toList();
  }

  /** Returns the virtual host of the item. */
  String ownVhost() {
    return vhost != null ? vhost : text("vhost");
  }

  private JsonNode required(String field) {
    JsonNode value = object.get(field);
    if (value == null) {
      throw new IllegalArgumentException("'" + field + "' is missing");
    }
    return value;
  }

  private static IllegalArgumentException wrong(String field, JsonNode value, String expected) {
    return new IllegalArgumentException(
        "'%s' is %s: expected %s".formatted(field, value, expected));
  }
}
