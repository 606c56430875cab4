package io.mayflymq.server.management.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.Response;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What the API of a node answers to another one.
 *
 * @param status of HTTP
 * @param body as JSON has it; null for none
 */
public record NodeAnswer(int status, Object body) {
  private static final int OK = 200;

  static byte[] encode(Response response) {
    return JsonWriter.text(Json.object("status", response.status(), "body", response.body()))
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads an answer.
   *
   * @throws IllegalArgumentException if it is none
   */
  static NodeAnswer decode(byte[] bytes) {
    try {
      if (JsonReader.DEFAULT.read(new String(bytes, StandardCharsets.UTF_8))
              instanceof Map<?, ?> fields
          && fields.get("status") instanceof Number status) {
        return new NodeAnswer(status.intValue(), fields.get("body"));
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("the answer of a node is not JSON", e);
    }
    throw new IllegalArgumentException("the answer of a node has no status");
  }

  /** Returns whether the node has done what it was asked. */
  public boolean isDone() {
    return status >= OK && status < 300;
  }

  /** Returns the object that was asked for; empty if the answer is something else. */
  public Map<String, Object> object() {
    return isDone() && body instanceof Map<?, ?> object ? Json.asObject(object) : Map.of();
  }

  /** Returns why the node has not done it. */
  public String reason() {
    if (!(body instanceof Map<?, ?> error) || error.get("reason") == null) {
      return "status " + status;
    }
    Object detail = error.get("detail");
    return detail == null ? error.get("reason").toString() : error.get("reason") + ": " + detail;
  }

  /** Returns it as the answer to the client. */
  Response response() {
    return new Response(status, body, Map.of());
  }
}
