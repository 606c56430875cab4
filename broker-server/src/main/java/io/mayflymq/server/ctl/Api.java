package io.mayflymq.server.ctl;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLException;

/**
 * A client of the management API. It uses {@link HttpURLConnection}, which is loaded ten times
 * faster than the JDK's other client.
 *
 * <p>Paths begin behind {@code /api/} and are encoded; see {@link #path}.
 */
public final class Api {
  private final Endpoint endpoint;
  private final Invocation invocation;
  private final Function<String, ControlException> unreachable;
  private String missing;

  public Api(Endpoint endpoint, Invocation invocation) {
    this(endpoint, invocation, diagnosis -> Endpoint.unreachable(invocation, diagnosis));
  }

  /**
   * @param unreachable makes the error of a broker that does not answer, of what was tried
   */
  Api(Endpoint endpoint, Invocation invocation, Function<String, ControlException> unreachable) {
    this.endpoint = endpoint;
    this.invocation = invocation;
    this.unreachable = unreachable;
  }

  /**
   * Returns what is not there, as a sentence, if the last answer said so; otherwise null. Behind
   * RabbitMQ's text, which programs compare, the broker names the thing.
   */
  public String missing() {
    return missing;
  }

  /** Returns a path of these parts, each of which may hold any character. */
  public static String path(String... parts) {
    return Arrays.stream(parts).map(Api::encode).collect(Collectors.joining("/"));
  }

  public static String encode(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Returns a field of an object as a text. */
  public static String text(Object object, String field) {
    return object instanceof Map<?, ?> map ? String.valueOf(map.get(field)) : "";
  }

  /**
   * Returns what is there.
   *
   * @throws ApiError if nothing is
   */
  public Object get(String path) {
    return request("GET", "/api/" + path, null, Map.of());
  }

  /** Returns what is there, or null. */
  public Object find(String path) {
    try {
      return get(path);
    } catch (ApiError e) {
      if (e.isNotFound()) {
        return null;
      }
      throw e;
    }
  }

  /** Returns a list of objects. */
  public List<Map<String, Object>> list(String path) {
    return objects(get(path));
  }

  /** Returns the objects of what JSON calls a list. */
  public static List<Map<String, Object>> objects(Object json) {
    return ((List<?>) json).stream().map(Api::object).toList();
  }

  @SuppressWarnings("unchecked") // the keys of what JSON calls an object are texts
  public static Map<String, Object> object(Object json) {
    return (Map<String, Object>) json;
  }

  public Object put(String path, Object body) {
    return request("PUT", "/api/" + path, body, Map.of());
  }

  public Object post(String path, Object body) {
    return request("POST", "/api/" + path, body, Map.of());
  }

  public Object delete(String path) {
    return delete(path, Map.of());
  }

  /** Deletes what a body says of what a path names. */
  public Object deleteOf(String path, Object body) {
    return request("DELETE", "/api/" + path, body, Map.of());
  }

  public Object delete(String path, Map<String, String> headers) {
    return request("DELETE", "/api/" + path, null, headers);
  }

  /**
   * Sends a request to the control paths, which only the owner of the broker may use.
   *
   * @throws ControlException if the broker is not on this machine
   */
  public Object control(String method, String path, Object body) {
    if (!endpoint.local()) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          invocation.commandName()
              + " needs the broker's control file: run it on the broker's machine, without --url");
    }
    return request(method, "/control/" + path, body, Map.of());
  }

  /**
   * Returns whether the broker runs, and not only its process, which answers on its own machine
   * only.
   *
   * @throws ControlException if nothing answers
   */
  public boolean isBrokerRunning() {
    if (endpoint.local()) {
      return Boolean.TRUE.equals(object(control("GET", "app", null)).get("running"));
    }
    get("whoami");
    return true;
  }

  /** Returns whether the virtual host is there. */
  public boolean hasVhost(String vhost) {
    return find(path("vhosts", vhost) + "?columns=name") != null;
  }

  /**
   * Checks the login of another user.
   *
   * @throws ApiError 401 if he may not, or not to the management API
   */
  public void logIn(String user, String password) {
    Map<String, String> as = Map.of("Authorization", Endpoint.basic(user, password));
    request("GET", "/api/whoami", null, as);
  }

  /**
   * Sends a request. All changes go through this method, so that none is made with {@code
   * --dry-run}.
   */
  private Object request(String method, String path, Object body, Map<String, String> headers) {
    if (invocation.dryRun() && !method.equals("GET") && !path.endsWith("/dry-run")) {
      if (method.equals("DELETE")) {
        requireExisting(path);
      }
      throw new NothingChangesException();
    }
    try {
      HttpURLConnection connection =
          (HttpURLConnection) new URL(endpoint.url() + path).openConnection();
      if (endpoint.authorities() != null && connection instanceof HttpsURLConnection encrypted) {
        encrypted.setSSLSocketFactory(Trust.only(endpoint.authorities()));
      }
      int millis = (int) TimeUnit.SECONDS.toMillis(Math.min(invocation.timeoutSeconds(), 86_400));
      connection.setConnectTimeout(millis);
      connection.setReadTimeout(millis);
      connection.setRequestMethod(method);
      connection.setRequestProperty("Authorization", endpoint.authorization());
      headers.forEach(connection::setRequestProperty);
      if (body != null) {
        byte[] json = JsonWriter.text(body).getBytes(StandardCharsets.UTF_8);
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setDoOutput(true);
        connection.getOutputStream().write(json);
      }
      int status = connection.getResponseCode();
      missing = null;
      InputStream stream = status < 400 ? connection.getInputStream() : connection.getErrorStream();
      String answer =
          stream == null ? "" : new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      if (status >= 400) {
        if (status == HttpURLConnection.HTTP_UNAVAILABLE && answer.contains("\"not_running\"")) {
          throw ControlException.wrongState(
              "running", "Start it with '%s start_app'.".formatted(invocation.script()));
        }
        String reason = reason(status, answer);
        int sentence = reason.indexOf(": ");
        missing = status == 404 && sentence >= 0 ? reason.substring(sentence + 2) : null;
        throw new ApiError(status, reason, answer);
      }
      return answer.isEmpty() ? null : JsonReader.DEFAULT.read(answer);
    } catch (SocketTimeoutException e) {
      throw ControlException.plain(
          Sysexits.TIMEOUT,
          "Error: operation %s on node %s timed out. Timeout value used: %d"
              .formatted(
                  invocation.commandName(),
                  endpoint.url(),
                  TimeUnit.SECONDS.toMillis(invocation.timeoutSeconds())));
    } catch (SSLException e) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "no TLS with %s: %s\n--cacertfile names who signed its certificate"
              .formatted(endpoint.url(), e.getMessage()));
    } catch (JsonProcessingException e) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE, endpoint.url() + " does not answer in JSON: is it a broker?");
    } catch (IOException e) {
      throw unreachable.apply(
          "attempted to contact: %s\n%s%s"
              .formatted(
                  endpoint.url(),
                  e.getMessage(),
                  endpoint.local()
                      ? "\nthe control file " + endpoint.controlFile() + " may be left of a crash"
                      : ""));
    }
  }

  /** What cannot be read may be there. */
  private void requireExisting(String path) {
    try {
      request("GET", path.split("\\?")[0], null, Map.of());
    } catch (ApiError e) {
      if (e.isNotFound()) {
        throw e;
      }
    }
  }

  private static String reason(int status, String answer) {
    try {
      if (JsonReader.DEFAULT.read(answer) instanceof Map<?, ?> error
          && error.get("reason") != null) {
        String reason =
            error.get("reason") instanceof String text
                ? text
                : JsonWriter.text(error.get("reason"));
        return error.get("detail") == null ? reason : reason + ": " + error.get("detail");
      }
    } catch (JsonProcessingException e) {
      // Not from the API itself: the status has to do.
    }
    return "the broker answered with the status %d of HTTP".formatted(status);
  }
}
