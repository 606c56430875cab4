package io.mayflymq.server.ctl;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses values of the command line, and reads values of the API's responses. */
final class ControlValues {
  private ControlValues() {}

  /**
   * Parses JSON from the command line.
   *
   * @throws ControlException if it is not JSON
   */
  public static Object parse(String json) {
    try {
      return JsonReader.DEFAULT.read(json);
    } catch (JsonProcessingException e) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE, "JSON decoding error. Reason: " + reason(e));
    }
  }

  /** Returns the description of a JSON error, without Jackson's details for programmers. */
  public static String reason(JsonProcessingException e) {
    return e.getOriginalMessage().replaceFirst(" \\(start marker at .*", "");
  }

  /**
   * Parses a JSON object from the command line.
   *
   * @param name the name of the value for the error
   * @throws ControlException if it is not a JSON object
   */
  public static Map<String, Object> parseObject(String name, String json) {
    Object value = parse(json);
    if (value instanceof Map<?, ?>) {
      return Api.object(value);
    }
    throw ControlException.error(
        Sysexits.UNAVAILABLE,
        "Validation failed\n\n%s should be an object, actually was %s\n"
            .formatted(name, JsonWriter.text(value)));
  }

  /** Returns these fields of an object, in this order; null for absent ones. */
  public static Map<String, Object> only(Map<String, Object> object, List<String> fields) {
    Map<String, Object> row = new LinkedHashMap<>();
    fields.forEach(field -> row.put(field, object.get(field)));
    return row;
  }

  /** Returns a field of a nested object by its path, or null. */
  public static Object at(Map<String, Object> object, String... path) {
    Object value = object;
    for (String field : path) {
      value = value instanceof Map<?, ?> inner ? inner.get(field) : null;
    }
    return value;
  }

  /** Formats a time in ISO 8601; null if there is none. */
  public static String time(Object millis) {
    return millis instanceof Number number
        ? Instant.ofEpochMilli(number.longValue()).toString()
        : null;
  }

  /** Returns a field as a number; 0 if there is none. */
  public static long number(Map<String, Object> object, String field) {
    return object.get(field) instanceof Number number ? number.longValue() : 0;
  }
}
