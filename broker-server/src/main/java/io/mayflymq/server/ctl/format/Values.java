package io.mayflymq.server.ctl.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.mayflymq.server.ctl.client.Api;
import io.mayflymq.server.ctl.client.ControlException;
import io.mayflymq.server.ctl.client.JsonText;
import io.mayflymq.server.ctl.client.Sysexits;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values as they are given on the command line, and as the API gives them. */
public final class Values {
  private Values() {}

  /**
   * Parses JSON from the command line.
   *
   * @throws ControlException if it is none
   */
  public static Object parse(String json) {
    try {
      return JsonText.read(json);
    } catch (JsonProcessingException e) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE, "JSON decoding error. Reason: " + reason(e));
    }
  }

  /** Returns what is wrong with a document, without what Jackson adds for programmers. */
  public static String reason(JsonProcessingException e) {
    return e.getOriginalMessage().replaceFirst(" \\(start marker at .*", "");
  }

  /**
   * Parses a JSON object from the command line.
   *
   * @param name what it is
   * @throws ControlException if it is none
   */
  public static Map<String, Object> parseObject(String name, String json) {
    Object value = parse(json);
    if (value instanceof Map<?, ?>) {
      return Api.object(value);
    }
    throw ControlException.error(
        Sysexits.UNAVAILABLE,
        "Validation failed\n\n%s should be an object, actually was %s\n"
            .formatted(name, JsonText.write(value)));
  }

  /** Returns these fields of an object, in this order; null for those that it has not. */
  public static Map<String, Object> only(Map<String, Object> object, List<String> fields) {
    Map<String, Object> row = new LinkedHashMap<>();
    fields.forEach(field -> row.put(field, object.get(field)));
    return row;
  }

  /** Returns a field of an object in an object, or null. */
  public static Object at(Map<String, Object> object, String... path) {
    Object value = object;
    for (String field : path) {
      value = value instanceof Map<?, ?> inner ? inner.get(field) : null;
    }
    return value;
  }

  /** Returns a time as ISO 8601 writes it; null for none. */
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
