package io.mayflymq.core.deathjournal;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.queue.index.Deadlines;
import java.util.List;

/**
 * The death of a message. It contains names, but none of the message's content: a few hundred
 * bytes, at most about ten thousand.
 *
 * @param timeMillis when it died, in ms since the epoch
 * @param vhost the virtual host
 * @param queue the queue it died in, which may have been deleted
 * @param message identifies the message; null if its content was not in memory and did not have to
 *     be read
 * @param cause what caused the death
 * @param deadlineMillis its deadline, in ms since the epoch; {@link Deadlines#NEVER} unless it
 *     expired
 * @param fate what happened to it
 * @param deadLetterExchange the queue's dead letter exchange, or null
 * @param routingKeys the keys that it was routed by there, at most {@link #MOST_NAMES}
 * @param targets the queues it went to, at most {@link #MOST_NAMES}
 */
public record DeathRecord(
    long timeMillis,
    String vhost,
    String queue,
    Identity message,
    DropTrigger cause,
    long deadlineMillis,
    DropOutcome fate,
    String deadLetterExchange,
    List<String> routingKeys,
    List<String> targets) {
  /** The largest number of routing keys, and of queues, that is kept for a message. */
  public static final int MOST_NAMES = 16;

  /** Takes no more names than it keeps. */
  public DeathRecord {
    routingKeys = bounded(routingKeys);
    targets = bounded(targets);
  }

  /**
   * Identifies a message.
   *
   * @param messageId its property, or null
   * @param exchange the exchange it had been published to
   * @param routingKey its routing key
   */
  public record Identity(String messageId, String exchange, String routingKey) {}

  /** Returns the reason for {@code x-death}. */
  public DeathReason reason() {
    return cause.reason();
  }

  /** How long after its deadline it died, in ms; 0 unless it expired. */
  public long latenessMillis() {
    return deadlineMillis == Deadlines.NEVER ? 0 : timeMillis - deadlineMillis;
  }

  private static List<String> bounded(List<String> names) {
    return names.size() <= MOST_NAMES ? names : List.copyOf(names.subList(0, MOST_NAMES));
  }
}
