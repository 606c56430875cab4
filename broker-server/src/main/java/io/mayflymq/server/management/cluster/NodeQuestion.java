package io.mayflymq.server.management.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.auth.LoginState;
import io.mayflymq.server.http.RequestBody;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A request of one node's API to another's. It has the form of a request of HTTP, so the same
 * handlers answer both.
 *
 * @param method in capitals
 * @param path its parts
 * @param parameters the variable parts of the path of the request that it is asked for
 * @param query its parameters
 * @param headers by name in lower case
 * @param body null for none
 * @param principal the user for whom it is asked: the node that asks has authenticated him
 */
public record NodeQuestion(
    String method,
    List<String> path,
    Map<String, String> parameters,
    Map<String, String> query,
    Map<String, String> headers,
    Object body,
    Principal principal) {
  private static final String REASON = "x-reason";

  /** Returns the question that asks another node what a request has asked here. */
  public static NodeQuestion of(Request request) {
    String reason = request.headers().get(REASON);
    return new NodeQuestion(
        request.method().equals("HEAD") ? "GET" : request.method(),
        request.path(),
        request.parameters(),
        request.query(),
        reason == null ? Map.of() : Map.of(REASON, reason),
        hasBody(request) ? request.body().fields().object() : null,
        request.principal());
  }

  private static boolean hasBody(Request request) {
    return request.method().equals("POST") || request.method().equals("PUT");
  }

  /** Returns a question of the nodes among themselves, on behalf of a request. */
  static NodeQuestion about(Request request, String what, Map<String, Object> body) {
    return new NodeQuestion(
        "POST",
        List.of(what),
        request.parameters(),
        request.query(),
        Map.of(),
        body,
        request.principal());
  }

  byte[] encode() {
    return JsonWriter.text(
            Json.object(
                "method",
                method,
                "path",
                path,
                "parameters",
                parameters,
                "query",
                query,
                "headers",
                headers,
                "body",
                body,
                "user",
                principal.user(),
                "tags",
                principal.tags(),
                "control",
                principal.control(),
                "given",
                principal.login().given(),
                "authorizer",
                principal.login().authorizer(),
                "expires",
                principal.login().state().expiresMillis(),
                "facts",
                principal.login().state().facts(),
                "address",
                principal.address() == null ? null : NetUtil.toAddressString(principal.address())))
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads a question.
   *
   * @throws IllegalArgumentException if it is none
   */
  static NodeQuestion decode(byte[] bytes) {
    try {
      if (JsonReader.DEFAULT.read(new String(bytes, StandardCharsets.UTF_8))
          instanceof Map<?, ?> fields) {
        return new NodeQuestion(
            text(fields, "method"),
            texts(fields, "path"),
            textByName(fields, "parameters"),
            textByName(fields, "query"),
            textByName(fields, "headers"),
            fields.get("body"),
            principal(fields));
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("the question of a node is not JSON", e);
    }
    throw new IllegalArgumentException("the question of a node is not an object");
  }

  /** An earlier version says nothing of who decides: it has no other than the broker itself. */
  private static Principal principal(Map<?, ?> fields) {
    String user = text(fields, "user");
    List<String> tags = texts(fields, "tags");
    boolean control = Boolean.TRUE.equals(fields.get("control"));
    if (!(fields.get("authorizer") instanceof String authorizer)) {
      return new Principal(user, tags, control);
    }
    AuthenticatedUser login =
        new AuthenticatedUser(
            user, tags, texts(fields, "given"), authorizer, authorizer, state(fields));
    return new Principal(
        login,
        control,
        fields.get("address") instanceof String address
            ? NetUtil.createInetAddressFromIpAddressString(address)
            : null);
  }

  private static LoginState state(Map<?, ?> fields) {
    return fields.get("expires") instanceof Number expires
        ? new LoginState(expires.longValue(), texts(fields, "facts"), null)
        : LoginState.NONE;
  }

  private static String text(Map<?, ?> fields, String name) {
    if (fields.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(
        "the question of a node has no text '%s', actually %s".formatted(name, fields.get(name)));
  }

  private static List<String> texts(Map<?, ?> fields, String name) {
    if (fields.get(name) instanceof List<?> list
        && list.stream().allMatch(String.class::isInstance)) {
      return list.stream().map(String.class::cast).toList();
    }
    throw new IllegalArgumentException(
        "the question of a node has no texts '%s', actually %s".formatted(name, fields.get(name)));
  }

  private static Map<String, String> textByName(Map<?, ?> fields, String name) {
    Map<String, String> texts = new HashMap<>();
    if (fields.get(name) instanceof Map<?, ?> object) {
      object.forEach((key, value) -> texts.put(key.toString(), String.valueOf(value)));
    }
    return texts;
  }

  /** Returns the request that handlers answer; its path is matched already. */
  Request request(Map<String, String> matched) {
    Map<String, String> all = new HashMap<>(parameters);
    all.putAll(matched);
    Body content =
        body == null
            ? Body.EMPTY
            : new Body(RequestBody.of(JsonWriter.text(body).getBytes(StandardCharsets.UTF_8)));
    return new Request(method, path, all, query, headers, true, content, principal);
  }
}
