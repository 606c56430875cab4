package io.mayflymq.server.management.api;

import java.util.Map;

/**
 * An answer.
 *
 * @param status of HTTP
 * @param body what becomes JSON, or null for none
 * @param headers besides those of every answer
 * @param messages what messages in it take in memory, given back when it has been sent; null if
 *     there are none
 */
public record Response(
    int status, Object body, Map<String, String> headers, MessageMemory.Share messages) {
  /** An answer without messages. */
  public Response(int status, Object body, Map<String, String> headers) {
    this(status, body, headers, null);
  }

  public static Response ok(Object body) {
    return new Response(200, body, Map.of());
  }

  public static Response noContent() {
    return new Response(204, null, Map.of());
  }

  static Response created() {
    return new Response(201, null, Map.of());
  }

  /** 201 for what is new, 204 for what was changed or stayed the same. */
  public static Response put(boolean isNew) {
    return isNew ? created() : noContent();
  }

  public static Response of(ApiException refused) {
    return new Response(
        refused.status(),
        Json.object("error", refused.error(), "reason", refused.reason()),
        Map.of());
  }
}
