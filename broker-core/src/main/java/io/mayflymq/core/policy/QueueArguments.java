package io.mayflymq.core.policy;

import com.github.benmanes.caffeine.cache.Cache;
import io.mayflymq.core.deprecation.DeprecatedFeature;
import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.runtime.BoundedCaches;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The arguments of {@code queue.declare} that this broker knows: validated with RabbitMQ's rules
 * and error texts, and converted to {@link QueueSettings}. Other arguments are stored and shown,
 * and have no effect.
 *
 * <p>Source: RabbitMQ, "Queues", section "Optional Arguments"; the texts are those of 3.13 and
 * 4.3.6, by the dialect; what those of 4.3.6 do not tell follows behind them.
 */
public final class QueueArguments {
  /** How long a message may stay in the queue, in ms. */
  public static final String MESSAGE_TTL = "x-message-ttl";

  /** How long the queue may stay unused, in ms. */
  public static final String EXPIRES = "x-expires";

  /** How many ready messages there may be. */
  public static final String MAX_LENGTH = "x-max-length";

  /** How many bytes of ready message bodies there may be. */
  public static final String MAX_LENGTH_BYTES = "x-max-length-bytes";

  /** What happens at the length limit. */
  public static final String OVERFLOW = "x-overflow";

  /** Where dead letters are published to. */
  public static final String DEAD_LETTER_EXCHANGE = "x-dead-letter-exchange";

  /** The routing key of dead letters. */
  public static final String DEAD_LETTER_ROUTING_KEY = "x-dead-letter-routing-key";

  /** Whether only one consumer gets messages at a time. */
  public static final String SINGLE_ACTIVE_CONSUMER = "x-single-active-consumer";

  /** The highest priority that the queue supports. */
  public static final String MAX_PRIORITY = "x-max-priority";

  /** How often a message may be returned by consumers. */
  public static final String DELIVERY_LIMIT = "x-delivery-limit";

  /** How long a delivery may stay unacknowledged, in ms. */
  public static final String CONSUMER_TIMEOUT = "x-consumer-timeout";

  private static final String CONSUMER_DISCONNECTED_TIMEOUT =
      PolicyKey.CONSUMER_DISCONNECTED_TIMEOUT.argument();
  private static final String QUEUE_MASTER_LOCATOR = "x-queue-master-locator";
  private static final String QUEUE_MODE = "x-queue-mode";
  private static final String QUEUE_VERSION = "x-queue-version";

  /** How old the messages of a stream may be; see {@link MaxAge}. */
  public static final String MAX_AGE = "x-max-age";

  /** How large a segment of a stream is, in bytes. */
  public static final String STREAM_MAX_SEGMENT_SIZE_BYTES = "x-stream-max-segment-size-bytes";

  private static final String STREAM_FILTER_SIZE_BYTES = "x-stream-filter-size-bytes";
  private static final int LEAST_FILTER_BYTES = 16;
  private static final int MOST_FILTER_BYTES = 255;
  private static final String INITIAL_CLUSTER_SIZE = "x-initial-cluster-size";

  /** How many replicas a quorum queue begins with. */
  public static final String QUORUM_INITIAL_GROUP_SIZE = "x-quorum-initial-group-size";

  private static final String QUORUM_TARGET_GROUP_SIZE = "x-quorum-target-group-size";

  /** On which node of a cluster the queue is to be. */
  public static final String QUEUE_LEADER_LOCATOR = "x-queue-leader-locator";

  private static final Set<String> LOCATORS =
      Set.of("client-local", "balanced", "random", "least-leaders");
  private static final String DEAD_LETTER_STRATEGY = "x-dead-letter-strategy";
  private static final Set<String> STRATEGIES = Set.of("at-most-once", "at-least-once");
  private static final int HIGHEST_PRIORITY = 255;

  /**
   * The longest TTL or lease that arguments and the {@code expiration} property may have: ten
   * years, in ms.
   */
  public static final long MAX_MILLIS = 315_360_000_000L;

  /** The end of the error texts about queue types and features that do not exist in this broker. */
  public static final String NOT_SUPPORTED = "is not supported by this broker";

  private static final Valid NONE = new Valid(FieldTable.EMPTY, QueueSettings.DEFAULT);
  private static final Cache<FieldTable, Valid> RECENT = BoundedCaches.of(64);

  private final Dialect dialect;
  private final FieldTable table;
  private final String where;

  /**
   * Valid arguments. Equal arguments usually share one object.
   *
   * @param table the arguments
   * @param settings the settings that follow from them alone
   */
  public record Valid(FieldTable table, QueueSettings settings) {}

  private QueueArguments(FieldTable table, String queue, String vhost, Dialect dialect) {
    this.dialect = dialect;
    this.table = table;
    this.where = "for queue '%s' in vhost '%s'".formatted(queue, vhost);
  }

  /** Validates the arguments of a queue in the default dialect. */
  public static Valid parse(FieldTable table, String queue, String vhost) {
    return parse(table, queue, vhost, Dialect.DEFAULT);
  }

  /**
   * Validates the arguments of a queue. All dialects accept the same ones.
   *
   * @param table the arguments
   * @param queue the queue's name, for the error's text
   * @param vhost its virtual host, for the error's text
   * @param dialect that of its virtual host, for the error's text
   * @throws ChannelException 406 if one is not valid, or asks for a queue type or feature that is
   *     not supported
   */
  public static Valid parse(FieldTable table, String queue, String vhost, Dialect dialect) {
    return table.isEmpty()
        ? NONE
        : RECENT.get(
            table,
            given -> new Valid(given, new QueueArguments(given, queue, vhost, dialect).settings()));
  }

  private QueueSettings settings() {
    QueueType type = queueType();
    for (String argument : type.argumentsOfOthers()) {
      if (table.containsKey(argument)) {
        throw notOf(type, argument);
      }
    }
    // In RabbitMQ's order, so that of several errors the same one is reported.
    positive(EXPIRES, MAX_MILLIS);
    queueLeaderLocator();
    integer(MESSAGE_TTL, MAX_MILLIS);
    String deadLetterExchange = text(DEAD_LETTER_EXCHANGE);
    String deadLetterRoutingKey = text(DEAD_LETTER_ROUTING_KEY);
    if (deadLetterRoutingKey != null && deadLetterExchange == null) {
      throw invalid(DEAD_LETTER_ROUTING_KEY, "routing_key_but_no_dlx_defined");
    }
    deadLetterStrategy();
    integer(MAX_LENGTH, Long.MAX_VALUE);
    integer(MAX_LENGTH_BYTES, Long.MAX_VALUE);
    int maxPriority = maxPriority();
    overflow();
    boolean singleActiveConsumer = flag(SINGLE_ACTIVE_CONSUMER, false);
    deliveryLimit();
    integer(CONSUMER_TIMEOUT, Long.MAX_VALUE);
    if (type == QueueType.QUORUM) {
      positive(QUORUM_INITIAL_GROUP_SIZE, Long.MAX_VALUE);
      positive(QUORUM_TARGET_GROUP_SIZE, Long.MAX_VALUE);
    }
    if (type == QueueType.STREAM) {
      checkStream();
    }
    checkExtensions(type);
    QueueSettings onlyByArguments =
        new QueueValues(type, singleActiveConsumer, maxPriority, Map.of(), Defaults.NONE)
            .settings();
    return new EffectiveSettings(
            PolicySubject.queue(type, ""), AppliedPolicies.NONE, table, Defaults.NONE, List.of())
        .toQueueSettings(onlyByArguments);
  }

  /**
   * Returns how many replicas valid arguments of a quorum queue or a stream ask for; empty if none
   * do.
   */
  public static OptionalInt initialGroupSize(FieldTable arguments) {
    FieldValue ofQuorum = arguments.get(QUORUM_INITIAL_GROUP_SIZE);
    FieldValue size = ofQuorum == null ? arguments.get(INITIAL_CLUSTER_SIZE) : ofQuorum;
    return size == null
        ? OptionalInt.empty()
        : OptionalInt.of((int) Math.min(size.longValue(), Integer.MAX_VALUE));
  }

  /** Returns the arguments of a queue of this type that RabbitMQ does not know. */
  static List<String> extensions(QueueType type) {
    Stream<String> names =
        PolicyKey.ofArguments().stream()
            .filter(key -> key.isSupportedBy(type))
            .flatMap(key -> key.arguments().stream());
    return Stream.concat(names, Stream.of(DELIVERY_LIMIT, CONSUMER_TIMEOUT))
        .filter(name -> !type.arguments().contains(name))
        .toList();
  }

  private void checkExtensions(QueueType type) {
    Map<PolicyKey, Object> values = new EnumMap<>(PolicyKey.class);
    for (PolicyKey key : PolicyKey.ofArguments()) {
      for (String argument : key.arguments()) {
        if (table.get(argument) != null && key.isCheckedAsArgument(type)) {
          values.put(key, checkExtension(type, key, argument));
        }
      }
    }
    try {
      CombinationRules.check(values);
    } catch (PolicyException e) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED, "%s %s".formatted(e.getMessage(), where));
    }
  }

  private Object checkExtension(QueueType type, PolicyKey key, String argument) {
    if (!key.isSupportedBy(type)) {
      throw notOf(type, argument);
    }
    DeprecatedNames.warn("queue argument", argument, key.argument());
    FieldValue value = table.get(argument);
    try {
      Object plain = EffectiveSettings.plain(value);
      if (plain == null) {
        throw invalid(argument, "{unacceptable_type,%s}".formatted(value.rabbitTypeName()));
      }
      return key.check(plain);
    } catch (PolicyException e) {
      throw invalid(argument, key.isExtension() ? e.withExplanations() : e.getMessage());
    }
  }

  /**
   * Checks what only a queue that is declared now must keep to, and not one that is there already;
   * and notes which deprecated features it uses.
   *
   * @param table arguments that {@link #parse} accepted
   * @param queue the queue's name, for the error's text
   * @param vhost its virtual host, for the error's text
   * @param dialect that of its virtual host
   * @param byClient whether a client declares it by AMQP
   * @throws ChannelException 406 if an argument is not valid, or denied
   * @throws io.mayflymq.protocol.types.ConnectionException 541 if one is denied that RabbitMQ
   *     refuses to clients so
   */
  public static void checkNew(
      FieldTable table,
      String queue,
      String vhost,
      Dialect dialect,
      DeprecatedFeatures deprecated,
      boolean byClient) {
    if (!table.isEmpty()) {
      new QueueArguments(table, queue, vhost, dialect).checkNew(deprecated, byClient);
      MistypedArguments.warn(table, queue, vhost);
    }
  }

  private void checkNew(DeprecatedFeatures deprecated, boolean byClient) {
    QueueType type = QueueType.of(table);
    if (table.containsKey(QUEUE_MASTER_LOCATOR)) {
      deprecated.require(DeprecatedFeature.QUEUE_MASTER_LOCATOR, byClient);
    }
    if (type != QueueType.QUORUM
        && table.containsKey(CONSUMER_TIMEOUT)
        && !deprecated.use(DeprecatedFeature.CLASSIC_QUEUE_CONSUMER_TIMEOUT)) {
      throw notOf(type, CONSUMER_TIMEOUT);
    }
    if (table.containsKey(QUEUE_MODE) && !deprecated.use(DeprecatedFeature.CLASSIC_QUEUE_MODE)) {
      throw notOf(type, QUEUE_MODE);
    }
    queueVersion(deprecated);
    // RabbitMQ 3.13 does not know it.
    if (dialect != Dialect.V3_13 && table.containsKey(CONSUMER_DISCONNECTED_TIMEOUT)) {
      if (type != QueueType.QUORUM) {
        throw notOf(type, CONSUMER_DISCONNECTED_TIMEOUT);
      }
      integer(CONSUMER_DISCONNECTED_TIMEOUT, Long.MAX_VALUE);
    }
  }

  /** 1 and 2 are the same here. */
  private void queueVersion(DeprecatedFeatures deprecated) {
    long version = integer(QUEUE_VERSION, Long.MAX_VALUE);
    boolean supported =
        version == 1
            ? deprecated.use(DeprecatedFeature.CLASSIC_QUEUE_VERSION_1)
            : version == 2 || version == QueueSettings.NONE;
    if (!supported) {
      throw invalid(QUEUE_VERSION, "\"unsupported queue version '%d'\"".formatted(version));
    }
  }

  private ChannelException notOf(QueueType type, String argument) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        "invalid arg '%s' %s of queue type %s".formatted(argument, where, type.module()));
  }

  private void checkStream() {
    positive(INITIAL_CLUSTER_SIZE, Long.MAX_VALUE);
    long segmentBytes = integer(STREAM_MAX_SEGMENT_SIZE_BYTES, Long.MAX_VALUE);
    if (segmentBytes > StreamSettings.MOST_SEGMENT_BYTES) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED, "Exceeded max value for " + STREAM_MAX_SEGMENT_SIZE_BYTES);
    }
    long filterBytes = integer(STREAM_FILTER_SIZE_BYTES, Long.MAX_VALUE);
    if (filterBytes != QueueSettings.NONE
        && (filterBytes < LEAST_FILTER_BYTES || filterBytes > MOST_FILTER_BYTES)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED, "Invalid value for  " + STREAM_FILTER_SIZE_BYTES);
    }
    maxAge();
  }

  private void maxAge() {
    String age = word(MAX_AGE);
    if (age != null && MaxAge.millis(age).orElse(0) == 0) {
      throw invalid(MAX_AGE, "invalid_max_age");
    }
  }

  private void queueLeaderLocator() {
    String locator = word(QUEUE_LEADER_LOCATOR);
    if (locator != null && !LOCATORS.contains(locator)) {
      throw invalid(QUEUE_LEADER_LOCATOR, "invalid_queue_locator_arg");
    }
  }

  private QueueType queueType() {
    FieldValue given = table.get(QueueType.ARGUMENT);
    if (dialect != Dialect.V3_13 && given != null && !(given instanceof FieldValue.LongString)) {
      throw invalidType("{unacceptable_type,%s}".formatted(given.rabbitTypeName()));
    }
    String name = text(QueueType.ARGUMENT);
    QueueType type = name == null ? QueueType.CLASSIC : QueueType.ofWireName(name).orElse(null);
    if (type != null) {
      return type;
    }
    throw dialect == Dialect.V3_13
        ? notSupported("queue type '%s' %s".formatted(name, where))
        : invalidType("\"unsupported queue type '%s'\"".formatted(name));
  }

  private ChannelException invalidType(String reason) {
    return invalid(QueueType.ARGUMENT, reason + ": expected classic, quorum or stream");
  }

  private int maxPriority() {
    long number = integer(MAX_PRIORITY, Long.MAX_VALUE);
    if (number > HIGHEST_PRIORITY) {
      throw invalid(MAX_PRIORITY, "{max_value_exceeded,%d}".formatted(number));
    }
    return (int) number;
  }

  /** A negative one stands for none, as in RabbitMQ 4. */
  private void deliveryLimit() {
    FieldValue limit = table.get(DELIVERY_LIMIT);
    if (limit == null || !limit.isInteger() || limit.longValue() >= 0) {
      integer(DELIVERY_LIMIT, Long.MAX_VALUE);
    }
  }

  private void deadLetterStrategy() {
    String strategy = word(DEAD_LETTER_STRATEGY);
    if (strategy != null && !STRATEGIES.contains(strategy)) {
      throw invalid(DEAD_LETTER_STRATEGY, "invalid_dlx_strategy");
    }
  }

  /**
   * Checks the properties of a new queue, which are restricted for quorum queues and streams.
   *
   * @param queue the queue's name, for the error's text
   * @param vhost its virtual host, for the error's text
   * @throws ChannelException 406 if the type does not allow such queues
   */
  public static void checkProperties(
      QueueType type,
      boolean durable,
      boolean exclusive,
      boolean autoDelete,
      String queue,
      String vhost) {
    if (type.allows(durable, exclusive, autoDelete)) {
      return;
    }
    String property = autoDelete ? "auto-delete" : exclusive ? "exclusive-owner" : "non-durable";
    throw new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        "invalid property '%s' for queue '%s' in vhost '%s'".formatted(property, queue, vhost));
  }

  /**
   * Checks whether the broker may generate the name of a queue.
   *
   * @throws ChannelException 406 if the type does not allow such queues
   */
  public static void checkServerNamed(QueueType type) {
    if (type != QueueType.CLASSIC) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "Cannot declare a server-named queue for type " + type.module());
    }
  }

  private void overflow() {
    String overflow = word(OVERFLOW);
    if (overflow != null && Overflow.ofWireName(overflow).isEmpty()) {
      throw invalid(OVERFLOW, "invalid_overflow");
    }
  }

  /** Returns the value of an argument that is one of several words; null if it is absent. */
  private String word(String argument) {
    FieldValue value = table.get(argument);
    if (value != null && !(value instanceof FieldValue.LongString)) {
      throw invalid(argument, "{unacceptable_type,%s}".formatted(value.rabbitTypeName()));
    }
    return value instanceof FieldValue.LongString text ? text.string() : null;
  }

  private long integer(String argument, long max) {
    FieldValue value = table.get(argument);
    if (value == null) {
      return QueueSettings.NONE;
    }
    if (!value.isInteger()) {
      throw invalid(argument, "\"expected integer, got %s\"".formatted(value.rabbitTypeName()));
    }
    long number = value.longValue();
    if (number < 0) {
      throw invalid(argument, "{value_negative,%d}".formatted(number));
    }
    if (number > max) {
      throw invalid(argument, "{value_too_large,%d}".formatted(number));
    }
    return number;
  }

  private void positive(String argument, long max) {
    if (integer(argument, max) == 0) {
      throw invalid(argument, "{value_zero,0}");
    }
  }

  private boolean flag(String argument, boolean absent) {
    FieldValue value = table.get(argument);
    if (value == null) {
      return absent;
    }
    if (!(value instanceof FieldValue.Bool flag)) {
      throw invalid(
          argument,
          (dialect == Dialect.V3_13
                  ? "\"expected boolean, got %s\""
                  : "{unacceptable_type,%s}: expected boolean")
              .formatted(value.rabbitTypeName()));
    }
    return flag.value();
  }

  private String text(String argument) {
    FieldValue value = table.get(argument);
    if (value == null) {
      return null;
    }
    if (!(value instanceof FieldValue.LongString text)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "invalid type '%s' for arg '%s' in %s"
              .formatted(value.rabbitTypeName(), argument, where.substring("for ".length())));
    }
    return text.string();
  }

  private ChannelException invalid(String argument, String reason) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        "invalid arg '%s' %s: %s".formatted(argument, where, reason));
  }

  private static ChannelException notSupported(String what) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED, "%s %s".formatted(what, NOT_SUPPORTED));
  }
}
