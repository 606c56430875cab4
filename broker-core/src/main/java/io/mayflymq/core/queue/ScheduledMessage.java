package io.mayflymq.core.queue;

/**
 * A scheduled message, as it is displayed.
 *
 * @param sequence its number among the scheduled messages
 * @param dueMillis when it will be published, in ms since the epoch
 * @param enqueuedAtMillis when it arrived, in ms since the epoch
 * @param bodyLength the length of its body in bytes
 * @param messageId its property {@code message-id}; null if it has none
 * @param exchange the exchange that it was published to
 * @param routingKey its routing key
 */
public record ScheduledMessage(
    long sequence,
    long dueMillis,
    long enqueuedAtMillis,
    int bodyLength,
    String messageId,
    String exchange,
    String routingKey) {}
