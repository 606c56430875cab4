package io.mayflymq.core.policy;

import io.mayflymq.core.message.DeathReason;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * What happens to the dead messages of a queue.
 *
 * @param exchange the dead letter exchange, or null
 * @param routingKey the routing key of dead letters, or null to keep each message's own keys
 * @param on the reasons for which messages are dead-lettered; for other reasons a message is
 *     dropped
 * @param routingKeys the routing keys for some reasons, which have precedence over {@link
 *     #routingKey}
 * @param serviceBusHeaders whether Azure Service Bus's headers are added
 * @param ownQueue whether the queue has a dead letter queue of its own, which is used if there is
 *     no exchange
 * @param keepsRefused whether a dead letter that no queue accepts waits until one does, if it is
 *     persistent and the queue is durable; else it is dropped
 * @param atLeastOnce whether every dead letter waits until a queue has it, also if it is
 *     unroutable, and also if it is transient
 * @param countsPublished whether an {@code x-death} header that a publisher sets counts as history
 */
public record DeadLetterSettings(
    String exchange,
    String routingKey,
    Set<DeathReason> on,
    Map<DeathReason, String> routingKeys,
    boolean serviceBusHeaders,
    boolean ownQueue,
    boolean keepsRefused,
    boolean atLeastOnce,
    boolean countsPublished) {

  /** The reasons for which RabbitMQ dead-letters messages. */
  public static final Set<DeathReason> ON_DEFAULT =
      Collections.unmodifiableSet(
          EnumSet.of(
              DeathReason.REJECTED,
              DeathReason.EXPIRED,
              DeathReason.MAXLEN,
              DeathReason.DELIVERY_LIMIT));

  /** Whether messages are dead-lettered at all. */
  public boolean areWanted() {
    return exchange != null || ownQueue;
  }

  /** Whether messages that die for this reason are dead-lettered. */
  public boolean areWantedOn(DeathReason reason) {
    return areWanted() && on.contains(reason);
  }

  /** Returns the routing key for this reason, or null to keep each message's own keys. */
  public String routingKeyOn(DeathReason reason) {
    return routingKeys.getOrDefault(reason, routingKey);
  }
}
