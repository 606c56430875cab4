package io.mayflymq.server.definitions;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.json.TableJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One object of a document, with typed access to its fields. Errors are IllegalArgumentExceptions
 * that name the field.
 *
 * @param place its place in the document, such as {@code queues[3]}
 * @param vhost the virtual host of the whole document; null if each item names its own
 */
record DefinitionItem(String place, Map<String, Object> object, String vhost) {

  /**
   * Returns an item of a list.
   *
   * @throws IllegalArgumentException if the value is not an object
   */
  static DefinitionItem of(String place, Object json, String vhost) {
    if (!(json instanceof Map<?, ?> object)) {
      throw new IllegalArgumentException("expected an object, found " + JsonWriter.text(json));
    }
    return new DefinitionItem(place, Json.asObject(object), vhost);
  }

  boolean has(String field) {
    return object.get(field) != null;
  }

  String text(String field) {
    if (!(required(field) instanceof String text)) {
      throw wrong(field, "a text");
    }
    return text;
  }

  String text(String field, String byDefault) {
    return has(field) ? text(field) : byDefault;
  }

  boolean flag(String field) {
    if (!(required(field) instanceof Boolean flag)) {
      throw wrong(field, "true or false");
    }
    return flag;
  }

  boolean flag(String field, boolean byDefault) {
    return has(field) ? flag(field) : byDefault;
  }

  int integer(String field, int byDefault) {
    if (!has(field)) {
      return byDefault;
    }
    // RabbitMQ keeps 1.0 as it was written.
    if (!(object.get(field) instanceof Number number)
        || number.doubleValue() != number.intValue()) {
      throw wrong(
          field, "a whole number from %d to %d".formatted(Integer.MIN_VALUE, Integer.MAX_VALUE));
    }
    return number.intValue();
  }

  Object any(String field) {
    return required(field);
  }

  Map<String, Object> object(String field) {
    if (!(required(field) instanceof Map<?, ?> inner)) {
      throw wrong(field, "an object");
    }
    return Json.asObject(inner);
  }

  /**
   * Returns an object. {@code rabbitmqctl export_definitions} of RabbitMQ 3.10 writes those of
   * operator policies as lists of pairs: {@code [["max-length", 10000]]}.
   */
  Map<String, Object> objectOrPairs(String field) {
    if (!(required(field) instanceof List<?> pairs)) {
      return object(field);
    }
    Map<String, Object> object = new LinkedHashMap<>();
    for (Object each : pairs) {
      if (!(each instanceof List<?> pair
          && pair.size() == 2
          && pair.get(0) instanceof String name)) {
        throw wrong(field, "an object, or a list of pairs of a name and a value");
      }
      if (object.containsKey(name)) {
        throw wrong(field, "each name once; '%s' is there twice".formatted(name));
      }
      object.put(name, pair.get(1));
    }
    return object;
  }

  /** Returns the arguments. RabbitMQ sometimes writes an empty table as an empty array. */
  FieldTable arguments() {
    if (!has("arguments") || object.get("arguments").equals(List.of())) {
      return FieldTable.EMPTY;
    }
    return TableJson.table(object("arguments"));
  }

  /** Returns the tags: a list, or a text separated by commas. */
  List<String> tags() {
    if (!has("tags")) {
      return List.of();
    }
    return Json.texts(object.get("tags"))
        .orElseThrow(() -> wrong("tags", "a list of texts, or a text with commas"));
  }

  /** Returns the virtual host of the item. */
  String ownVhost() {
    return vhost != null ? vhost : text("vhost");
  }

  private Object required(String field) {
    if (!object.containsKey(field)) {
      throw new IllegalArgumentException("'" + field + "' is missing");
    }
    return object.get(field);
  }

  private IllegalArgumentException wrong(String field, String expected) {
    return new IllegalArgumentException(
        "'%s' is %s: expected %s".formatted(field, JsonWriter.text(object.get(field)), expected));
  }
}
