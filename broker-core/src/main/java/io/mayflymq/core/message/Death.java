package io.mayflymq.core.message;

import java.util.List;

/**
 * One entry of {@code x-death}: all the deaths of a message in one queue for one reason.
 *
 * <p>Only {@code count} changes when a message dies again in the same way; everything else
 * describes the first death.
 *
 * @param queue the queue the message died in
 * @param reason why it died
 * @param count how many times, 1 or more
 * @param timeSeconds when it first died, in seconds since the epoch (AMQP timestamp)
 * @param exchange the exchange it had been published to, "" for the default exchange
 * @param routingKeys its routing key, then the keys of its {@code CC} header; never those of {@code
 *     BCC}
 * @param originalExpiration the {@code expiration} property that dead-lettering removed, or null
 */
public record Death(
    String queue,
    DeathReason reason,
    long count,
    long timeSeconds,
    String exchange,
    List<String> routingKeys,
    String originalExpiration) {

  boolean isOf(String otherQueue, DeathReason otherReason) {
    return reason == otherReason && queue.equals(otherQueue);
  }

  Death again() {
    return new Death(
        queue, reason, count + 1, timeSeconds, exchange, routingKeys, originalExpiration);
  }
}
