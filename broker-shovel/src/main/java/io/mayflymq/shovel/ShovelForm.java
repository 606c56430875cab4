package io.mayflymq.shovel;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import io.mayflymq.shovel.transfer.MessageForm;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a message leaves a shovel. For one thread. */
final class ShovelForm implements MessageForm {
  private static final String CC = "CC";
  private static final String ORIGINAL_CC = "x-original-cc";
  private static final String SHOVELLED = "x-shovelled";
  private static final String SHOVELLED_TIMESTAMP = "x-shovelled-timestamp";
  private static final long MILLIS = 1_000;

  private final ShovelDefinition.Destination destination;
  private final Map<String, Object> stamp;
  private final boolean removesUserId;

  /**
   * @param stamp what a header tells of the shovel
   * @param removesUserId whether messages go without the user who published them
   */
  ShovelForm(
      ShovelDefinition.Destination destination, Map<String, Object> stamp, boolean removesUserId) {
    this.destination = destination;
    this.stamp = stamp;
    this.removesUserId = removesUserId;
  }

  @Override
  public boolean keepsProperties() {
    return destination.properties().isEmpty()
        && !destination.forwardHeaders()
        && !destination.timestampHeader()
        && !removesUserId;
  }

  @Override
  public BasicProperties of(Envelope envelope, BasicProperties given) {
    Map<String, Object> headers = headers(given.getHeaders());
    boolean dropsUser = removesUserId && given.getUserId() != null;
    if (headers == given.getHeaders() && destination.properties().isEmpty() && !dropsUser) {
      return given;
    }
    BasicProperties.Builder properties = given.builder().headers(headers);
    if (dropsUser) {
      properties.userId(null);
    }
    destination.properties().forEach((key, value) -> replace(properties, key, value));
    return properties.build();
  }

  private Map<String, Object> headers(Map<String, Object> given) {
    boolean copied = given != null && given.containsKey(CC);
    if (!copied && !destination.forwardHeaders() && !destination.timestampHeader()) {
      return given;
    }
    Map<String, Object> headers =
        given == null ? new LinkedHashMap<>() : new LinkedHashMap<>(given);
    if (copied) {
      // The source has routed it by these keys already.
      headers.putIfAbsent(ORIGINAL_CC, headers.remove(CC));
    }
    if (destination.forwardHeaders()) {
      List<Object> all = new ArrayList<>();
      all.add(stamp);
      if (headers.get(SHOVELLED) instanceof List<?> earlier) {
        all.addAll(earlier);
      }
      headers.put(SHOVELLED, all);
    }
    if (destination.timestampHeader()) {
      headers.put(SHOVELLED_TIMESTAMP, System.currentTimeMillis() / MILLIS);
    }
    return headers;
  }

  private static void replace(BasicProperties.Builder properties, String key, Object value) {
    switch (key) {
      case "content_type" -> properties.contentType((String) value);
      case "content_encoding" -> properties.contentEncoding((String) value);
      case "delivery_mode" -> properties.deliveryMode(((Long) value).intValue());
      case "priority" -> properties.priority(((Long) value).intValue());
      case "correlation_id" -> properties.correlationId((String) value);
      case "reply_to" -> properties.replyTo((String) value);
      case "expiration" -> properties.expiration((String) value);
      case "message_id" -> properties.messageId((String) value);
      case "timestamp" -> properties.timestamp(Date.from(Instant.ofEpochSecond((Long) value)));
      case "type" -> properties.type((String) value);
      case "user_id" -> properties.userId((String) value);
      case "app_id" -> properties.appId((String) value);
      case "cluster_id" -> properties.clusterId((String) value);
      default -> throw new IllegalArgumentException(key);
    }
  }
}
