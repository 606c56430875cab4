package io.mayflymq.test;

import java.time.Instant;
import java.util.List;

/**
 * A message that has left its queue otherwise than by an acknowledgement.
 *
 * @param time when, by the clock of the broker
 * @param vhost the virtual host of the queue
 * @param queue the name of the queue
 * @param messageId the property {@code message_id}; empty if it has none
 * @param exchange to which it was published last
 * @param routingKey with which it was published last
 * @param reason as in {@code x-death}: {@code expired}, {@code rejected}, {@code maxlen}, {@code
 *     delivery_limit}, {@code queue_expired}, {@code queue_deleted}
 * @param decidedBy the setting or event that decided it, such as {@code message-ttl}
 * @param fate what happened to it, such as {@code dead_lettered} or {@code no_exchange}
 * @param deadLetterQueues the queues that it was dead-lettered to
 */
public record Death(
    Instant time,
    String vhost,
    String queue,
    String messageId,
    String exchange,
    String routingKey,
    String reason,
    String decidedBy,
    String fate,
    List<String> deadLetterQueues) {
  static Death of(Json death) {
    return new Death(
        death.time("time").orElse(Instant.EPOCH),
        death.text("vhost"),
        death.text("queue"),
        death.text("message_id"),
        death.text("exchange"),
        death.text("routing_key"),
        death.text("reason"),
        death.text("decided_by"),
        death.text("fate"),
        List.copyOf(death.texts("dead_letter_queues")));
  }

  @Override
  public String toString() {
    return "%s queue '%s'%s: %s by %s, %s%s"
        .formatted(
            time,
            queue,
            messageId.isEmpty() ? "" : ", message " + messageId,
            reason,
            decidedBy,
            fate,
            deadLetterQueues.isEmpty() ? "" : " to " + String.join(", ", deadLetterQueues));
  }
}
