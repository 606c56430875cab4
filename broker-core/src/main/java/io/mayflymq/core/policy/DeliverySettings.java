package io.mayflymq.core.policy;

/**
 * What happens to deliveries that are not acknowledged.
 *
 * @param limit how often the delivery of a message may fail, 0 or more, or {@link
 *     QueueSettings#NONE}
 * @param countsEachReturn whether each return counts towards the limit, as in RabbitMQ 3.13; else
 *     only failed deliveries do
 * @param activeByPriority whether a consumer of a higher priority takes over from the single active
 *     one
 * @param timeoutMillis how long a delivery may stay unacknowledged, 0 or more, or NONE for the
 *     broker's default
 * @param timeoutAction what happens after that time
 * @param disconnectedMillis how long what a consumer has stays with it when its node is gone, 0 or
 *     more, or NONE
 * @param retry the retry delay of returned messages
 * @param retriesCount whether those that wait for their retry count towards the length limit, and a
 *     purge removes them
 */
public record DeliverySettings(
    long limit,
    boolean countsEachReturn,
    boolean activeByPriority,
    long timeoutMillis,
    TimeoutAction timeoutAction,
    long disconnectedMillis,
    RetrySettings retry,
    boolean retriesCount) {}
