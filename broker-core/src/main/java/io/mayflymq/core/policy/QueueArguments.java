package io.mayflymq.core.policy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
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

  /** The kind of queue; only {@code classic} so far. */
  public static final String QUEUE_TYPE = "x-queue-type";

  /** Whether only one consumer gets messages at a time. */
  public static final String SINGLE_ACTIVE_CONSUMER = "x-single-active-consumer";

  /** Whether another TTL, by a policy, also counts for messages that are there already. */
  public static final String MESSAGE_TTL_RETROACTIVE = "x-message-ttl-retroactive";

  private static final String DEFAULT_TYPE = "classic";

  /**
   * The longest TTL or lease that arguments and the {@code expiration} property may ask for: ten
   * years, in ms.
   */
  public static final long MAX_MILLIS = 315_360_000_000L;

  /**
   * The arguments that a redeclaration is compared by; the last four are accepted without effect.
   */
  private static final Set<String> KNOWN =
      Set.of(
          MESSAGE_TTL,
          EXPIRES,
          MAX_LENGTH,
          MAX_LENGTH_BYTES,
          OVERFLOW,
          DEAD_LETTER_EXCHANGE,
          DEAD_LETTER_ROUTING_KEY,
          QUEUE_TYPE,
          SINGLE_ACTIVE_CONSUMER,
          "x-queue-mode",
          "x-queue-version",
          "x-queue-master-locator",
          "x-queue-leader-locator");

  /** What the texts about queue types and features that are not there end with. */
  public static final String NOT_SUPPORTED = "is not supported by this broker";

  /** Would change what a queue does and is not there yet: refused, so that nobody relies on it. */
  private static final String MAX_PRIORITY = "x-max-priority";

  /**
   * What only quorum queues and streams know, which RabbitMQ refuses for a classic queue. In the
   * order in which they are looked for.
   */
  private static final List<String> OF_OTHER_TYPES =
      List.of(
          "x-dead-letter-strategy",
          "x-delivery-limit",
          "x-max-in-memory-length",
          "x-max-in-memory-bytes",
          "x-quorum-initial-group-size",
          "x-max-age",
          "x-stream-max-segment-size-bytes",
          "x-initial-cluster-size");

  private final FieldTable table;
  private final String where;

  private QueueArguments(FieldTable table, String queue, String vhost) {
    this.table = table;
    this.where = "for queue '%s' in vhost '%s'".formatted(queue, vhost);
  }

  /** Whether a redeclaration must agree on this argument. */
  static boolean isKnown(String argument) {
    return KNOWN.contains(argument);
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
    queueType();
    if (table.containsKey(MAX_PRIORITY)) {
      throw notSupported("argument '%s' %s".formatted(MAX_PRIORITY, where));
    }
    for (String argument : OF_OTHER_TYPES) {
      if (table.containsKey(argument)) {
        throw new ChannelException(
            ReplyCode.PRECONDITION_FAILED,
            "invalid arg '%s' %s of queue type rabbit_classic_queue".formatted(argument, where));
      }
    }
    long expires = integer(EXPIRES, MAX_MILLIS);
    if (expires == 0) {
      throw invalid(EXPIRES, "{value_zero,0}");
    }
    String deadLetterExchange = text(DEAD_LETTER_EXCHANGE);
    String deadLetterRoutingKey = text(DEAD_LETTER_ROUTING_KEY);
    if (deadLetterRoutingKey != null && deadLetterExchange == null) {
      throw invalid(DEAD_LETTER_ROUTING_KEY, "routing_key_but_no_dlx_defined");
    }
    return new QueueSettings(
        integer(MESSAGE_TTL, MAX_MILLIS),
        expires,
        integer(MAX_LENGTH, Long.MAX_VALUE),
        integer(MAX_LENGTH_BYTES, Long.MAX_VALUE),
        overflow(),
        deadLetterExchange,
        deadLetterRoutingKey,
        flag(SINGLE_ACTIVE_CONSUMER, false),
        flag(MESSAGE_TTL_RETROACTIVE, true));
  }

  private void queueType() {
    String type = text(QUEUE_TYPE);
    if (type != null && !type.equals(DEFAULT_TYPE)) {
      throw notSupported("queue type '%s' %s".formatted(type, where));
    }
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
