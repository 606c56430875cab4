package io.mayflymq.core.journal;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.retention.Deadlines;
import java.util.List;

/**
 * How a message died. It keeps names, and none of the message's content: a few hundred bytes, and
 * at most some ten thousand.
 *
 * @param timeMillis when it died, in ms since the epoch
 * @param vhost the virtual host
 * @param queue the queue it died in, which may be gone
 * @param message what is known of the message itself; null if its content was not in memory and
 *     nobody had to read it
 * @param cause what decided
 * @param deadlineMillis when it was due, in ms since the epoch; {@link Deadlines#NEVER} unless it
 *     expired
 * @param fate what became of it
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
  /** More routing keys or queues of a message than this are not kept. */
  public static final int MOST_NAMES = 16;

  /** Takes no more names than it keeps. */
  public DeathRecord {
    routingKeys = bounded(routingKeys);
    targets = bounded(targets);
  }

  /**
   * How to recognise a message.
   *
   * @param messageId its property, or null
   * @param exchange the exchange it had been published to
   * @param routingKey its routing key
   */
  public record Identity(String messageId, String exchange, String routingKey) {}

  /** What {@code x-death} calls it. */
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
