package io.mayflymq.server.config;

import io.mayflymq.server.config.AuthSettings.Backend;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys {@code auth_backends.*}: by which backends users log in; and {@code
 * http_dispatch.auth_backends.*}: those of the management API.
 */
public final class AuthBackendKeys {
  /** The users and permissions of the broker itself. */
  public static final String INTERNAL = "internal";

  /** A service that is asked by HTTP. */
  public static final String HTTP = "http";

  /** A directory that is asked by LDAP. */
  public static final String LDAP = "ldap";

  /** Tokens of OAuth 2. */
  public static final String OAUTH2 = "oauth2";

  /** A service whose answers are kept for a time. */
  public static final String CACHE = "cache";

  private static final String ABSENT =
      " (this version has no backend amqp, dummy or internal_loopback)";

  /** A variable of the environment cannot have the dot. */
  private static final Pattern MEMBER = Pattern.compile("([1-9][0-9]{0,3})(?:[._](authn|authz))?");

  private AuthBackendKeys() {}

  /** Returns the type of a backend's name: also RabbitMQ's name of its module. */
  static ValueType<String> backend() {
    return names(
            Map.of(
                INTERNAL, INTERNAL, LDAP, LDAP, HTTP, HTTP, OAUTH2, OAUTH2, "oauth", OAUTH2, CACHE,
                CACHE))
        .describedAs(String.join(", ", INTERNAL, LDAP, HTTP, OAUTH2) + " or " + CACHE + ABSENT);
  }

  /** Returns the type of the name of a backend that can be behind the cache. */
  static ValueType<String> cachedBackend() {
    return names(Map.of(INTERNAL, INTERNAL, LDAP, LDAP, HTTP, HTTP))
        .describedAs(String.join(", ", INTERNAL, LDAP) + " or " + HTTP + ABSENT);
  }

  private static ValueType<String> names(Map<String, String> names) {
    Map<String, String> all = new TreeMap<>(names);
    names.forEach((name, same) -> all.put("rabbit_auth_backend_" + name, same));
    return ValueTypes.oneOf(all);
  }

  /** What is written for one number. */
  private static final class Entry {
    String both;
    String authn;
    String authz;

    void set(String part, String value) {
      if (part == null) {
        both = value;
      } else if (part.equals("authn")) {
        authn = value;
      } else {
        authz = value;
      }
    }

    Backend backend() {
      String one = both != null ? both : authn != null ? authn : authz;
      return new Backend(authn == null ? one : authn, authz == null ? one : authz);
    }
  }

  /**
   * Returns the chain of a family of keys, in the order of its numbers; empty if there is no key.
   *
   * @throws ConfigException if a number is missing or no number, a part of it is said twice, or two
   *     numbers say the same
   */
  static List<Backend> backends(SettingValues values, KeyFamily<String> family)
      throws ConfigException {
    String prefix = family.prefix();
    ConfigErrors errors = new ConfigErrors();
    SortedMap<Integer, Entry> entries = entries(values, family, errors);
    errors.throwIfAny();
    List<Backend> backends = new ArrayList<>();
    Set<Backend> seen = new HashSet<>();
    for (Map.Entry<Integer, Entry> entry : entries.entrySet()) {
      int number = entry.getKey();
      Backend backend = entry.getValue().backend();
      if (number != backends.size() + 1) {
        throw new ConfigException(
            "key '%s%d': expected numbers from 1 on without a gap, found no %s%d"
                .formatted(prefix, number, prefix, backends.size() + 1));
      }
      if (!seen.add(backend)) {
        throw new ConfigException(
            "key '%s%d': expected each backend once, found '%s' again"
                .formatted(prefix, number, backend));
      }
      backends.add(backend);
    }
    return List.copyOf(backends);
  }

  private static SortedMap<Integer, Entry> entries(
      SettingValues values, KeyFamily<String> family, ConfigErrors errors) {
    String prefix = family.prefix();
    SortedMap<Integer, Entry> entries = new TreeMap<>();
    values
        .members(family)
        .forEach(
            (name, value) -> {
              Matcher member = MEMBER.matcher(name);
              if (!member.matches()) {
                errors.add(
                    "key %s (value '%s'): expected %sN, %sN.authn or %sN.authz with a number N from 1 on"
                        .formatted(
                            ConfigException.quote(prefix + name), value, prefix, prefix, prefix));
                return;
              }
              Entry entry =
                  entries.computeIfAbsent(Integer.valueOf(member.group(1)), n -> new Entry());
              entry.set(member.group(2), value);
              if (entry.both != null && (entry.authn != null || entry.authz != null)) {
                errors.add(
                    "key '%s%s' (value '%s'): expected either %s%s or its .authn and .authz, found both"
                        .formatted(prefix, name, value, prefix, member.group(1)));
              }
            });
    return entries;
  }

  /** Returns a warning for each number that has only one of authn and authz, as RabbitMQ does. */
  static List<String> warnings(SettingValues values) {
    List<String> warnings = new ArrayList<>();
    addWarnings(values, AuthSettings.AUTH_BACKENDS, warnings);
    addWarnings(values, AuthSettings.API_BACKENDS, warnings);
    return warnings;
  }

  private static void addWarnings(
      SettingValues values, KeyFamily<String> family, List<String> warnings) {
    String prefix = family.prefix();
    entries(values, family, new ConfigErrors())
        .forEach(
            (number, entry) -> {
              if (entry.both == null && (entry.authn == null || entry.authz == null)) {
                String given = entry.authn == null ? "authz" : "authn";
                String missing = entry.authn == null ? "authn" : "authz";
                warnings.add(
                    "%s%d.%s is not set: %s, the value of %s%d.%s, counts for both"
                        .formatted(
                            prefix,
                            number,
                            missing,
                            entry.backend().authn(),
                            prefix,
                            number,
                            given));
              }
            });
  }
}
