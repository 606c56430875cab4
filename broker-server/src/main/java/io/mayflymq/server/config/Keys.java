package io.mayflymq.server.config;

import io.mayflymq.core.naming.NearestName;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Every key there is. Each is declared once, beside the setting that follows from it: name, type
 * with its range, default, and what it does. The page about the configuration and the sample file
 * are written from that. There is a key when the broker honours it, and not before.
 */
public final class Keys {
  /** All keys by what they are about, in the order of the documentation. */
  static final List<Section> SECTIONS =
      List.of(
          TcpSettings.SECTION,
          ProtocolSettings.SECTION,
          AuthSettings.SECTION,
          AuthHttpSettings.SECTION,
          AuthLdapSettings.SECTION,
          AuthCacheSettings.SECTION,
          OAuthSettings.SECTION,
          PasswordKeys.SECTION,
          DefaultsSettings.SECTION,
          DefaultPolicyKeys.SECTION,
          DefaultLimitKeys.SECTION,
          DefaultUserKeys.SECTION,
          ObjectDefaultKeys.SECTION,
          DefinitionsSettings.SECTION,
          ManagementSettings.SECTION,
          PageLoginSettings.SECTION,
          PrometheusSettings.SECTION,
          LogSettings.SECTION,
          ClusterSettings.SECTION,
          StandbySettings.SECTION,
          TracingSettings.SECTION,
          DecoderKeys.SECTION,
          MemorySettings.SECTION,
          DiskSettings.SECTION,
          ServerSettings.SECTION,
          DurabilitySettings.SECTION,
          ClockSettings.SECTION);

  /** All keys, in the order of the documentation. */
  public static final List<Key<?>> ALL =
      SECTIONS.stream().<Key<?>>flatMap(section -> section.keys().stream()).toList();

  /** The keys that can be changed while the broker runs. */
  public static final Set<Key<?>> CHANGEABLE =
      SECTIONS.stream()
          .<Key<?>>flatMap(section -> section.changeable().stream())
          .collect(Collectors.toUnmodifiableSet());

  /** What the environment variables of keys begin with. */
  public static final String ENVIRONMENT_PREFIX = "MAYFLY_";

  /** Environment variables of RabbitMQ and its image, with the keys that they set. */
  public static final Map<String, String> VARIABLES_OF_RABBITMQ =
      Map.of(
          "RABBITMQ_DEFAULT_USER", DefaultsSettings.DEFAULT_USER.name(),
          "RABBITMQ_DEFAULT_PASS", DefaultsSettings.DEFAULT_PASS.name(),
          "RABBITMQ_DEFAULT_VHOST", DefaultsSettings.DEFAULT_VHOST.name(),
          "RABBITMQ_NODENAME", ClusterSettings.NODE_NAME.name());

  /** Names of earlier versions, which are still accepted, with those of today. */
  private static final Map<String, String> FORMER_NAMES =
      Map.of(
          "dead-letter.enabled", "dead_letter.enabled",
          "ttl.minimum_queue_ttl_ms", "queue_expires.minimum");

  /** Other names that RabbitMQ has for keys. Source: its schema, versions 3.13 and 4. */
  private static final Map<String, String> ALIASES =
      Map.of(
          "listeners.ssl", "listeners.ssl.default",
          "max_channels_per_connection", "channel_max",
          "max_connections", "connection_max",
          "management.load_definitions", "load_definitions",
          "definitions.local.path", "load_definitions",
          "management.listener.port", "management.tcp.port",
          "management.listener.ip", "management.tcp.ip");

  private static final List<String> NAMES_OF_SECRETS =
      List.of("pass", "secret", "token", "credential", "cookie", "authorization", "primary.uri");

  private Keys() {}

  /** Returns the key of this name, or the family that it is a member of. */
  public static Optional<Key<?>> find(String key) {
    return ALL.stream().filter(candidate -> candidate.matches(key)).<Key<?>>map(k -> k).findFirst();
  }

  /**
   * Returns the key that an environment variable sets: {@code MAYFLY_} and the key in upper case
   * with underscores for dots. The operator's part of a family's key is taken in lower case.
   */
  public static Optional<String> ofEnvironmentVariable(String variable) {
    for (Key<?> key : ALL) {
      if (key instanceof Setting<?> setting && environmentName(setting.name()).equals(variable)) {
        return Optional.of(setting.name());
      }
    }
    for (String former : FORMER_NAMES.keySet()) {
      if (environmentName(former).equals(variable)) {
        return Optional.of(former);
      }
    }
    for (Key<?> key : ALL) {
      if (key instanceof KeyFamily<?> family) {
        String prefix = environmentName(family.prefix());
        int end = variable.length() - family.suffix().length();
        if (variable.startsWith(prefix)
            && variable.substring(Math.max(0, end)).equals(upperCase(family.suffix()))
            && end > prefix.length()) {
          String name = variable.substring(prefix.length(), end).toLowerCase(Locale.ROOT);
          return Optional.of(family.prefix() + name + family.suffix());
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the name of a key that may be written by a former name or an alias. */
  public static String current(String written) {
    return FORMER_NAMES.getOrDefault(written, ALIASES.getOrDefault(written, written));
  }

  /**
   * Returns whether the value of a key is a secret, which is never shown. For a key that does not
   * exist, such as a mistyped one, its name decides.
   */
  public static boolean isSecret(String written) {
    return find(current(written))
        .map(Key::isSecret)
        .orElseGet(() -> NAMES_OF_SECRETS.stream().anyMatch(written::contains));
  }

  /** Returns whether a key had this name in earlier versions only. */
  public static boolean isFormer(String written) {
    return FORMER_NAMES.containsKey(written);
  }

  /** Returns the environment variable that sets a key. */
  static String environmentName(String key) {
    return ENVIRONMENT_PREFIX + upperCase(key);
  }

  private static String upperCase(String key) {
    return key.replace('.', '_').toUpperCase(Locale.ROOT);
  }

  /**
   * Returns the known key that a mistyped one probably meant: at most a third of it is different.
   */
  public static Optional<String> nearest(String unknown) {
    return ALL.stream()
        .map(key -> candidate(key, unknown))
        .filter(candidate -> candidate.distance <= NearestName.mostEdits(candidate.compared))
        .min(Comparator.comparingInt(Candidate::distance))
        .map(Candidate::key);
  }

  private static Candidate candidate(Key<?> key, String unknown) {
    if (key instanceof KeyFamily<?> family && family.suffix().isEmpty()) {
      int name = unknown.lastIndexOf('.') + 1;
      String prefix = unknown.substring(0, name);
      return new Candidate(
          family.prefix() + unknown.substring(name),
          NearestName.edits(prefix, family.prefix()),
          prefix.length());
    }
    return new Candidate(key.name(), NearestName.edits(unknown, key.name()), unknown.length());
  }

  private record Candidate(String key, int distance, int compared) {}
}
