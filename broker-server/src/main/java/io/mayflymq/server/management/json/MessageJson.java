package io.mayflymq.server.management.json;

import io.mayflymq.core.message.Message;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Messages as RabbitMQ's management shows them. */
public final class MessageJson {
  /** Bodies that are longer are made piece by piece. */
  private static final int LARGE = 16 * 1024;

  /** The memory of a message in addition to its content. */
  private static final int BESIDE = 1024;

  private MessageJson() {}

  /** How a body is shown as text. */
  public enum Encoding {
    /** As it is if it is UTF-8, else in base64. */
    AUTO,
    BASE64;

    /**
     * Returns the encoding of this name.
     *
     * @throws ApiException 400 if there is none
     */
    public static Encoding of(String name) {
      return switch (name) {
        case "auto" -> AUTO;
        case "base64" -> BASE64;
        default ->
            throw ApiException.badRequest("Unsupported encoding. Please use auto or base64.");
      };
    }
  }

  /**
   * A message of which no more is kept than is shown.
   *
   * @param message with the beginning of its body
   * @param bodyLength bytes of the whole body
   */
  public record Shown(Message message, int bodyLength) {
    /** About how many bytes of memory it takes. */
    public long bytes() {
      return BESIDE + (long) message.content().length;
    }
  }

  /**
   * Returns a message with the beginning of its body.
   *
   * @param truncate how many bytes of the body are shown at most; less than 0 counts as 0
   */
  public static Shown cut(Message message, long truncate) {
    int shown = (int) Math.min(Math.max(0, truncate), message.bodyLength());
    if (shown == message.bodyLength()) {
      return new Shown(message, shown);
    }
    byte[] content = Arrays.copyOf(message.content(), message.propertiesLength() + shown);
    return new Shown(
        new Message(
            message.exchange(),
            message.routingKey(),
            content,
            message.propertiesLength(),
            message.ttlMillis(),
            message.priority(),
            message.persistent(),
            List.of()),
        message.bodyLength());
  }

  /** Returns what is shown of a message. */
  public static Map<String, Object> of(Shown shown, Encoding encoding) {
    Message message = shown.message();
    byte[] content = message.content();
    int from = message.propertiesLength();
    boolean asText = encoding == Encoding.AUTO && PayloadText.isUtf8(content, from, content.length);
    return Json.object(
        "payload_bytes", shown.bodyLength(),
        "exchange", message.exchange().value(),
        "routing_key", message.routingKey().value(),
        "properties", MessagePropertiesJson.object(message.properties()),
        "payload", payload(content, from, asText),
        "payload_encoding", asText ? "string" : "base64");
  }

  private static Object payload(byte[] content, int from, boolean asText) {
    if (content.length - from > LARGE) {
      return new PayloadText(content, from, content.length, asText);
    }
    return asText
        ? new String(content, from, content.length - from, StandardCharsets.UTF_8)
        : Base64.getEncoder().encodeToString(Arrays.copyOfRange(content, from, content.length));
  }
}
