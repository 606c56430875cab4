package io.mayflymq.core.settings;

/**
 * What happens to deliveries that are not acknowledged.
 *
 * @param limit how often a message may be returned by consumers, 0 or more, or {@link
 *     QueueSettings#NONE}
 * @param timeoutMillis how long a delivery may stay unacknowledged, 0 or more, or NONE for the
 *     broker's default
 * @param timeoutAction what happens after that time
 * @param retry the retry delay of returned messages
 */
public record DeliverySettings(
    long limit, long timeoutMillis, TimeoutAction timeoutAction, RetrySettings retry) {}
