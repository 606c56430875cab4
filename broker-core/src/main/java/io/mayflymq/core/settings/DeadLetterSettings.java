package io.mayflymq.core.settings;

import io.mayflymq.core.message.DeathReason;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * What becomes of the dead messages of a queue.
 *
 * @param exchange where they go, or null
 * @param routingKey the routing key they go with, or null: their own ones
 * @param on which deaths make dead letters; after others a message is dropped
 * @param routingKeys the routing keys for some reasons, which go before {@link #routingKey}
 * @param serviceBusHeaders whether Azure Service Bus's headers are added
 * @param ownQueue whether the queue has a dead letter queue of its own, which they go to where
 *     there is no exchange
 * @param keepsRefused whether one that no queue takes waits until one does, if it is persistent and
 *     the queue durable; else it is dropped
 * @param atLeastOnce whether whatever is dead-lettered waits until a queue has it: also where it
 *     has nowhere to go, and also what is not persistent
 */
public record DeadLetterSettings(
    String exchange,
    String routingKey,
    Set<DeathReason> on,
    Map<DeathReason, String> routingKeys,
    boolean serviceBusHeaders,
    boolean ownQueue,
    boolean keepsRefused,
    boolean atLeastOnce) {

  /** The deaths that make dead letters in RabbitMQ. */
  public static final Set<DeathReason> ON_DEFAULT =
      Collections.unmodifiableSet(
          EnumSet.of(
              DeathReason.REJECTED,
              DeathReason.EXPIRED,
              DeathReason.MAXLEN,
              DeathReason.DELIVERY_LIMIT));

  /** Whether the dead go anywhere at all. */
  public boolean areWanted() {
    return exchange != null || ownQueue;
  }

  /** Whether those that die so go anywhere. */
  public boolean areWantedOn(DeathReason reason) {
    return areWanted() && on.contains(reason);
  }

  /** The routing key for those that die so, or null: their own ones. */
  public String routingKeyOn(DeathReason reason) {
    return routingKeys.getOrDefault(reason, routingKey);
  }
}
