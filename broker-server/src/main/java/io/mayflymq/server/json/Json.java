package io.mayflymq.server.json;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * JSON in Java: a map from texts, a list, a text, a number, a truth value or null. Objects keep the
 * order of their fields.
 */
public final class Json {
  private Json() {}

  /** Returns an object of alternating names and values, in this order. */
  public static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }

  /** Returns an object that was read. */
  @SuppressWarnings("unchecked") // all of its keys are texts
  public static Map<String, Object> asObject(Map<?, ?> object) {
    return (Map<String, Object>) object;
  }

  /** Returns a list of values, which may be null. */
  public static List<Object> list(Object... values) {
    return Arrays.asList(values);
  }

  /**
   * Returns tags or names, which RabbitMQ takes as a list of texts or as a text with commas; empty
   * if the value is neither.
   */
  public static Optional<List<String>> texts(Object value) {
    if (value instanceof String text) {
      return Optional.of(
          Stream.of(text.split(",")).map(String::strip).filter(part -> !part.isEmpty()).toList());
    }
    if (value instanceof List<?> list && list.stream().allMatch(String.class::isInstance)) {
      return Optional.of(list.stream().map(String.class::cast).toList());
    }
    return Optional.empty();
  }
}
