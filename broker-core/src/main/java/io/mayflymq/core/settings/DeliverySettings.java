package io.mayflymq.core.settings;

/**
 * What becomes of deliveries that do not end in an acknowledgement.
 *
 * @param limit how often a message may come back from consumers, 0 or more, or {@link
 *     QueueSettings#NONE}
 * @param timeoutMillis how long a delivery may stay unacknowledged, 0 or more, or NONE: as long as
 *     the broker's configuration says
 * @param timeoutAction what happens then
 * @param retry how long what comes back waits
 */
public record DeliverySettings(
    long limit, long timeoutMillis, TimeoutAction timeoutAction, RetrySettings retry) {}
