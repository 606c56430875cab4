package io.mayflymq.server.management;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;

/** Messages as RabbitMQ's management shows them. */
final class MessageObjects {
  private MessageObjects() {}

  /** How a body becomes text. */
  enum Encoding {
    /** As it is if it is UTF-8, else in base64. */
    AUTO,
    BASE64;

    /**
     * The encoding of this name.
     *
     * @throws ApiException 400 if there is none
     */
    static Encoding of(String name) {
      return switch (name) {
        case "auto" -> AUTO;
        case "base64" -> BASE64;
        default ->
            throw ApiException.badRequest("Unsupported encoding. Please use auto or base64.");
      };
    }
  }

  /**
   * A message with the beginning of its body.
   *
   * @param truncate how many bytes of the body are shown at most; less than 0 counts as 0
   */
  static Map<String, Object> of(Message message, Encoding encoding, long truncate) {
    int shown = (int) Math.min(Math.max(0, truncate), message.bodyLength());
    byte[] body =
        Arrays.copyOfRange(
            message.content(), message.propertiesLength(), message.propertiesLength() + shown);
    boolean asText = encoding == Encoding.AUTO && Utf8.isValid(body, 0, body.length);
    return Json.object(
        "payload_bytes", message.bodyLength(),
        "exchange", message.exchange().value(),
        "routing_key", message.routingKey().value(),
        "properties", MessageProperties.object(message.properties()),
        "payload",
            asText
                ? new String(body, StandardCharsets.UTF_8)
                : Base64.getEncoder().encodeToString(body),
        "payload_encoding", asText ? "string" : "base64");
  }
}
