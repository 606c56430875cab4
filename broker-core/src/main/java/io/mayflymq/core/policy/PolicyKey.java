package io.mayflymq.core.policy;

import static io.mayflymq.core.policy.ValueRule.bool;
import static io.mayflymq.core.policy.ValueRule.integer;
import static io.mayflymq.core.policy.ValueRule.matching;
import static io.mayflymq.core.policy.ValueRule.oneOf;
import static io.mayflymq.core.policy.ValueRule.text;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Every key that the definition of a policy may have, in alphabetical order: its values, whether an
 * operator policy may set it, which types of queue do not support it, and what it does here.
 *
 * <p>A key that a type of queue does not support makes the whole policy pass over queues of that
 * type, as in RabbitMQ. A key that is {@linkplain #hasEffect without effect} is accepted, shown and
 * exported, so that definitions of other brokers can be imported; it does nothing.
 *
 * <p>Source: RabbitMQ 3.13 {@code rabbit_policies}, {@code rabbit_policy} and {@code
 * rabbit_mirror_queue_misc}, and what 4.x added.
 */
public enum PolicyKey {
  ALTERNATE_EXCHANGE("alternate-exchange", text("is not a valid alternate exchange name"), true),
  CONSUMER_DISCONNECTED_TIMEOUT(
      "consumer-disconnected-timeout",
      integer(0, Long.MAX_VALUE, "is not a valid consumer disconnected timeout"),
      false),
  CONSUMER_TIMEOUT(
      "consumer-timeout", integer(0, Long.MAX_VALUE, "is not a valid consumer timeout"), true),
  DEAD_LETTER_EXCHANGE(
      "dead-letter-exchange", text("is not a valid dead letter exchange name"), true),
  DEAD_LETTER_ROUTING_KEY(
      "dead-letter-routing-key", text("is not a valid dead letter routing key"), true),
  DEAD_LETTER_STRATEGY(
      "dead-letter-strategy",
      oneOf("is not a valid dead letter strategy", "at-most-once", "at-least-once"),
      false),
  DELAYED_RETRY_MAX(
      "delayed-retry-max", integer(1, Long.MAX_VALUE, "is not a valid delayed retry max"), false),
  DELAYED_RETRY_MIN(
      "delayed-retry-min", integer(1, Long.MAX_VALUE, "is not a valid delayed retry min"), false),
  DELAYED_RETRY_TYPE(
      "delayed-retry-type",
      oneOf("is not a valid delayed retry type", "all", "failed", "returned", "disabled"),
      false),
  DELIVERY_LIMIT(
      "delivery-limit",
      integer(Long.MIN_VALUE, Long.MAX_VALUE, "is not a valid delivery limit"),
      true),
  EXPIRES("expires", integer(1, Long.MAX_VALUE, "is not a valid queue expiry"), true),
  FEDERATION_UPSTREAM(
      "federation-upstream", text("is not a valid federation upstream name"), false),
  FEDERATION_UPSTREAM_PATTERN(
      "federation-upstream-pattern", text("is not a valid federation upstream pattern"), false),
  FEDERATION_UPSTREAM_SET(
      "federation-upstream-set", text("is not a valid federation upstream set name"), false),
  HA_MODE("ha-mode", oneOf("is not a valid ha-mode value", "all", "exactly", "nodes"), false),
  HA_PARAMS("ha-params", ValueRule.HA_PARAMS, false),
  HA_PROMOTE_ON_FAILURE(
      "ha-promote-on-failure",
      ValueRule.oneOfTwo("ha-promote-on-failure", "always", "when-synced"),
      false),
  HA_PROMOTE_ON_SHUTDOWN(
      "ha-promote-on-shutdown",
      ValueRule.oneOfTwo("ha-promote-on-shutdown", "always", "when-synced"),
      false),
  HA_SYNC_BATCH_SIZE("ha-sync-batch-size", ValueRule.HA_SYNC_BATCH_SIZE, false),
  HA_SYNC_MODE("ha-sync-mode", ValueRule.oneOfTwo("ha-sync-mode", "manual", "automatic"), false),
  INITIAL_CLUSTER_SIZE(
      "initial-cluster-size", integer(0, Long.MAX_VALUE, "is not a valid cluster size"), false),
  MAX_AGE("max-age", matching(MaxAge.PATTERN, "is not a valid max age"), true),
  MAX_IN_MEMORY_BYTES(
      "max-in-memory-bytes",
      integer(0, Long.MAX_VALUE, "is not a valid maximum memory in bytes"),
      false),
  MAX_IN_MEMORY_LENGTH(
      "max-in-memory-length",
      integer(0, Long.MAX_VALUE, "is not a valid maximum memory in bytes"),
      false),
  MAX_LENGTH("max-length", integer(0, Long.MAX_VALUE, "is not a valid maximum length"), true),
  MAX_LENGTH_BYTES(
      "max-length-bytes",
      integer(0, Long.MAX_VALUE, "is not a valid maximum length in bytes"),
      true),
  MESSAGE_TTL("message-ttl", integer(0, Long.MAX_VALUE, "is not a valid message TTL"), true),
  /** MayflyMQ's own: whether another TTL also counts for messages that are in the queue already. */
  MESSAGE_TTL_RETROACTIVE(
      "message-ttl-retroactive", bool("is not true or false: message-ttl-retroactive"), true),
  OVERFLOW(
      "overflow",
      oneOf("is not a valid overflow value", "drop-head", "reject-publish", "reject-publish-dlx"),
      true),
  QUEUE_LEADER_LOCATOR(
      "queue-leader-locator",
      oneOf(
          "is not a valid queue leader locator value",
          "client-local",
          "balanced",
          "random",
          "least-leaders"),
      false),
  QUEUE_MASTER_LOCATOR(
      "queue-master-locator",
      oneOf("invalid queue-master-locator value", "client-local", "min-masters", "random"),
      false),
  QUEUE_MODE("queue-mode", oneOf("is not a valid queue-mode value", "default", "lazy"), false),
  QUEUE_VERSION("queue-version", integer(1, 2, "is not a valid queue-version value"), false),
  STREAM_FILTER_SIZE_BYTES(
      "stream-filter-size-bytes",
      integer(16, 255, "is not a valid filter size. Valid range is 16-255"),
      false),
  STREAM_MAX_SEGMENT_SIZE_BYTES(
      "stream-max-segment-size-bytes",
      integer(0, StreamSettings.MOST_SEGMENT_BYTES, "is not a valid segment size"),
      true),
  TARGET_GROUP_SIZE(
      "target-group-size", integer(1, Long.MAX_VALUE, "is not a valid target group size"), false);

  private static final Map<String, PolicyKey> BY_NAME =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(PolicyKey::wireName, Function.identity()));

  private static final Map<String, PolicyKey> BY_ARGUMENT =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(PolicyKey::argument, Function.identity()));

  private static final Set<PolicyKey> FOR_OPERATORS =
      EnumSet.of(
          DELAYED_RETRY_MAX,
          DELAYED_RETRY_MIN,
          DELAYED_RETRY_TYPE,
          DELIVERY_LIMIT,
          EXPIRES,
          MAX_IN_MEMORY_BYTES,
          MAX_IN_MEMORY_LENGTH,
          MAX_LENGTH,
          MAX_LENGTH_BYTES,
          MESSAGE_TTL,
          OVERFLOW,
          QUEUE_MASTER_LOCATOR,
          QUEUE_VERSION,
          TARGET_GROUP_SIZE);

  private static final Set<PolicyKey> MIRRORING = EnumSet.range(HA_MODE, HA_SYNC_MODE);

  private static final Set<PolicyKey> UNSUPPORTED_BY_CLASSIC =
      EnumSet.of(
          DEAD_LETTER_STRATEGY,
          DELIVERY_LIMIT,
          INITIAL_CLUSTER_SIZE,
          MAX_AGE,
          MAX_IN_MEMORY_BYTES,
          MAX_IN_MEMORY_LENGTH,
          QUEUE_LEADER_LOCATOR,
          STREAM_MAX_SEGMENT_SIZE_BYTES,
          TARGET_GROUP_SIZE);

  private static final Set<PolicyKey> UNSUPPORTED_BY_QUORUM =
      union(
          MIRRORING,
          EnumSet.of(
              INITIAL_CLUSTER_SIZE,
              MAX_AGE,
              QUEUE_MASTER_LOCATOR,
              QUEUE_MODE,
              STREAM_MAX_SEGMENT_SIZE_BYTES));

  private static final Set<PolicyKey> UNSUPPORTED_BY_STREAM =
      union(
          MIRRORING,
          EnumSet.of(
              DEAD_LETTER_EXCHANGE,
              DEAD_LETTER_ROUTING_KEY,
              DEAD_LETTER_STRATEGY,
              DELIVERY_LIMIT,
              EXPIRES,
              MAX_IN_MEMORY_BYTES,
              MAX_IN_MEMORY_LENGTH,
              MAX_LENGTH,
              MESSAGE_TTL,
              OVERFLOW,
              QUEUE_MASTER_LOCATOR,
              QUEUE_MODE,
              TARGET_GROUP_SIZE));

  private final String wireName;

  @SuppressWarnings("ImmutableEnumChecker") // rules keep no state
  private final ValueRule rule;

  private final boolean effect;

  PolicyKey(String wireName, ValueRule rule, boolean effect) {
    this.wireName = wireName;
    this.rule = rule;
    this.effect = effect;
  }

  private static Set<PolicyKey> union(Set<PolicyKey> some, Set<PolicyKey> others) {
    Set<PolicyKey> all = EnumSet.copyOf(some);
    all.addAll(others);
    return all;
  }

  /** The name in definitions. */
  public String wireName() {
    return wireName;
  }

  /** The argument of a declaration that sets the same. */
  public String argument() {
    return this == ALTERNATE_EXCHANGE ? wireName : "x-" + wireName;
  }

  /** Whether it does anything in this broker. */
  public boolean hasEffect() {
    return effect;
  }

  /** The key of this name. */
  public static Optional<PolicyKey> ofWireName(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** The key that sets the same as this argument of a declaration. */
  static Optional<PolicyKey> ofArgument(String argument) {
    return Optional.ofNullable(BY_ARGUMENT.get(argument));
  }

  /** Whether policies of this kind may have it. */
  public boolean isAllowedIn(PolicyKind kind) {
    return kind == PolicyKind.POLICY || FOR_OPERATORS.contains(this);
  }

  /** Whether a policy that has this key may apply to queues of this type. */
  public boolean isSupportedBy(QueueType type) {
    return switch (type) {
      case CLASSIC -> !UNSUPPORTED_BY_CLASSIC.contains(this);
      case QUORUM -> !UNSUPPORTED_BY_QUORUM.contains(this);
      case STREAM -> !UNSUPPORTED_BY_STREAM.contains(this);
    };
  }

  /** Whether it is about objects of this kind at all. */
  boolean concerns(PolicySubject subject) {
    return subject.isExchange() == (this == ALTERNATE_EXCHANGE);
  }

  /**
   * A value as it is kept: a Long, String, Boolean, or List of strings.
   *
   * @throws PolicyException if it is not valid
   */
  Object check(Object value) {
    return rule.check(value);
  }

  /** Whether a value is valid. */
  boolean accepts(Object value) {
    try {
      check(value);
      return true;
    } catch (PolicyException e) {
      return false;
    }
  }

  /** How a policy's value (first) and an operator policy's (second) are merged. */
  Merge withOperatorPolicy() {
    return switch (this) {
      case EXPIRES,
          MAX_IN_MEMORY_BYTES,
          MAX_IN_MEMORY_LENGTH,
          MAX_LENGTH,
          MAX_LENGTH_BYTES,
          MESSAGE_TTL,
          DELAYED_RETRY_MAX ->
          Merge.LOWEST;
      case DELAYED_RETRY_MIN, TARGET_GROUP_SIZE -> Merge.HIGHEST;
      case DELIVERY_LIMIT -> Merge.LOWEST_LIMIT;
      default -> Merge.SECOND;
    };
  }

  /** How a policy's value (first) and an argument's (second) are merged. */
  Merge withArgument(PolicySubject subject) {
    if (subject.isExchange()) {
      return Merge.SECOND;
    }
    if (subject.type() == QueueType.STREAM) {
      return Merge.FIRST;
    }
    return switch (this) {
      case EXPIRES, MAX_LENGTH, MAX_LENGTH_BYTES, MESSAGE_TTL, CONSUMER_TIMEOUT -> Merge.LOWEST;
      case DELIVERY_LIMIT -> Merge.LOWEST_LIMIT;
      case OVERFLOW, DELAYED_RETRY_TYPE ->
          subject.type() == QueueType.QUORUM ? Merge.FIRST : Merge.SECOND;
      default -> Merge.SECOND;
    };
  }
}
