package io.mayflymq.core.policy;

/**
 * What a queue lives by. Derived from its arguments and from policies; times in ms, {@link #NONE}
 * where there is no such setting.
 *
 * @param messageTtlMillis how long a message may stay, 0 or more, or NONE
 * @param expiresMillis how long the queue may stay unused, 1 or more, or NONE
 * @param maxLength how many ready messages at most, 0 or more, or NONE
 * @param maxLengthBytes how many bytes of ready message bodies at most, 0 or more, or NONE
 * @param overflow what happens at these limits
 * @param deadLetterExchange where dead messages go, or null: they are dropped
 * @param deadLetterRoutingKey the routing key they go with, or null: their own ones
 * @param singleActiveConsumer whether only one consumer gets messages at a time
 * @param messageTtlRetroactive whether another TTL also counts for messages that are there already
 * @param type what kind of queue it is
 * @param maxPriority the highest priority that it tells apart, 0 to 255, or {@link #NO_PRIORITIES}
 * @param deliveryLimit how often a message may come back from consumers, 0 or more, or NONE
 * @param consumerTimeoutMillis how long a delivery may stay unacknowledged, 0 or more, or NONE: as
 *     long as the broker's configuration says
 * @param stream what counts for a stream only
 */
public record QueueSettings(
    long messageTtlMillis,
    long expiresMillis,
    long maxLength,
    long maxLengthBytes,
    Overflow overflow,
    String deadLetterExchange,
    String deadLetterRoutingKey,
    boolean singleActiveConsumer,
    boolean messageTtlRetroactive,
    QueueType type,
    int maxPriority,
    long deliveryLimit,
    long consumerTimeoutMillis,
    StreamSettings stream) {

  /** No such limit. */
  public static final long NONE = -1;

  /** The {@link #maxPriority} of a queue that passes over priorities. */
  public static final int NO_PRIORITIES = -1;

  /** A queue without any argument or policy. */
  public static final QueueSettings DEFAULT =
      new QueueSettings(NONE, NONE, NONE, NONE, Overflow.DROP_HEAD, null, null, false);

  /** Settings whose TTL counts for all messages, whenever they came. */
  public QueueSettings(
      long messageTtlMillis,
      long expiresMillis,
      long maxLength,
      long maxLengthBytes,
      Overflow overflow,
      String deadLetterExchange,
      String deadLetterRoutingKey,
      boolean singleActiveConsumer) {
    this(
        messageTtlMillis,
        expiresMillis,
        maxLength,
        maxLengthBytes,
        overflow,
        deadLetterExchange,
        deadLetterRoutingKey,
        singleActiveConsumer,
        true);
  }

  /** Settings of a classic queue that knows no priorities and no limits to deliveries. */
  public QueueSettings(
      long messageTtlMillis,
      long expiresMillis,
      long maxLength,
      long maxLengthBytes,
      Overflow overflow,
      String deadLetterExchange,
      String deadLetterRoutingKey,
      boolean singleActiveConsumer,
      boolean messageTtlRetroactive) {
    this(
        messageTtlMillis,
        expiresMillis,
        maxLength,
        maxLengthBytes,
        overflow,
        deadLetterExchange,
        deadLetterRoutingKey,
        singleActiveConsumer,
        messageTtlRetroactive,
        QueueType.CLASSIC,
        NO_PRIORITIES,
        NONE,
        NONE,
        StreamSettings.DEFAULT);
  }

  /** The same with priorities up to this one. */
  public QueueSettings withMaxPriority(int highest) {
    return with(type, highest, deliveryLimit);
  }

  /** The same for a quorum queue with this delivery limit, or NONE. */
  public QueueSettings asQuorum(long limit) {
    return with(QueueType.QUORUM, maxPriority, limit);
  }

  private QueueSettings with(QueueType kind, int highestPriority, long limit) {
    return new QueueSettings(
        messageTtlMillis,
        expiresMillis,
        maxLength,
        maxLengthBytes,
        overflow,
        deadLetterExchange,
        deadLetterRoutingKey,
        singleActiveConsumer,
        messageTtlRetroactive,
        kind,
        highestPriority,
        limit,
        consumerTimeoutMillis,
        stream);
  }

  /** Whether the queue tells priorities apart. */
  public boolean hasPriorities() {
    return maxPriority != NO_PRIORITIES;
  }

  /**
   * Whether the queue counts how often each message comes back, and tells consumers: a quorum
   * queue, and any other that has a limit.
   */
  public boolean countsReturns() {
    return type == QueueType.QUORUM || deliveryLimit != NONE;
  }

  /** Whether the queue has a limit in messages or bytes. */
  public boolean hasLengthLimit() {
    return maxLength != NONE || maxLengthBytes != NONE;
  }
}
