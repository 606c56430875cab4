package io.mayflymq.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.net.ssl.SSLContext;

/** A management API, by its bare requests. Paths begin behind {@code /api/}. */
public final class Http {
  // RabbitMQ would agree to HTTP/2, and then answer with header names that it does not allow.
  private static final HttpClient CLIENT = builder().build();
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpClient client;
  private final String root;
  private final String authorization;

  private Http(HttpClient client, String root, String authorization) {
    this.client = client;
    this.root = root;
    this.authorization = authorization;
  }

  /** The API as a user sees it. */
  public static Http as(int port, String user, String password) {
    return at(Target.HOST, port, user, password);
  }

  /** The API at another address as a user sees it. */
  public static Http at(String address, int port, String user, String password) {
    return new Http(CLIENT, "http://" + address + ":" + port, basic(user, password));
  }

  /** The API over TLS as a user sees it, by a client with these certificates. */
  public static Http as(int port, String user, String password, SSLContext tls) {
    return new Http(
        builder().sslContext(tls).build(), "https://127.0.0.1:" + port, basic(user, password));
  }

  private static HttpClient.Builder builder() {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
  }

  private static String basic(String user, String password) {
    String both = user + ":" + password;
    return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
  }

  /** An API that a token lets in to. */
  public static Http withToken(String url, String token) {
    return new Http(CLIENT, url, "Bearer " + token);
  }

  /** Returns a client of the API without credentials. */
  public Http anonymous() {
    return new Http(client, root, null);
  }

  /**
   * An answer.
   *
   * @param json the body, missing if there is none
   */
  public record Reply(int status, JsonNode json, HttpResponse<String> raw) {
    public String error() {
      return json.path("error").asText();
    }

    public String reason() {
      return json.path("reason").asText();
    }

    /** What RabbitMQ does not say; empty if there is nothing more. */
    public String detail() {
      return json.path("detail").asText();
    }
  }

  public Reply get(String path) throws IOException, InterruptedException {
    return send("GET", "/api/" + path, null);
  }

  /** Gets with another header. */
  public Reply get(String path, String header, String value)
      throws IOException, InterruptedException {
    return send(request("GET", "/api/" + path, null).header(header, value));
  }

  public Reply put(String path, String json) throws IOException, InterruptedException {
    return send("PUT", "/api/" + path, json);
  }

  public Reply post(String path, String json) throws IOException, InterruptedException {
    return send("POST", "/api/" + path, json);
  }

  /** Posts a body of another type than JSON. */
  public Reply post(String path, String type, String body)
      throws IOException, InterruptedException {
    return send("POST", "/api/" + path, type, body);
  }

  public Reply delete(String path) throws IOException, InterruptedException {
    return send("DELETE", "/api/" + path, null);
  }

  /** Sends a request to a path that is given whole. */
  public Reply send(String method, String path, String json)
      throws IOException, InterruptedException {
    return send(method, path, "application/json", json);
  }

  private Reply send(String method, String path, String type, String body)
      throws IOException, InterruptedException {
    return send(request(method, path, body).header("content-type", type));
  }

  private HttpRequest.Builder request(String method, String path, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(root + path))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .timeout(Patience.TIME);
    if (authorization != null) {
      request.header("authorization", authorization);
    }
    return request;
  }

  private Reply send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
    String type = response.headers().firstValue("content-type").orElse("");
    boolean isJson = !type.startsWith("text/plain") && !type.equals("application/octet-stream");
    JsonNode answer =
        response.body().isEmpty() || !isJson
            ? MissingNode.getInstance()
            : MAPPER.readTree(response.body());
    return new Reply(response.statusCode(), answer, response);
  }
}
