package io.mayflymq.core.policy;

import io.mayflymq.core.message.DeathReason;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
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

  private static final Map<DeathReason, PolicyKey> ROUTING_KEYS =
      Map.of(
          DeathReason.REJECTED, PolicyKey.DEAD_LETTER_ROUTING_KEY_REJECTED,
          DeathReason.EXPIRED, PolicyKey.DEAD_LETTER_ROUTING_KEY_EXPIRED,
          DeathReason.MAXLEN, PolicyKey.DEAD_LETTER_ROUTING_KEY_MAXLEN,
          DeathReason.DELIVERY_LIMIT, PolicyKey.DEAD_LETTER_ROUTING_KEY_DELIVERY_LIMIT,
          DeathReason.QUEUE_EXPIRED, PolicyKey.DEAD_LETTER_ROUTING_KEY_QUEUE_EXPIRED,
          DeathReason.QUEUE_DELETED, PolicyKey.DEAD_LETTER_ROUTING_KEY_QUEUE_DELETED);

  static DeadLetterSettings of(QueueValues values) {
    if (!values.defaults().deadLettering()) {
      return new DeadLetterSettings(
          null, null, reasons(values, null), Map.of(), false, false, true, false, false);
    }
    String exchange = values.text(PolicyKey.DEAD_LETTER_EXCHANGE);
    // As in RabbitMQ: not with drop-head, which would drop what waits, too.
    boolean atLeastOnce =
        values.is(PolicyKey.DEAD_LETTER_STRATEGY, "at-least-once")
            && !values.is(PolicyKey.OVERFLOW, "drop-head");
    return new DeadLetterSettings(
        exchange,
        values.text(PolicyKey.DEAD_LETTER_ROUTING_KEY),
        reasons(values, values.words(PolicyKey.DEAD_LETTER_ON)),
        routingKeys(values),
        values.words(PolicyKey.DEAD_LETTER_HEADERS).contains("service-bus"),
        values.is(PolicyKey.DEAD_LETTER_QUEUE, "auto"),
        !values.is(PolicyKey.DEAD_LETTER_REFUSED, "drop")
            && !values.is(PolicyKey.DEAD_LETTER_STRATEGY, "at-most-once"),
        atLeastOnce && exchange != null,
        values.dialect().countsPublishedDeaths());
  }

  /** If messages are dead-lettered at the end of the lease, that reason is added. */
  private static Set<DeathReason> reasons(QueueValues values, List<String> chosen) {
    Set<DeathReason> on = EnumSet.noneOf(DeathReason.class);
    if (chosen == null) {
      on.addAll(ON_DEFAULT);
    } else {
      chosen.forEach(reason -> DeathReason.ofWireName(reason).ifPresent(on::add));
    }
    if (values.is(PolicyKey.EXPIRES_ACTION, "dead-letter")) {
      on.add(DeathReason.QUEUE_EXPIRED);
    }
    return Set.copyOf(on);
  }

  private static Map<DeathReason, String> routingKeys(QueueValues values) {
    Map<DeathReason, String> keys = new EnumMap<>(DeathReason.class);
    ROUTING_KEYS.forEach(
        (reason, key) -> {
          if (values.text(key) != null) {
            keys.put(reason, values.text(key));
          }
        });
    return Map.copyOf(keys);
  }

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
