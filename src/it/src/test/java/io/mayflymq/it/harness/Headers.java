package io.mayflymq.it.harness;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads headers as tests like to compare them: with strings for long strings, at every depth. */
public final class Headers {
  private Headers() {}

  /** The headers of a message; empty when it has none. */
  public static Map<String, Object> of(BasicProperties properties) {
    return properties.getHeaders() == null ? Map.of() : table(properties.getHeaders());
  }

  /** The deaths of a message, latest first; empty when it never died. */
  public static List<Map<String, Object>> deaths(BasicProperties properties) {
    List<Map<String, Object>> deaths = new ArrayList<>();
    if (of(properties).get("x-death") instanceof List<?> entries) {
      for (Object entry : entries) {
        deaths.add(table((Map<?, ?>) entry));
      }
    }
    return deaths;
  }

  /** Every death as {@code reason queue count}, latest first. */
  public static List<String> history(BasicProperties properties) {
    return deaths(properties).stream()
        .map(death -> death.get("reason") + " " + death.get("queue") + " " + death.get("count"))
        .toList();
  }

  private static Map<String, Object> table(Map<?, ?> table) {
    Map<String, Object> plain = new LinkedHashMap<>();
    table.forEach((key, value) -> plain.put(key.toString(), plain(value)));
    return plain;
  }

  private static Object plain(Object value) {
    if (value instanceof LongString string) {
      return string.toString();
    }
    if (value instanceof Map<?, ?> table) {
      return table(table);
    }
    if (value instanceof List<?> list) {
      List<Object> plain = new ArrayList<>();
      list.forEach(element -> plain.add(plain(element)));
      return plain;
    }
    return value;
  }
}
