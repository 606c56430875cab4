package io.mayflymq.server.management.api;

import io.mayflymq.server.http.Percent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A complete request.
 *
 * @param method in capitals
 * @param path the parts of the path after {@code /api/}, decoded
 * @param parameters the variable parts of the path, by their names in the template
 * @param query the parameters of the query, decoded
 * @param headers by name in lower case
 * @param encrypted whether it came over TLS
 * @param body the body
 * @param principal the user who makes the request
 */
public record Request(
    String method,
    List<String> path,
    Map<String, String> parameters,
    Map<String, String> query,
    Map<String, String> headers,
    boolean encrypted,
    Body body,
    Principal principal) {

  /** Returns the part of the path with this name in the template. */
  public String parameter(String name) {
    return parameters.get(name);
  }

  /** Returns a parameter of the query, or null. */
  public String query(String name) {
    return query.get(name);
  }

  /**
   * Returns an integer of the query.
   *
   * @throws ApiException 400 if it is not an integer between the bounds
   */
  public long number(String name, long otherwise, long least, long most) {
    String given = query.get(name);
    if (given == null) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(given);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw ApiException.badRequest(
        most == Long.MAX_VALUE
            ? "%s should be a number, %d or more, actually was %s".formatted(name, least, given)
            : "%s should be a number from %d to %d, actually was %s"
                .formatted(name, least, most, given));
  }

  /** Returns whether a parameter of the query is {@code true}. */
  public boolean flag(String name) {
    return "true".equals(query.get(name));
  }

  /** Returns the name of the exchange in the path; the default exchange has two names. */
  public String exchange() {
    String name = parameter("exchange");
    return name.equals("amq.default") ? "" : name;
  }

  public Request with(Map<String, String> matched, Body received) {
    return new Request(method, path, matched, query, headers, encrypted, received, principal);
  }

  /**
   * Splits an encoded path and decodes its parts, as a name may contain a slash. One empty part at
   * the end, after a trailing slash, is ignored.
   *
   * @throws ApiException 400 if the encoding is malformed
   */
  public static List<String> split(String rawPath) {
    List<String> parts = new ArrayList<>();
    for (String part : rawPath.split("/", -1)) {
      parts.add(decode(part));
    }
    if (!parts.isEmpty() && parts.get(parts.size() - 1).isEmpty()) {
      parts.remove(parts.size() - 1);
    }
    return parts;
  }

  /**
   * Decodes the parameters of a query. If a name occurs more than once, its last value applies.
   *
   * @param rawQuery encoded; null if there is no query
   * @throws ApiException 400 if the encoding is malformed
   */
  public static Map<String, String> parseQuery(String rawQuery) {
    Map<String, String> parameters = new HashMap<>();
    if (rawQuery != null) {
      for (String pair : rawQuery.split("&")) {
        int equals = pair.indexOf('=');
        if (equals > 0) {
          // In a query a plus is a space; in a path it is a plus.
          String plain = pair.replace('+', ' ');
          parameters.put(decode(plain.substring(0, equals)), decode(plain.substring(equals + 1)));
        }
      }
    }
    return parameters;
  }

  private static String decode(String text) {
    try {
      return Percent.decode(text);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest(e.getMessage());
    }
  }
}
