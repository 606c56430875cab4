package io.mayflymq.server.management;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Which handler answers which path and method. A template is a path with names in braces for the
 * parts that vary; where two fit, the one with a word where the other has a name wins.
 *
 * <p>Filled before the first request comes, then read by any thread.
 */
final class Router {
  /** Answers a request. */
  @FunctionalInterface
  interface Handler {
    /**
     * Answers.
     *
     * @throws ApiException if the answer is an error
     */
    Response handle(Request request);
  }

  private record Route(List<String> template, Map<String, Handler> methods) {
    /** The names of the template with their values, or null if the path does not fit. */
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
  private Handler otherwise =
      request -> {
        throw ApiException.notFound();
      };

  Router get(String template, Handler handler) {
    return add("GET", template, handler);
  }

  Router put(String template, Handler handler) {
    return add("PUT", template, handler);
  }

  Router post(String template, Handler handler) {
    return add("POST", template, handler);
  }

  Router delete(String template, Handler handler) {
    return add("DELETE", template, handler);
  }

  /** What answers paths that no template fits, instead of 404. */
  Router otherwise(Handler handler) {
    otherwise = handler;
    return this;
  }

  private Router add(String method, String template, Handler handler) {
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
    if (route.methods.put(method, handler) != null) {
      throw new IllegalStateException("two handlers for " + method + " " + template);
    }
    return this;
  }

  /**
   * Answers a request.
   *
   * @throws ApiException 404 if there is no such path, or whatever the handler says
   */
  Response handle(Request request) {
    String method = request.method().equals("HEAD") ? "GET" : request.method();
    for (Route route : byLength.getOrDefault(request.path().size(), List.of())) {
      Map<String, String> parameters = route.match(request.path());
      if (parameters == null) {
        continue;
      }
      if (method.equals("OPTIONS")) {
        return new Response(200, null, Map.of("allow", allowed(route)));
      }
      Handler handler = route.methods.get(method);
      return handler == null
          ? new Response(405, null, Map.of("allow", allowed(route)))
          : handler.handle(request.at(parameters));
    }
    return otherwise.handle(request);
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
