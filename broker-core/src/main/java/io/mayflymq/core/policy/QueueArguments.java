package io.mayflymq.core.policy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.Set;

/**
 * The arguments of {@code queue.declare} that this broker knows: validated with RabbitMQ's rules
 * and texts, and turned into {@link QueueSettings}. Arguments of other names are kept and shown,
 * and mean nothing.
 *
 * <p>Source: RabbitMQ, "Queues", section "Optional Arguments"; the texts are those of 3.13.
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

  /** Where dead messages go. */
  public static final String DEAD_LETTER_EXCHANGE = "x-dead-letter-exchange";

  /** The routing key they go with. */
  public static final String DEAD_LETTER_ROUTING_KEY = "x-dead-letter-routing-key";

  /** The kind of queue; see {@link QueueType}. */
  public static final String QUEUE_TYPE = "x-queue-type";

  /** Whether only one consumer gets messages at a time. */
  public static final String SINGLE_ACTIVE_CONSUMER = "x-single-active-consumer";

  /** Whether another TTL, by a policy, also counts for messages that are there already. */
  public static final String MESSAGE_TTL_RETROACTIVE = "x-message-ttl-retroactive";

  /** The highest priority that the queue tells apart. */
  public static final String MAX_PRIORITY = "x-max-priority";

  /** How often a message may come back from consumers. */
  public static final String DELIVERY_LIMIT = "x-delivery-limit";

  /** How long a delivery may stay unacknowledged, in ms. */
  public static final String CONSUMER_TIMEOUT = "x-consumer-timeout";

  private static final String DEAD_LETTER_STRATEGY = "x-dead-letter-strategy";
  private static final Set<String> STRATEGIES = Set.of("at-most-once", "at-least-once");
  private static final int HIGHEST_PRIORITY = 255;

  /**
   * The longest TTL or lease that arguments and the {@code expiration} property may ask for: ten
   * years, in ms.
   */
  public static final long MAX_MILLIS = 315_360_000_000L;

  /** What the texts about queue types and features that are not there end with. */
  public static final String NOT_SUPPORTED = "is not supported by this broker";

  private final FieldTable table;
  private final String where;

  private QueueArguments(FieldTable table, String queue, String vhost) {
    this.table = table;
    this.where = "for queue '%s' in vhost '%s'".formatted(queue, vhost);
  }

  /**
   * Validates the arguments of a new queue.
   *
   * @param table the arguments
   * @param queue the queue's name, for the error's text
   * @param vhost its virtual host, for the error's text
   * @throws ChannelException 406 if one is not valid, or asks for a queue type or feature that is
   *     not supported
   */
  public static QueueSettings parse(FieldTable table, String queue, String vhost) {
    return table.isEmpty()
        ? QueueSettings.DEFAULT
        : new QueueArguments(table, queue, vhost).settings();
  }

  private QueueSettings settings() {
    QueueType type = queueType();
    for (String argument : type.argumentsOfOthers()) {
      if (table.containsKey(argument)) {
        throw new ChannelException(
            ReplyCode.PRECONDITION_FAILED,
            "invalid arg '%s' %s of queue type %s".formatted(argument, where, type.module()));
      }
    }
    // In RabbitMQ's order, so that of several errors the same one is told.
    long expires = integer(EXPIRES, MAX_MILLIS);
    if (expires == 0) {
      throw invalid(EXPIRES, "{value_zero,0}");
    }
    long messageTtl = integer(MESSAGE_TTL, MAX_MILLIS);
    String deadLetterExchange = text(DEAD_LETTER_EXCHANGE);
    String deadLetterRoutingKey = text(DEAD_LETTER_ROUTING_KEY);
    if (deadLetterRoutingKey != null && deadLetterExchange == null) {
      throw invalid(DEAD_LETTER_ROUTING_KEY, "routing_key_but_no_dlx_defined");
    }
    deadLetterStrategy();
    long maxLength = integer(MAX_LENGTH, Long.MAX_VALUE);
    long maxLengthBytes = integer(MAX_LENGTH_BYTES, Long.MAX_VALUE);
    int maxPriority = maxPriority();
    Overflow overflow = overflow().in(type);
    return new QueueSettings(
        messageTtl,
        expires,
        maxLength,
        maxLengthBytes,
        overflow,
        deadLetterExchange,
        deadLetterRoutingKey,
        flag(SINGLE_ACTIVE_CONSUMER, false),
        flag(MESSAGE_TTL_RETROACTIVE, true),
        type,
        maxPriority,
        integer(DELIVERY_LIMIT, Long.MAX_VALUE),
        integer(CONSUMER_TIMEOUT, Long.MAX_VALUE));
  }

  private QueueType queueType() {
    String name = text(QUEUE_TYPE);
    QueueType type = name == null ? QueueType.CLASSIC : QueueType.ofWireName(name).orElse(null);
    if (type == null || type == QueueType.STREAM) {
      throw notSupported("queue type '%s' %s".formatted(name, where));
    }
    return type;
  }

  private int maxPriority() {
    long number = integer(MAX_PRIORITY, Long.MAX_VALUE);
    if (number > HIGHEST_PRIORITY) {
      throw invalid(MAX_PRIORITY, "{max_value_exceeded,%d}".formatted(number));
    }
    return (int) number;
  }

  /** Letters are always sent as they would be at least once; only the name is looked at. */
  private void deadLetterStrategy() {
    FieldValue value = table.get(DEAD_LETTER_STRATEGY);
    if (value == null) {
      return;
    }
    if (!(value instanceof FieldValue.LongString text)) {
      throw invalid(
          DEAD_LETTER_STRATEGY, "{unacceptable_type,%s}".formatted(value.rabbitTypeName()));
    }
    if (!STRATEGIES.contains(text.string())) {
      throw invalid(DEAD_LETTER_STRATEGY, "invalid_dlx_strategy");
    }
  }

  /**
   * Checks the properties of a new queue, which a quorum queue cannot choose.
   *
   * @param queue the queue's name, for the error's text
   * @param vhost its virtual host, for the error's text
   * @throws ChannelException 406 if the type does not know such queues
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

  private Overflow overflow() {
    FieldValue value = table.get(OVERFLOW);
    if (value == null) {
      return Overflow.DROP_HEAD;
    }
    if (!(value instanceof FieldValue.LongString text)) {
      throw invalid(OVERFLOW, "{unacceptable_type,%s}".formatted(value.rabbitTypeName()));
    }
    return Overflow.ofWireName(text.string())
        .orElseThrow(() -> invalid(OVERFLOW, "invalid_overflow"));
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

  private boolean flag(String argument, boolean absent) {
    FieldValue value = table.get(argument);
    if (value == null) {
      return absent;
    }
    if (!(value instanceof FieldValue.Bool flag)) {
      throw invalid(argument, "\"expected boolean, got %s\"".formatted(value.rabbitTypeName()));
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
