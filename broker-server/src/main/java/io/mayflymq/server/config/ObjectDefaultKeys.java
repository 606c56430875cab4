package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.largeNumber;
import static io.mayflymq.server.config.ValueTypes.oneOf;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.core.deprecation.DeprecatedFeature;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.protocol.codec.FrameLimits;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The keys of the defaults for queues and exchanges without an argument or a policy, and of
 * features that are switched off for all of them.
 */
final class ObjectDefaultKeys {
  static final Section SECTION = new Section("Queues and exchanges");

  private static final String CLIENT_LOCAL = "client-local";
  static final Setting<Dialect> COMPATIBILITY =
      SECTION.add(
          Setting.of(
              "compatibility.rabbitmq",
              oneOf(
                  Arrays.stream(Dialect.values())
                      .collect(Collectors.toMap(Dialect::series, dialect -> dialect))),
              Dialect.DEFAULT.series(),
              "The release of RabbitMQ whose [rules](compatibility.md#dialects) hold where"
                  + " releases differ, unless a virtual host has its own. The same on all nodes of"
                  + " a cluster."));
  static final KeyFamily<String> DEFAULTS =
      SECTION.add(
          new KeyFamily<>(
              "defaults.",
              "$key",
              text(),
              Map.of(),
              "The value for queues and exchanges for which neither an argument nor a policy"
                  + " sets [the policy key](policies.md#keys). In the environment the key has"
                  + " underscores."));
  private static final Map<QueueType, Setting<Boolean>> TYPES =
      Arrays.stream(QueueType.values())
          .collect(
              Collectors.toMap(
                  type -> type,
                  type ->
                      SECTION.add(
                          Setting.of(
                              "queue_types.%s.enabled".formatted(type.wireName()),
                              bool(),
                              "true",
                              ("Whether queues of the type `%s` may be declared. Otherwise a"
                                      + " declaration closes the connection with 541, as in"
                                      + " RabbitMQ; existing queues stay.")
                                  .formatted(type.wireName()))),
                  (one, other) -> one,
                  () -> new EnumMap<>(QueueType.class)));
  static final Setting<Optional<Boolean>> TIME_STAMPS =
      SECTION.add(
          Setting.of(
              "message_interceptors.incoming.set_header_timestamp.overwrite",
              orWord("none", bool()),
              "none",
              "Puts the header `timestamp_in_ms`, the time in ms since 1970, and the property"
                  + " `timestamp` into each message before it is routed. With `true` those of the"
                  + " publisher are replaced, with `false` they are kept."));
  static final Setting<Optional<Boolean>> NODE_STAMPS =
      SECTION.add(
          Setting.of(
              "message_interceptors.incoming.set_header_routing_node.overwrite",
              orWord("none", bool()),
              "none",
              "The same with the header `x-routed-by`: the name of the node of the publisher."));
  static final Setting<Boolean> SENT_TIME =
      SECTION.add(
          Setting.of(
              "message_interceptors.outgoing.timestamp.enabled",
              bool(),
              "false",
              "Whether consumers are told when a message was sent to them, in the header"
                  + " `x-opt-rabbitmq-sent-time`, in ms since 1970. One that the publisher has set"
                  + " is replaced. Each delivery then copies its message."));
  static final Setting<Boolean> TTL_ENABLED =
      SECTION.add(
          Setting.of("ttl.enabled", bool(), "true", "Whether messages [expire](ttl.md) at all."));
  static final Setting<Long> QUEUE_EXPIRES_MINIMUM =
      SECTION.add(
          Setting.of(
              "queue_expires.minimum",
              largeNumber("milliseconds", 1),
              "1",
              "The minimum for [leases of queues](queue-leases.md) (`x-expires`, `expires`);"
                  + " shorter ones are raised to it."));
  static final Setting<Long> CONSUMER_DISCONNECTED_TIMEOUT =
      SECTION.add(
          Setting.of(
              "consumer_disconnected_timeout",
              largeNumber("milliseconds", 0),
              "0",
              "How long what consumers of quorum queues have stays with them [when their node"
                  + " is gone](consumers.md#when-the-node-of-a-consumer-is-gone)."));
  static final Setting<Boolean> DEAD_LETTER_ENABLED =
      SECTION.add(
          Setting.of(
              "dead_letter.enabled",
              bool(),
              "true",
              "Whether messages are [dead-lettered](dead-lettering.md) at all."));
  static final Setting<Boolean> EXTENSION_ARGUMENTS =
      SECTION.add(
          Setting.of(
              "declare.extension_args_in_equivalence",
              bool(),
              "false",
              "Whether a redeclaration must agree on [MayflyMQ's own"
                  + " arguments](policies.md#arguments-policies-and-defaults)."));

  static final Setting<Boolean> RELAXED_QUEUE_TYPE =
      SECTION.add(
          Setting.of(
              "quorum_queue.property_equivalence.relaxed_checks_on_redeclaration",
              bool(),
              "false",
              "Whether a redeclaration of a quorum queue may have another `x-queue-type`, or"
                  + " none. For clients that have declared a queue which was"
                  + " [converted](quorum-queues.md#converting-a-classic-queue)."));

  private static final Setting<String> QUEUE_LEADER_LOCATOR =
      SECTION.add(
          Setting.of(
              "queue_leader_locator",
              word(CLIENT_LOCAL, "balanced", "random", "least-leaders"),
              CLIENT_LOCAL,
              "On which [node of a cluster](clustering.md#queues) a new queue is: that of the"
                  + " client, or one with few queues."));

  private static final Map<DeprecatedFeature, Setting<Boolean>> PERMITTED =
      new EnumMap<>(DeprecatedFeature.class);

  static {
    for (DeprecatedFeature feature : DeprecatedFeature.values()) {
      PERMITTED.put(
          feature,
          SECTION.add(
              Setting.of(
                  feature.configurationKey(),
                  bool(),
                  "true",
                  "Whether it is permitted: " + feature.description() + ".")));
    }
  }

  private ObjectDefaultKeys() {}

  private static Set<QueueType> disabledTypes(SettingValues values) {
    return TYPES.entrySet().stream()
        .filter(type -> !values.get(type.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Set<DeprecatedFeature> denied(SettingValues values) throws ConfigException {
    Set<DeprecatedFeature> denied = EnumSet.noneOf(DeprecatedFeature.class);
    PERMITTED.forEach(
        (feature, permitted) -> {
          if (!values.get(permitted)) {
            denied.add(feature);
          }
        });
    int frameMax = values.get(ProtocolSettings.FRAME_MAX);
    if (denied.contains(DeprecatedFeature.FRAME_MAX_BELOW_8192)
        && frameMax != 0
        && frameMax < FrameLimits.LEAST_OF_RABBITMQ_4) {
      throw new ConfigException(
          "frame_max: %d: expected 0, or %d or more, as %s is false"
              .formatted(
                  frameMax,
                  FrameLimits.LEAST_OF_RABBITMQ_4,
                  DeprecatedFeature.FRAME_MAX_BELOW_8192.configurationKey()));
    }
    return Collections.unmodifiableSet(denied);
  }

  /**
   * Returns what the configuration says.
   *
   * @throws ConfigException if a default is of no key, or its value is not valid
   */
  static Defaults defaults(SettingValues values) throws ConfigException {
    Map<PolicyKey, Object> defaults = new EnumMap<>(PolicyKey.class);
    for (Map.Entry<String, String> member : values.members(DEFAULTS).entrySet()) {
      String name = member.getKey().replace('_', '-');
      PolicyKey key =
          PolicyKey.ofWireName(name)
              .filter(PolicyKey::hasEffect)
              .orElseThrow(
                  () ->
                      new ConfigException(
                          "defaults.%s: unknown key %s: expected one that a policy may have"
                              .formatted(member.getKey(), ConfigException.quote(name))));
      try {
        defaults.put(key, key.parse(member.getValue()));
      } catch (PolicyException e) {
        throw new ConfigException(
            "defaults.%s: %s".formatted(member.getKey(), e.withExplanations()));
      }
    }
    long disconnected = values.get(CONSUMER_DISCONNECTED_TIMEOUT);
    if (disconnected > 0) {
      defaults.putIfAbsent(PolicyKey.CONSUMER_DISCONNECTED_TIMEOUT, disconnected);
    }
    String locator = values.get(QUEUE_LEADER_LOCATOR);
    if (!locator.equals(CLIENT_LOCAL)) {
      defaults.putIfAbsent(PolicyKey.QUEUE_LEADER_LOCATOR, locator);
      defaults.putIfAbsent(PolicyKey.QUEUE_MASTER_LOCATOR, "min-masters");
    }
    return new Defaults(
        values.get(COMPATIBILITY),
        Map.copyOf(defaults),
        values.get(TTL_ENABLED),
        values.get(DEAD_LETTER_ENABLED),
        values.get(QUEUE_EXPIRES_MINIMUM),
        new Defaults.Compared(values.get(EXTENSION_ARGUMENTS), !values.get(RELAXED_QUEUE_TYPE)),
        disabledTypes(values),
        denied(values));
  }
}
