package io.mayflymq.server.auth.oauth2;

import io.mayflymq.core.security.Permission;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A right that a token gives, {@code read:VHOST/NAME} or {@code read:VHOST/NAME/KEY}, as a text
 * without the prefix of the resource server. Each part is a {@link WildcardPattern}, in which
 * {@code {vhost}} stands for the virtual host of the connection.
 *
 * @param permission what it permits
 * @param vhost the virtual hosts
 * @param name the queues and exchanges
 * @param key the routing keys of topic exchanges; null if it has no third part, which is none
 */
record Scope(Permission permission, String vhost, String name, String key) {
  private static final String VHOST = "{vhost}";

  /**
   * Reads a scope.
   *
   * @return empty if it gives no right, for whatever reason
   */
  static Optional<Scope> of(String text) {
    int colon = text.indexOf(':');
    Optional<Permission> permission =
        colon < 0 ? Optional.empty() : permission(text.substring(0, colon));
    if (permission.isEmpty()) {
      return Optional.empty();
    }
    String[] parts = text.substring(colon + 1).split("/", -1);
    if (parts.length < 2 || parts.length > 3 || !Stream.of(parts).allMatch(Scope::isPattern)) {
      return Optional.empty();
    }
    return Optional.of(
        new Scope(permission.get(), parts[0], parts[1], parts.length == 3 ? parts[2] : null));
  }

  /** Returns the permission that a word names, in lower case; empty if it names none. */
  static Optional<Permission> permission(String word) {
    return Stream.of(Permission.values())
        .filter(permission -> permission.name().toLowerCase(Locale.ROOT).equals(word))
        .findFirst();
  }

  private static boolean isPattern(String part) {
    try {
      WildcardPattern.of(part);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Returns whether it is about a virtual host, whatever it permits there. */
  boolean isAbout(String virtualHost) {
    return in(vhost, virtualHost).matches(virtualHost);
  }

  /** Returns the names in a virtual host. */
  WildcardPattern names(String virtualHost) {
    return in(name, virtualHost);
  }

  /** Returns the routing keys in a virtual host; null for none. */
  WildcardPattern keys(String virtualHost) {
    return key == null ? null : in(key, virtualHost);
  }

  private static WildcardPattern in(String part, String virtualHost) {
    return WildcardPattern.of(part.replace(VHOST, WildcardPattern.escape(virtualHost)));
  }

  /** As it is read. */
  @Override
  public String toString() {
    return permission.name().toLowerCase(Locale.ROOT)
        + ":"
        + vhost
        + "/"
        + name
        + (key == null ? "" : "/" + key);
  }
}
