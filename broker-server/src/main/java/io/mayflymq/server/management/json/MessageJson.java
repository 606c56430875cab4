package io.mayflymq.server.management.json;

import io.mayflymq.core.message.Message;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Messages as RabbitMQ's management shows them. */
public final class MessageJson {
  /** Longer bodies are converted in pieces. */
  private static final int LARGE = 16 * 1024;

  /** The memory of a message in addition to its content. */
  private static final int BESIDE = 1024;

  private MessageJson() {}

  /** How a body is shown as text. */
  public enum Encoding {
    /** Unchanged if the body is UTF-8, otherwise base64. */
    AUTO,
    BASE64;

    /**
     * Returns the encoding of this name.
     *
     * @throws ApiException 400 if no encoding has this name
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
   * A message whose body is cut to the part that is shown.
   *
   * @param message with the beginning of its body
   * @param bodyLength the length of the whole body in bytes
   */
  public record Shown(Message message, int bodyLength) {
    /** Returns about how many bytes of memory it takes. */
    public long bytes() {
      return BESIDE + (long) message.content().length;
    }
  }

  /**
   * Cuts the body of a message to its beginning.
   *
   * @param truncate the maximum number of bytes of the body that are shown; a negative number means
   *     0
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

  /** Returns a message as a JSON object. */
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
