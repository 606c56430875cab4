package io.mayflymq.test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An object in an answer of the HTTP API. */
record Json(Map<?, ?> fields) {
  static Json of(Object value) {
    return new Json((Map<?, ?>) value);
  }

  static List<Json> list(Object value) {
    List<Json> objects = new ArrayList<>();
    ((List<?>) value).forEach(object -> objects.add(of(object)));
    return objects;
  }

  /** Returns a text; the empty one if there is none. */
  String text(String name) {
    Object value = fields.get(name);
    return value == null ? "" : value.toString();
  }

  /** Returns a whole number; 0 if there is none. */
  long number(String name) {
    return fields.get(name) instanceof Number number ? number.longValue() : 0;
  }

  boolean flag(String name) {
    return Boolean.TRUE.equals(fields.get(name));
  }

  /** Returns a time that is given in ms since the epoch. */
  Optional<Instant> time(String name) {
    return fields.get(name) instanceof Number millis
        ? Optional.of(Instant.ofEpochMilli(millis.longValue()))
        : Optional.empty();
  }

  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    if (fields.get(name) instanceof List<?> list) {
      list.forEach(text -> texts.add(String.valueOf(text)));
    }
    return texts;
  }

  Map<String, Object> object(String name) {
    Map<String, Object> object = new LinkedHashMap<>();
    if (fields.get(name) instanceof Map<?, ?> map) {
      map.forEach((key, value) -> object.put(String.valueOf(key), value));
    }
    return object;
  }
}
