package io.mayflymq.server.management.api;

import io.mayflymq.server.http.BodyLimit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Finds the handler for a path and method. A template is a path with names in braces for the
 * variable parts; if two templates match, the one with a literal part where the other has a name
 * takes precedence.
 *
 * <p>Filled before the first request, then read by any thread.
 */
public final class RequestRouter {
  /** Answers a request. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Answers.
     *
     * @throws ApiException if the response is an error
     */
    Response handle(Request request);
  }

  /** The result of a search for a method and a path. */
  public sealed interface Found {
    /**
     * A handler for the request.
     *
     * @param parameters the variable parts of the path, by their names in the template
     */
    record Handled(Handler handler, BodyLimit limit, Map<String, String> parameters)
        implements Found {}

    /** A response that does not depend on the rest of the request. */
    record Answered(Response response) implements Found {}
  }

  private record Method(Handler handler, BodyLimit limit) {}

  private record Route(List<String> template, Map<String, Method> methods) {
    /** Returns the values of the template's names, or null if the path does not match. */
    Map<String, String> match(List<String> path) {
      Map<String, String> parameters = new HashMap<>();
      for (int i = 0; i < path.size(); i++) {
        String part = template.get(i);
        if (isName(part)) {
          parameters.put(part.substring(1, part.length() - 1), path.get(i));
        } else if (!part.equals(path.get(i))) {
          return null;
        }
      }
      return parameters;
    }

    long names() {
      return template.stream().filter(Route::isName).count();
    }

    private static boolean isName(String part) {
      return part.startsWith("{");
    }
  }

  private final Map<Integer, List<Route>> byLength = new HashMap<>();
  private final Map<String, Supplier<Response>> open = new HashMap<>();
  private Supplier<RequestRouter> otherwise = () -> null;

  public RequestRouter get(String template, Handler handler) {
    return add("GET", template, BodyLimits.SMALL, handler);
  }

  public RequestRouter put(String template, Handler handler) {
    return add("PUT", template, BodyLimits.SMALL, handler);
  }

  public RequestRouter post(String template, Handler handler) {
    return post(template, BodyLimits.SMALL, handler);
  }

  /** Adds a POST handler with its own limit for the body. */
  public RequestRouter post(String template, BodyLimit limit, Handler handler) {
    return add("POST", template, limit, handler);
  }

  public RequestRouter delete(String template, Handler handler) {
    return add("DELETE", template, BodyLimits.SMALL, handler);
  }

  /**
   * Adds a path that can be read without a login.
   *
   * @param answer called on an event loop, so it must not block
   */
  public RequestRouter open(String path, Supplier<Response> answer) {
    open.put(path, answer);
    return get(path, request -> answer.get());
  }

  /**
   * Returns the answer to a request without a login; empty if the path needs one.
   *
   * @param rawPath as it came, perhaps with a slash at its end
   */
  public Optional<Response> openly(String rawPath) {
    String path = rawPath.endsWith("/") ? rawPath.substring(0, rawPath.length() - 1) : rawPath;
    return Optional.ofNullable(open.get(path)).map(Supplier::get);
  }

  /** Sets the router for paths that match no template. */
  public RequestRouter otherwise(Supplier<RequestRouter> others) {
    otherwise = others;
    return this;
  }

  private RequestRouter add(String method, String template, BodyLimit limit, Handler handler) {
    List<String> parts = List.of(template.split("/"));
    List<Route> routes = byLength.computeIfAbsent(parts.size(), length -> new ArrayList<>());
    Route route =
        routes.stream()
            .filter(known -> known.template.equals(parts))
            .findFirst()
            .orElseGet(
                () -> {
                  Route added = new Route(parts, new LinkedHashMap<>());
                  int at = 0;
                  while (at < routes.size() && routes.get(at).names() <= added.names()) {
                    at++;
                  }
                  routes.add(at, added);
                  return added;
                });
    if (route.methods.put(method, new Method(handler, limit)) != null) {
      throw new IllegalStateException("two handlers for " + method + " " + template);
    }
    return this;
  }

  /**
   * Finds the handler of a request.
   *
   * @param path its decoded parts
   * @throws ApiException 404 if there is no such path
   */
  public Found find(String asked, List<String> path) {
    String method = asked.equals("HEAD") ? "GET" : asked;
    for (Route route : byLength.getOrDefault(path.size(), List.of())) {
      Map<String, String> parameters = route.match(path);
      if (parameters == null) {
        continue;
      }
      if (method.equals("OPTIONS")) {
        return new Found.Answered(new Response(200, null, Map.of("allow", allowed(route))));
      }
      Method found = route.methods.get(method);
      return found == null
          ? new Found.Answered(new Response(405, null, Map.of("allow", allowed(route))))
          : new Found.Handled(found.handler, found.limit, parameters);
    }
    RequestRouter others = otherwise.get();
    if (others == null) {
      throw ApiException.notFound(Missing.other("path", String.join("/", path)));
    }
    return others.find(asked, path);
  }

  /**
   * Returns all methods and templates, such as {@code GET queues/{vhost}}; without other routers.
   */
  List<String> operations() {
    return byLength.values().stream()
        .flatMap(List::stream)
        .flatMap(
            route ->
                route.methods.keySet().stream()
                    .map(method -> method + " " + String.join("/", route.template)))
        .toList();
  }

  private static String allowed(Route route) {
    TreeSet<String> methods = new TreeSet<>(route.methods.keySet());
    methods.add("OPTIONS");
    if (methods.contains("GET")) {
      methods.add("HEAD");
    }
    return String.join(", ", methods);
  }
}
