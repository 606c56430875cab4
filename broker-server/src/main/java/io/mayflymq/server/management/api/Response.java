package io.mayflymq.server.management.api;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.server.json.Json;
import java.util.Map;
import java.util.Optional;

/**
 * A response to a request.
 *
 * @param status of HTTP
 * @param body the value to be written as JSON, or null for an empty body
 * @param headers in addition to those of every response
 * @param messages the memory of the messages in it, released when it has been sent; null if it has
 *     none
 */
public record Response(
    int status, Object body, Map<String, String> headers, MessageMemory.Share messages) {
  /** Creates a response without messages. */
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

  /** Returns 201 for a new object, 204 for one that existed before. */
  public static Response put(boolean isNew) {
    return isNew ? created() : noContent();
  }

  /**
   * Returns what a request is answered with that was refused.
   *
   * @param thrown by its handler
   * @return empty if that is no refusal, but a fault
   */
  public static Optional<Response> refusal(Throwable thrown) {
    if (thrown instanceof ApiException refused) {
      return Optional.of(of(refused));
    }
    if (thrown instanceof AmqpException refused) {
      return Optional.of(of(ApiException.of(refused)));
    }
    if (thrown instanceof AdministrationException refused) {
      return Optional.of(of(ApiException.of(refused)));
    }
    return Optional.empty();
  }

  public static Response of(ApiException refused) {
    Map<String, Object> body = Json.object("error", refused.error(), "reason", refused.reason());
    if (refused.detail() != null) {
      body.put("detail", refused.detail());
    }
    return new Response(refused.status(), body, Map.of());
  }
}
