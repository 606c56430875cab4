package io.mayflymq.server.management.json;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.server.json.TableJson;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The properties of a message in JSON. */
public final class MessagePropertiesJson {
  private MessagePropertiesJson() {}

  /**
   * Reads properties. Unknown names are ignored.
   *
   * @throws ApiException 400 for a value of the wrong type
   */
  public static BasicProperties parse(Object given) {
    // RabbitMQ returns an empty object as an empty list.
    if (given instanceof List<?> list && list.isEmpty()) {
      return BasicProperties.EMPTY;
    }
    if (!(given instanceof Map<?, ?> object)) {
      throw ApiException.badRequest("properties should be an object, actually was " + given);
    }
    BasicProperties.Builder properties = BasicProperties.builder();
    text(object, "content_type", properties::contentType);
    text(object, "content_encoding", properties::contentEncoding);
    if (object.containsKey("headers")) {
      properties.headers(new Body.Fields(object).table("headers"));
    }
    number(object, "delivery_mode", 255, value -> properties.deliveryMode(value.intValue()));
    number(object, "priority", 255, value -> properties.priority(value.intValue()));
    text(object, "correlation_id", properties::correlationId);
    text(object, "reply_to", properties::replyTo);
    text(object, "expiration", properties::expiration);
    text(object, "message_id", properties::messageId);
    number(object, "timestamp", Long.MAX_VALUE, properties::timestamp);
    text(object, "type", properties::type);
    text(object, "user_id", properties::userId);
    text(object, "app_id", properties::appId);
    text(object, "cluster_id", properties::clusterId);
    return properties.build();
  }

  private static void text(Map<?, ?> object, String name, Consumer<String> set) {
    Object value = object.get(name);
    if (value == null) {
      return;
    }
    if (!(value instanceof String text)) {
      throw ApiException.badRequest(List.of("not_string", name));
    }
    PathNames.check(name, text);
    set.accept(text);
  }

  private static void number(Map<?, ?> object, String name, long most, Consumer<Long> set) {
    Object value = object.get(name);
    if (value == null) {
      return;
    }
    if (!(value instanceof Long number)) {
      throw ApiException.badRequest(List.of("not_int", name));
    }
    if (number < 0 || number > most) {
      throw ApiException.badRequest(
          "%s should be from 0 to %d, actually was %d".formatted(name, most, number));
    }
    set.accept(number);
  }

  /** Returns the properties that are set; an empty list if none is, as in RabbitMQ. */
  public static Object object(BasicProperties properties) {
    Map<String, Object> object = new LinkedHashMap<>();
    put(object, "cluster_id", properties.clusterId());
    put(object, "app_id", properties.appId());
    put(object, "user_id", properties.userId());
    put(object, "type", properties.type());
    put(object, "timestamp", properties.timestamp());
    put(object, "message_id", properties.messageId());
    put(object, "expiration", properties.expiration());
    put(object, "reply_to", properties.replyTo());
    put(object, "correlation_id", properties.correlationId());
    put(object, "priority", properties.priority());
    put(object, "delivery_mode", properties.deliveryMode());
    if (properties.headers() != null) {
      object.put("headers", TableJson.SHOWN.of(properties.headers()));
    }
    put(object, "content_encoding", properties.contentEncoding());
    put(object, "content_type", properties.contentType());
    return object.isEmpty() ? List.of() : object;
  }

  private static void put(Map<String, Object> object, String name, Object value) {
    if (value != null) {
      object.put(name, value);
    }
  }
}
