package io.mayflymq.core.policy;

import io.mayflymq.core.deprecation.DeprecatedFeature;

/**
 * What happens to deliveries that are not acknowledged.
 *
 * @param limit how often the delivery of a message may fail, 0 or more, or {@link
 *     QueueSettings#NONE}
 * @param countsEachReturn whether each return counts towards the limit, as in RabbitMQ 3.13; else
 *     only failed deliveries do
 * @param activeByPriority whether a consumer of a higher priority takes over from the single active
 *     one
 * @param prefetchMax how many messages each consumer may have unacknowledged at most, or NONE
 * @param unackedMax how many all consumers together may have, or NONE
 * @param timeoutMillis how long a delivery may stay unacknowledged, 0 or more, or NONE for the
 *     broker's default
 * @param timeoutAction what happens after that time
 * @param renewalsMax how often the lock of a delivery may be renewed, 0 or more, or NONE
 * @param disconnectedMillis how long what a consumer has stays with it when its node is gone, 0 or
 *     more, or NONE
 * @param retry the retry delay of returned messages
 * @param retriesCount whether those that wait for their retry count towards the length limit, and a
 *     purge removes them
 * @param fairBy the header whose values take turns; null if messages come in the order of arrival
 */
public record DeliverySettings(
    long limit,
    boolean countsEachReturn,
    boolean activeByPriority,
    long prefetchMax,
    long unackedMax,
    long timeoutMillis,
    TimeoutAction timeoutAction,
    long renewalsMax,
    long disconnectedMillis,
    RetrySettings retry,
    boolean retriesCount,
    String fairBy) {

  static DeliverySettings of(QueueValues values) {
    QueueType type = values.type();
    Dialect dialect = values.dialect();
    long timeout = values.number(PolicyKey.CONSUMER_TIMEOUT);
    TimeoutAction action =
        type != QueueType.QUORUM
                && values
                    .defaults()
                    .denied()
                    .contains(DeprecatedFeature.CLASSIC_QUEUE_CONSUMER_TIMEOUT)
            ? TimeoutAction.NONE
            : dialect.timeoutAction(type);
    long lock = values.number(PolicyKey.LOCK_DURATION);
    if (lock != QueueSettings.NONE) {
      action = TimeoutAction.REQUEUE;
      timeout = timeout == QueueSettings.NONE ? lock : Math.min(timeout, lock);
    }
    TimeoutAction chosen = values.word(PolicyKey.CONSUMER_TIMEOUT_ACTION, TimeoutAction.class);
    return new DeliverySettings(
        Math.max(values.number(PolicyKey.DELIVERY_LIMIT), QueueSettings.NONE),
        dialect.countsEachReturn(),
        dialect.activeByPriority(type),
        values.number(PolicyKey.CONSUMER_PREFETCH_MAX),
        values.number(PolicyKey.MAX_UNACKED),
        timeout,
        chosen == null ? action : chosen,
        values.number(PolicyKey.LOCK_RENEWALS_MAX),
        type == QueueType.QUORUM
            ? values.number(PolicyKey.CONSUMER_DISCONNECTED_TIMEOUT)
            : QueueSettings.NONE,
        RetrySettings.of(values),
        dialect.retriesCount(type),
        values.text(PolicyKey.FAIR_BY));
  }
}
