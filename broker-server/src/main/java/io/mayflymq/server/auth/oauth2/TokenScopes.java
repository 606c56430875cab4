package io.mayflymq.server.auth.oauth2;

import io.mayflymq.server.config.OAuthSettings.ResourceServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a token permits.
 *
 * @param scopes those that give a right, without the prefix of the resource server, and with the
 *     values of their variables but {@code vhost}
 * @param tags of the user
 */
record TokenScopes(List<String> scopes, List<String> tags) {
  private static final Logger LOGGER = LoggerFactory.getLogger(TokenScopes.class);

  private static final int MOST = 2_048;
  private static final String TAG = "tag:";
  private static final String SCOPE = "scope";
  private static final String ANY = "*";
  private static final Pattern VARIABLE = Pattern.compile("\\{([^{}]*)\\}");
  private static final Pattern LOCATION_PART =
      Pattern.compile("(cluster|vhost|queue|exchange|routing-key):(.*)");

  /**
   * Reads the claims of a token.
   *
   * @throws TokenException if there are too many
   */
  static TokenScopes of(Map<String, Object> claims, ResourceServer server) throws TokenException {
    Set<String> all = new LinkedHashSet<>(texts(claims.get(SCOPE)));
    all.addAll(ofPermissions(claims));
    server.scopeClaims().forEach(path -> all.addAll(ofClaim(claims, path, server)));
    for (String scope : List.copyOf(all)) {
      all.addAll(server.aliases().getOrDefault(scope, List.of()));
    }
    all.addAll(ofRequests(claims, server));
    if (all.size() > MOST) {
      throw new TokenException(
          "the token has %d scopes, expected at most %d".formatted(all.size(), MOST));
    }
    Set<String> scopes = new LinkedHashSet<>();
    Set<String> tags = new LinkedHashSet<>();
    for (String scope : all) {
      if (!scope.startsWith(server.scopePrefix())) {
        continue;
      }
      String own = scope.substring(server.scopePrefix().length());
      if (own.startsWith(TAG)) {
        tags.add(own.substring(TAG.length()));
      } else {
        add(scopes, own, claims);
      }
    }
    tags.removeIf(String::isBlank);
    return new TokenScopes(List.copyOf(scopes), List.copyOf(tags));
  }

  private static void add(Set<String> scopes, String scope, Map<String, Object> claims) {
    String filled = filled(scope, claims);
    if (filled != null && Scope.of(filled).isPresent()) {
      scopes.add(filled);
    } else {
      LOGGER.debug(
          "the scope '{}' does not count: {}",
          scope,
          filled == null ? "the token has no such claim" : "expected PERMISSION:VHOST/NAME[/KEY]");
    }
  }

  /**
   * Replaces variables by the values of claims, which are plain text then: nothing in them has a
   * meaning.
   *
   * @return null if a claim is missing or no text
   */
  private static String filled(String scope, Map<String, Object> claims) {
    Matcher variable = VARIABLE.matcher(scope);
    StringBuilder filled = new StringBuilder();
    while (variable.find()) {
      String name = variable.group(1);
      if (name.equals("vhost")) {
        continue; // it is not known yet
      }
      if (!(claims.get(name) instanceof String value)) {
        return null;
      }
      variable.appendReplacement(filled, Matcher.quoteReplacement(WildcardPattern.escape(value)));
    }
    return variable.appendTail(filled).toString();
  }

  /** A list of texts, or one text with several words. */
  private static List<String> texts(Object value) {
    if (value instanceof Collection<?> list) {
      return list.stream()
          .filter(String.class::isInstance)
          .map(String.class::cast)
          .flatMap(TokenScopes::words)
          .toList();
    }
    return value instanceof String text ? words(text).toList() : List.of();
  }

  private static Stream<String> words(String text) {
    return Stream.of(text.split("\\s+")).filter(word -> !word.isEmpty());
  }

  /** Those of a requesting party token of Keycloak. */
  private static List<String> ofPermissions(Map<String, Object> claims) {
    if (!(claims.get("authorization") instanceof Map<?, ?> authorization)
        || !(authorization.get("permissions") instanceof List<?> permissions)) {
      return List.of();
    }
    return permissions.stream()
        .filter(Map.class::isInstance)
        .flatMap(each -> texts(((Map<?, ?>) each).get("scopes")).stream())
        .toList();
  }

  /**
   * Those of a further claim.
   *
   * @param path the names of the claims, from the outermost
   */
  private static List<String> ofClaim(
      Map<String, Object> claims, List<String> path, ResourceServer server) {
    Object value = claims;
    for (String name : path) {
      value = value instanceof Map<?, ?> object ? object.get(name) : null;
    }
    return value instanceof Map<?, ?> byServer
        ? texts(byServer.get(server.id())).stream()
            .map(scope -> server.scopePrefix() + scope)
            .toList()
        : texts(value);
  }

  /** Those of rich authorization requests (RFC 9396). */
  private static List<String> ofRequests(Map<String, Object> claims, ResourceServer server) {
    if (server.type().isEmpty()
        || !(claims.get("authorization_details") instanceof List<?> requests)) {
      return List.of();
    }
    List<String> scopes = new ArrayList<>();
    for (Object each : requests) {
      if (each instanceof Map<?, ?> request && server.type().get().equals(request.get("type"))) {
        List<String> places = new ArrayList<>();
        for (String location : oneOrMany(request.get("locations"))) {
          String place = place(location, server);
          if (place != null) {
            places.add(place);
          }
        }
        for (String action : places.isEmpty() ? List.<String>of() : actions(request)) {
          if (Scope.permission(action).isPresent()) {
            places.forEach(place -> scopes.add(server.scopePrefix() + action + ":" + place));
          } else {
            scopes.add(server.scopePrefix() + TAG + action);
          }
        }
      }
    }
    return scopes;
  }

  private static List<String> actions(Map<?, ?> request) {
    return oneOrMany(request.get("actions"));
  }

  private static List<String> oneOrMany(Object value) {
    return value instanceof String one
        ? List.of(one)
        : value instanceof List<?> many
            ? many.stream().filter(String.class::isInstance).map(String.class::cast).toList()
            : List.of();
  }

  /**
   * Returns the part of a scope that a location is; null if it is of another cluster or malformed.
   */
  private static String place(String location, ResourceServer server) {
    String cluster = null;
    String vhost = ANY;
    String name = ANY;
    String key = ANY;
    for (String part : location.split("/", -1)) {
      Matcher named = LOCATION_PART.matcher(part);
      if (!named.matches()) {
        return null;
      }
      switch (named.group(1)) {
        case "cluster" -> cluster = named.group(2);
        case "vhost" -> vhost = named.group(2);
        case "routing-key" -> key = named.group(2);
        default -> name = named.group(2);
      }
    }
    try {
      return cluster != null && WildcardPattern.of(cluster).matches(server.id())
          ? vhost + "/" + name + "/" + key
          : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
