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
    boolean messageTtlRetroactive) {

  /** No such limit. */
  public static final long NONE = -1;

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

  /** Whether the queue has a limit in messages or bytes. */
  public boolean hasLengthLimit() {
    return maxLength != NONE || maxLengthBytes != NONE;
  }
}
