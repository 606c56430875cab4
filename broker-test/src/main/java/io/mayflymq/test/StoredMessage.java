package io.mayflymq.test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/**
 * A message that is ready in a queue.
 *
 * @param exchange to which it was published last
 * @param routingKey with which it was published last
 * @param properties its properties by RabbitMQ's names, such as {@code message_id}, with the
 *     headers as {@code headers}
 * @param enqueuedAt when it entered the queue, by the clock of the broker
 * @param deadline when it expires, by its own TTL or the queue's
 * @param redelivered whether it may have been delivered before
 * @param body the first 64 KiB of its body, as UTF-8
 */
public record StoredMessage(
    String exchange,
    String routingKey,
    Map<String, Object> properties,
    Instant enqueuedAt,
    Optional<Instant> deadline,
    boolean redelivered,
    String body) {
  static StoredMessage of(Json message) {
    String payload = message.text("payload");
    return new StoredMessage(
        message.text("exchange"),
        message.text("routing_key"),
        message.object("properties"),
        message.time("enqueued_at").orElse(Instant.EPOCH),
        message.time("deadline"),
        message.flag("redelivered"),
        message.text("payload_encoding").equals("base64")
            ? new String(Base64.getDecoder().decode(payload), StandardCharsets.UTF_8)
            : payload);
  }

  /** Returns its property {@code message_id}; empty if it has none. */
  public String messageId() {
    return String.valueOf(properties.getOrDefault("message_id", ""));
  }

  @Override
  public String toString() {
    return "message %s'%s'%s"
        .formatted(
            messageId().isEmpty() ? "" : messageId() + " ",
            body.length() > 60 ? body.substring(0, 60) + "..." : body,
            deadline.map(at -> ", expires at " + at).orElse(", never expires"));
  }
}
