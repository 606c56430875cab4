package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.largeBytes;
import static io.mayflymq.server.config.ValueTypes.largeNumber;
import static io.mayflymq.server.config.ValueTypes.regularExpression;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.core.policy.DefaultPolicy;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.security.NamePattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The keys {@code default_policies.operator.$id.*}: operator policies that a virtual host gets when
 * it is made. The id is the name of the policy.
 */
final class DefaultPolicyKeys {
  static final Section SECTION = new Section("Default operator policies");

  private static final String PREFIX = "default_policies.operator.";
  private static final String PLACEHOLDER = "$id";
  private static final String ALL_NAMES = ".*";

  static final KeyFamily<String> VHOST_PATTERN =
      family("vhost_pattern", regularExpression(), "Names of the virtual hosts that get it.");
  static final KeyFamily<String> QUEUE_PATTERN =
      family("queue_pattern", regularExpression(), "Names of the queues that it applies to.");
  static final KeyFamily<String> APPLY_TO =
      family(
          "apply_to",
          word("all", "queues", "classic_queues", "quorum_queues", "streams"),
          "The queue types that it applies to.");

  /** The settings of a default policy, by the key of the policy. */
  private static final Map<PolicyKey, KeyFamily<Long>> SETTINGS = new LinkedHashMap<>();

  static {
    SETTINGS.put(
        PolicyKey.EXPIRES,
        family("expires", largeNumber("milliseconds", 1), "How long queues may stay unused."));
    SETTINGS.put(
        PolicyKey.MESSAGE_TTL,
        family("message_ttl", largeNumber("milliseconds", 0), "How long messages may stay."));
    SETTINGS.put(
        PolicyKey.MAX_LENGTH,
        family(
            "max_length", largeNumber("messages", 0), "How many ready messages a queue may have."));
    SETTINGS.put(
        PolicyKey.MAX_LENGTH_BYTES,
        family("max_length_bytes", largeBytes(), "How many bytes ready messages may have."));
    SETTINGS.put(
        PolicyKey.DELIVERY_LIMIT,
        family(
            "delivery_limit",
            largeNumber("deliveries", 0),
            "For quorum queues; a policy with this key does not apply to classic queues, as"
                + " in RabbitMQ."));
  }

  private DefaultPolicyKeys() {}

  private static <T> KeyFamily<T> family(String key, ValueType<T> type, String doc) {
    return SECTION.add(new KeyFamily<>(PREFIX, PLACEHOLDER, "." + key, type, Map.of(), doc));
  }

  /**
   * Returns the policies that the configuration defines.
   *
   * @throws ConfigException if some of them are none; it tells all of them
   */
  static List<DefaultPolicy> policies(SettingValues values) throws ConfigException {
    SortedMap<String, Map<String, Object>> definitions = new TreeMap<>();
    SortedMap<String, String> vhosts = values.members(VHOST_PATTERN);
    SortedMap<String, String> queues = values.members(QUEUE_PATTERN);
    SortedMap<String, String> applyTo = values.members(APPLY_TO);
    for (SortedMap<String, String> members : List.of(vhosts, queues, applyTo)) {
      members.keySet().forEach(id -> definitions.put(id, new LinkedHashMap<>()));
    }
    SETTINGS.forEach(
        (key, family) ->
            values
                .members(family)
                .forEach(
                    (id, value) ->
                        definitions
                            .computeIfAbsent(id, absent -> new LinkedHashMap<>())
                            .put(key.wireName(), value)));
    List<DefaultPolicy> policies = new ArrayList<>();
    ConfigErrors errors = new ConfigErrors();
    for (Map.Entry<String, Map<String, Object>> definition : definitions.entrySet()) {
      String id = definition.getKey();
      try {
        policies.add(
            new DefaultPolicy(
                NamePattern.of(vhosts.getOrDefault(id, ALL_NAMES)),
                policy(
                    id,
                    queues.getOrDefault(id, ALL_NAMES),
                    applyTo.getOrDefault(id, "queues"),
                    definition.getValue())));
      } catch (ConfigException e) {
        errors.add(where(id, values) + ": " + e.getMessage());
      }
    }
    errors.throwIfAny();
    return List.copyOf(policies);
  }

  /** Returns where a policy is written: the place of the first of its keys. */
  private static String where(String id, SettingValues values) {
    return SECTION.keys().stream()
        .flatMap(
            family ->
                values.entries(family).stream()
                    .filter(entry -> ((KeyFamily<?>) family).memberName(entry.key()).equals(id)))
        .map(entry -> entry.origin().where())
        .findFirst()
        .orElseThrow();
  }

  private static Policy policy(
      String id, String pattern, String applyTo, Map<String, Object> definition)
      throws ConfigException {
    if (definition.isEmpty()) {
      throw new ConfigException(
          "%s%s: nothing is set: expected one of %s"
              .formatted(
                  PREFIX,
                  id,
                  String.join(
                      ", ",
                      SETTINGS.values().stream()
                          .map(family -> family.suffix().substring(1))
                          .toList())));
    }
    try {
      return Policy.of(PolicyKind.OPERATOR_POLICY, id, pattern, applyTo, 0, definition);
    } catch (PolicyException e) {
      throw new ConfigException(PREFIX + id + ": " + e.getMessage());
    }
  }
}
