package io.mayflymq.server.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * An answer.
 *
 * @param status HTTP's
 * @param headers by name in lower case, besides those that frame the answer
 * @param body null for none
 */
public record HttpResponse(int status, Map<String, String> headers, BodySource body) {
  /** An answer without a body. */
  public static HttpResponse empty(int status, Map<String, String> headers) {
    return new HttpResponse(status, headers, null);
  }

  /** Returns an answer with a short text. */
  public static HttpResponse text(int status, String text) {
    return text(status, Map.of("content-type", "text/plain; charset=utf-8"), text);
  }

  /** Returns an answer with a short text, and the content type that the headers say. */
  public static HttpResponse text(int status, Map<String, String> headers, String text) {
    return bytes(status, headers, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns an answer of bytes, and the content type that the headers say. */
  public static HttpResponse bytes(int status, Map<String, String> headers, byte[] bytes) {
    return new HttpResponse(
        status,
        headers,
        out -> {
          out.writeBytes(bytes);
          return false;
        });
  }
}
