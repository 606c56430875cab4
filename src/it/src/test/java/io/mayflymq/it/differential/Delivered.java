package io.mayflymq.it.differential;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.LongString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a client sees of a message, as a text that is the same for what may not differ. */
final class Delivered {
  /** Of a moment, or unknown to RabbitMQ before 3.13. */
  private static final Set<String> LEFT_OUT =
      Set.of("time", "x-last-death-queue", "x-last-death-reason", "x-last-death-exchange");

  private Delivered() {}

  /** The number that a body begins with. */
  static int number(byte[] body) {
    return Integer.parseInt(new String(body, StandardCharsets.UTF_8).split(" ", 2)[0]);
  }

  static String describe(Envelope envelope, BasicProperties properties, byte[] body) {
    return "%d%s from '%s' by '%s' (%d bytes, priority %s) %s"
        .formatted(
            number(body),
            envelope.isRedeliver() ? " again" : "",
            envelope.getExchange(),
            envelope.getRoutingKey(),
            body.length,
            properties.getPriority(),
            headers(properties.getHeaders()));
  }

  private static Object headers(Map<String, Object> headers) {
    if (headers == null) {
      return "";
    }
    Map<String, Object> shown = new TreeMap<>();
    headers.forEach(
        (name, value) -> {
          // Before 3.13 RabbitMQ took CC away from some dead letters.
          boolean lost = name.equals("CC") && headers.containsKey("x-death");
          if (!LEFT_OUT.contains(name) && !lost) {
            shown.put(name, value(value));
          }
        });
    return shown;
  }

  @SuppressWarnings("unchecked") // tables have strings as keys
  private static Object value(Object value) {
    if (value instanceof Map<?, ?> table) {
      return headers((Map<String, Object>) table);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Delivered::value).toList();
    }
    return value instanceof LongString text ? text.toString() : value;
  }
}
