package io.mayflymq.core.policy;

import static io.mayflymq.core.policy.ValueValidator.bool;
import static io.mayflymq.core.policy.ValueValidator.integer;
import static io.mayflymq.core.policy.ValueValidator.matching;
import static io.mayflymq.core.policy.ValueValidator.numbers;
import static io.mayflymq.core.policy.ValueValidator.oneOf;
import static io.mayflymq.core.policy.ValueValidator.someOf;
import static io.mayflymq.core.policy.ValueValidator.text;
import static io.mayflymq.core.policy.ValueValidator.wordFor;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.settings.Backoff;
import io.mayflymq.core.settings.EnumNames;
import io.mayflymq.core.settings.ExpiryMode;
import io.mayflymq.core.settings.LeaseUse;
import io.mayflymq.core.settings.QueueType;
import io.mayflymq.core.settings.StreamSettings;
import io.mayflymq.core.settings.TimeoutAction;
import io.mayflymq.core.settings.TtlMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Every key that the definition of a policy may have, in alphabetical order: its valid values,
 * whether an operator policy may set it, which types of queue do not support it, and what it does
 * in this broker.
 *
 * <p>A policy with a key that a type of queue does not support does not apply to queues of that
 * type at all, as in RabbitMQ. A key that is {@linkplain #hasEffect without effect} is accepted,
 * shown and exported, so that definitions of other brokers can be imported; it does nothing.
 *
 * <p>Source: RabbitMQ 3.13 {@code rabbit_policies}, {@code rabbit_policy} and {@code
 * rabbit_mirror_queue_misc}, and what 4.x added.
 */
public enum PolicyKey {
  ALTERNATE_EXCHANGE("alternate-exchange", text("is not a valid alternate exchange name"), true),
  /** MayflyMQ's own: how long a binding may stay unused, in ms. */
  BINDING_EXPIRES(
      "binding-expires", integer(1, Long.MAX_VALUE, "is not a valid binding expiry"), true),
  CONSUMER_DISCONNECTED_TIMEOUT(
      "consumer-disconnected-timeout",
      integer(0, Long.MAX_VALUE, "is not a valid consumer disconnected timeout"),
      false),
  CONSUMER_TIMEOUT(
      "consumer-timeout", integer(0, Long.MAX_VALUE, "is not a valid consumer timeout"), true),
  /** MayflyMQ's own; see {@link TimeoutAction}. */
  CONSUMER_TIMEOUT_ACTION("consumer-timeout-action", wordFor(TimeoutAction.class), true),
  DEAD_LETTER_EXCHANGE(
      "dead-letter-exchange", text("is not a valid dead letter exchange name"), true),
  /** MayflyMQ's own: which headers dead letters get. */
  DEAD_LETTER_HEADERS("dead-letter-headers", someOf(List.of("x-death", "service-bus")), true),
  /** MayflyMQ's own: for which reasons messages are dead-lettered. */
  DEAD_LETTER_ON(
      "dead-letter-on",
      someOf(Arrays.stream(DeathReason.values()).map(DeathReason::wireName).toList()),
      true),
  /** MayflyMQ's own: whether the queue has a dead letter queue of its own. */
  DEAD_LETTER_QUEUE("dead-letter-queue", oneOf("is not one of: none, auto", "none", "auto"), true),
  /** MayflyMQ's own: what happens to a dead letter that no queue accepts. */
  DEAD_LETTER_REFUSED(
      "dead-letter-refused", oneOf("is not one of: wait, drop", "wait", "drop"), true),
  DEAD_LETTER_ROUTING_KEY(
      "dead-letter-routing-key", text("is not a valid dead letter routing key"), true),
  /** MayflyMQ's own, like all keys that begin so: the routing key for a certain reason of death. */
  DEAD_LETTER_ROUTING_KEY_DELIVERY_LIMIT(
      "dead-letter-routing-key-delivery-limit", routingKey(), true),
  DEAD_LETTER_ROUTING_KEY_EXPIRED("dead-letter-routing-key-expired", routingKey(), true),
  DEAD_LETTER_ROUTING_KEY_MAXLEN("dead-letter-routing-key-maxlen", routingKey(), true),
  DEAD_LETTER_ROUTING_KEY_QUEUE_DELETED(
      "dead-letter-routing-key-queue-deleted", routingKey(), true),
  DEAD_LETTER_ROUTING_KEY_QUEUE_EXPIRED(
      "dead-letter-routing-key-queue-expired", routingKey(), true),
  DEAD_LETTER_ROUTING_KEY_REJECTED("dead-letter-routing-key-rejected", routingKey(), true),
  DEAD_LETTER_STRATEGY(
      "dead-letter-strategy",
      oneOf("is not a valid dead letter strategy", "at-most-once", "at-least-once"),
      true),
  /** MayflyMQ's own; see {@link Backoff}. */
  DELAYED_RETRY_BACKOFF("delayed-retry-backoff", wordFor(Backoff.class), true),
  /** MayflyMQ's own: how long a message waits after each return, in ms. */
  DELAYED_RETRY_DELAYS(
      "delayed-retry-delays", numbers("is not a list of delays in ms: 1000,5000,60000"), true),
  /** MayflyMQ's own: by how much the wait varies randomly, in percent. */
  DELAYED_RETRY_JITTER(
      "delayed-retry-jitter", integer(0, 100, "is not a percentage from 0 to 100"), true),
  DELAYED_RETRY_MAX(
      "delayed-retry-max", integer(1, Long.MAX_VALUE, "is not a valid delayed retry max"), true),
  DELAYED_RETRY_MIN(
      "delayed-retry-min", integer(1, Long.MAX_VALUE, "is not a valid delayed retry min"), true),
  DELAYED_RETRY_TYPE(
      "delayed-retry-type",
      oneOf("is not a valid delayed retry type", "all", "failed", "returned", "disabled"),
      true),
  DELIVERY_LIMIT(
      "delivery-limit",
      integer(Long.MIN_VALUE, Long.MAX_VALUE, "is not a valid delivery limit"),
      true),
  /** MayflyMQ's own: how long an exchange may stay unused, in ms. */
  EXCHANGE_EXPIRES(
      "exchange-expires", integer(1, Long.MAX_VALUE, "is not a valid exchange expiry"), true),
  EXPIRES("expires", integer(1, Long.MAX_VALUE, "is not a valid queue expiry"), true),
  /** MayflyMQ's own: what counts as use of a queue; see {@link LeaseUse}. */
  EXPIRES_ACTIVITY("expires-activity", someOf(leaseUses()), true),
  /** MayflyMQ's own: whether a queue that holds messages may expire. */
  EXPIRES_IF(
      "expires-if",
      oneOf("is not one of: unused, unused-and-empty", "unused", "unused-and-empty"),
      true),
  /** MayflyMQ's own; see {@link ExpiryMode}. */
  EXPIRY_MODE("expiry-mode", wordFor(ExpiryMode.class), true),
  FEDERATION_UPSTREAM(
      "federation-upstream", text("is not a valid federation upstream name"), false),
  FEDERATION_UPSTREAM_PATTERN(
      "federation-upstream-pattern", text("is not a valid federation upstream pattern"), false),
  FEDERATION_UPSTREAM_SET(
      "federation-upstream-set", text("is not a valid federation upstream set name"), false),
  HA_MODE("ha-mode", oneOf("is not a valid ha-mode value", "all", "exactly", "nodes"), false),
  HA_PARAMS("ha-params", ValueValidator.HA_PARAMS, false),
  HA_PROMOTE_ON_FAILURE(
      "ha-promote-on-failure",
      ValueValidator.oneOfTwo("ha-promote-on-failure", "always", "when-synced"),
      false),
  HA_PROMOTE_ON_SHUTDOWN(
      "ha-promote-on-shutdown",
      ValueValidator.oneOfTwo("ha-promote-on-shutdown", "always", "when-synced"),
      false),
  HA_SYNC_BATCH_SIZE("ha-sync-batch-size", ValueValidator.HA_SYNC_BATCH_SIZE, false),
  HA_SYNC_MODE(
      "ha-sync-mode", ValueValidator.oneOfTwo("ha-sync-mode", "manual", "automatic"), false),
  INITIAL_CLUSTER_SIZE(
      "initial-cluster-size", integer(0, Long.MAX_VALUE, "is not a valid cluster size"), false),
  /** MayflyMQ's own: how long a delivery may stay unacknowledged until it returns, in ms. */
  LOCK_DURATION("lock-duration", integer(1, Long.MAX_VALUE, "is not a valid lock duration"), true),
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
  /** MayflyMQ's own: which messages length limits count. */
  MAX_LENGTH_SCOPE(
      "max-length-scope", oneOf("is not one of: ready, total", "ready", "total"), true),
  MESSAGE_TTL("message-ttl", integer(0, Long.MAX_VALUE, "is not a valid message TTL"), true),
  /** MayflyMQ's own: shorter TTLs are raised to this value, in ms. */
  MESSAGE_TTL_FLOOR(
      "message-ttl-floor", integer(0, Long.MAX_VALUE, "is not a valid message TTL floor"), true),
  /** MayflyMQ's own; see {@link TtlMode}. */
  MESSAGE_TTL_MODE("message-ttl-mode", wordFor(TtlMode.class), true),
  /** MayflyMQ's own: whether a new TTL also applies to messages that are in the queue already. */
  MESSAGE_TTL_RETROACTIVE(
      "message-ttl-retroactive", bool("is not true or false: message-ttl-retroactive"), true),
  /** MayflyMQ's own: what happens to the messages of a queue that expires. */
  ON_EXPIRE("on-expire", oneOf("is not one of: drop, dead-letter", "drop", "dead-letter"), true),
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

  private static final Set<PolicyKey> OF_EXCHANGES =
      EnumSet.of(ALTERNATE_EXCHANGE, BINDING_EXPIRES, EXCHANGE_EXPIRES);

  /** The keys that RabbitMQ does not support. */
  private static final Set<PolicyKey> EXTENSIONS =
      EnumSet.of(
          BINDING_EXPIRES,
          CONSUMER_TIMEOUT_ACTION,
          DEAD_LETTER_HEADERS,
          DEAD_LETTER_ON,
          DEAD_LETTER_QUEUE,
          DEAD_LETTER_REFUSED,
          DEAD_LETTER_ROUTING_KEY_DELIVERY_LIMIT,
          DEAD_LETTER_ROUTING_KEY_EXPIRED,
          DEAD_LETTER_ROUTING_KEY_MAXLEN,
          DEAD_LETTER_ROUTING_KEY_QUEUE_DELETED,
          DEAD_LETTER_ROUTING_KEY_QUEUE_EXPIRED,
          DEAD_LETTER_ROUTING_KEY_REJECTED,
          DELAYED_RETRY_BACKOFF,
          DELAYED_RETRY_DELAYS,
          DELAYED_RETRY_JITTER,
          EXCHANGE_EXPIRES,
          EXPIRES_ACTIVITY,
          EXPIRES_IF,
          EXPIRY_MODE,
          LOCK_DURATION,
          MAX_LENGTH_SCOPE,
          MESSAGE_TTL_FLOOR,
          MESSAGE_TTL_MODE,
          MESSAGE_TTL_RETROACTIVE,
          ON_EXPIRE);

  private static final List<PolicyKey> NEWER_ARGUMENTS =
      Arrays.stream(values())
          .filter(
              key ->
                  (EXTENSIONS.contains(key) && !OF_EXCHANGES.contains(key))
                      || key == DELAYED_RETRY_MAX
                      || key == DELAYED_RETRY_MIN
                      || key == DELAYED_RETRY_TYPE)
          .toList();

  private static final Map<String, PolicyKey> QUEUE_ARGUMENTS =
      Arrays.stream(values())
          .filter(key -> !OF_EXCHANGES.contains(key))
          .collect(Collectors.toUnmodifiableMap(PolicyKey::argument, Function.identity()));

  private static final Map<String, PolicyKey> EXCHANGE_ARGUMENTS =
      OF_EXCHANGES.stream()
          .collect(Collectors.toUnmodifiableMap(PolicyKey::argument, Function.identity()));

  private static final Set<PolicyKey> FOR_OPERATORS =
      EnumSet.of(
          CONSUMER_TIMEOUT_ACTION,
          DEAD_LETTER_ON,
          DELAYED_RETRY_BACKOFF,
          DELAYED_RETRY_DELAYS,
          DELAYED_RETRY_JITTER,
          DELAYED_RETRY_MAX,
          DELAYED_RETRY_MIN,
          DELAYED_RETRY_TYPE,
          DELIVERY_LIMIT,
          EXPIRES,
          EXPIRES_ACTIVITY,
          EXPIRES_IF,
          EXPIRY_MODE,
          HA_MODE,
          HA_PARAMS,
          HA_SYNC_MODE,
          LOCK_DURATION,
          MAX_IN_MEMORY_BYTES,
          MAX_IN_MEMORY_LENGTH,
          MAX_LENGTH,
          MAX_LENGTH_BYTES,
          MAX_LENGTH_SCOPE,
          MESSAGE_TTL,
          MESSAGE_TTL_FLOOR,
          MESSAGE_TTL_MODE,
          ON_EXPIRE,
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
          union(MIRRORING, EXTENSIONS),
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

  // rules have no state
  @SuppressWarnings("ImmutableEnumChecker")
  private final ValueValidator rule;

  private final boolean effect;

  PolicyKey(String wireName, ValueValidator rule, boolean effect) {
    this.wireName = wireName;
    this.rule = rule;
    this.effect = effect;
  }

  private static ValueValidator routingKey() {
    return text("is not a valid dead letter routing key");
  }

  private static List<String> leaseUses() {
    List<String> words = new ArrayList<>(EnumNames.all(LeaseUse.class));
    words.add("service-bus");
    return words;
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

  /**
   * Returns the argument of {@code queue.declare} or {@code exchange.declare} with the same
   * meaning.
   */
  public String argument() {
    return switch (this) {
      case ALTERNATE_EXCHANGE -> wireName;
      case EXCHANGE_EXPIRES -> "x-expires";
      default -> "x-" + wireName;
    };
  }

  /** Whether it is this broker's own, and unknown to RabbitMQ. */
  public boolean isExtension() {
    return EXTENSIONS.contains(this);
  }

  /**
   * Returns the keys for queues whose arguments RabbitMQ 3.13 does not know, and so does not check.
   */
  static List<PolicyKey> ofArguments() {
    return NEWER_ARGUMENTS;
  }

  /** Whether it has an effect in this broker. */
  public boolean hasEffect() {
    return effect;
  }

  /** The key of this name. */
  public static Optional<PolicyKey> ofWireName(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** Returns the key with the same meaning as this argument of a declaration of the object. */
  static Optional<PolicyKey> ofArgument(PolicySubject subject, String argument) {
    return Optional.ofNullable(
        (subject.isExchange() ? EXCHANGE_ARGUMENTS : QUEUE_ARGUMENTS).get(argument));
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

  /** Whether it is for objects of this kind. */
  public boolean concerns(PolicySubject subject) {
    return subject.isExchange() == OF_EXCHANGES.contains(this);
  }

  /**
   * Validates a value and converts it to a Long, String, Boolean, or List of strings.
   *
   * @throws PolicyException if it is not valid
   */
  Object check(Object value) {
    return rule.check(value);
  }

  /**
   * Parses the value from a text.
   *
   * @throws PolicyException if it is not valid
   */
  public Object parse(String text) {
    if (text.matches("-?[0-9]{1,18}") && accepts(Long.valueOf(text))) {
      return check(Long.valueOf(text));
    }
    boolean flag = text.equals("true") || text.equals("false");
    return flag && accepts(Boolean.valueOf(text)) ? check(Boolean.valueOf(text)) : check(text);
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

  /** Returns how a policy's value (first) and an operator policy's (second) are merged. */
  Merge withOperatorPolicy() {
    return switch (this) {
      case EXPIRES,
          MAX_IN_MEMORY_BYTES,
          MAX_IN_MEMORY_LENGTH,
          MAX_LENGTH,
          MAX_LENGTH_BYTES,
          MESSAGE_TTL,
          LOCK_DURATION,
          DELAYED_RETRY_MAX ->
          Merge.LOWEST;
      case DELAYED_RETRY_MIN, MESSAGE_TTL_FLOOR, TARGET_GROUP_SIZE -> Merge.HIGHEST;
      case DELIVERY_LIMIT -> Merge.LOWEST_LIMIT;
      case HA_MODE, HA_PARAMS -> Merge.MORE_MIRRORS;
      default -> Merge.SECOND;
    };
  }

  /** Returns how a policy's value (first) and an argument's (second) are merged. */
  Merge withArgument(PolicySubject subject) {
    if (subject.isExchange()) {
      return Merge.SECOND;
    }
    if (subject.type() == QueueType.STREAM) {
      return Merge.FIRST;
    }
    return switch (this) {
      case EXPIRES, MAX_LENGTH, MAX_LENGTH_BYTES, MESSAGE_TTL, CONSUMER_TIMEOUT, LOCK_DURATION ->
          Merge.LOWEST;
      case MESSAGE_TTL_FLOOR -> Merge.HIGHEST;
      case DELIVERY_LIMIT -> Merge.LOWEST_LIMIT;
      case OVERFLOW, DELAYED_RETRY_TYPE ->
          subject.type() == QueueType.QUORUM ? Merge.FIRST : Merge.SECOND;
      default -> Merge.SECOND;
    };
  }
}
