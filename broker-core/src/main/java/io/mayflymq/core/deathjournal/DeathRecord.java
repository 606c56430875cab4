package io.mayflymq.core.deathjournal;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.protocol.types.RawProperties;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The death of a message, or that an operator has removed or moved it. It contains names, but none
 * of the message's content: a few hundred bytes, at most about ten thousand.
 *
 * @param timeMillis when it died, in ms since the epoch
 * @param vhost the virtual host
 * @param queue the queue it died in, which may have been deleted
 * @param message identifies the message; null if its content was not in memory and did not have to
 *     be read
 * @param cause what caused the death; null if an operator did
 * @param deadlineMillis its deadline, in ms since the epoch; {@link Deadlines#NEVER} unless it
 *     expired
 * @param fate what happened to it; null if an operator removed or moved it
 * @param deadLetterExchange the queue's dead letter exchange, or null
 * @param routingKeys the keys that it was routed by there, at most {@link #MOST_NAMES}
 * @param targets the queues it went to, at most {@link #MOST_NAMES}
 * @param removal what an operator did; null if it died
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
    List<String> targets,
    Removal removal) {
  /** The largest number of routing keys, and of queues, that is kept for a message. */
  public static final int MOST_NAMES = 16;

  /** All names of {@link #reasonName}. */
  public static final List<String> REASONS =
      Stream.concat(
              Arrays.stream(DeathReason.values()).map(DeathReason::wireName),
              Arrays.stream(Removal.Kind.values()).map(Removal.Kind::wireName))
          .toList();

  /** Takes no more names than it keeps. */
  public DeathRecord {
    routingKeys = bounded(routingKeys);
    targets = bounded(targets);
  }

  /** Describes a message that died. */
  public DeathRecord(
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
    this(
        timeMillis,
        vhost,
        queue,
        message,
        cause,
        deadlineMillis,
        fate,
        deadLetterExchange,
        routingKeys,
        targets,
        null);
  }

  /**
   * What an operator did to a single message.
   *
   * @param user who it was
   */
  public record Removal(Kind kind, String user) {
    /** What it was. */
    public enum Kind {
      /** It was removed, and went nowhere. */
      DELETED,
      /** It was put into other queues. */
      MOVED;

      /** Its name where people see it. */
      public String wireName() {
        return name().toLowerCase(Locale.ROOT);
      }
    }
  }

  /**
   * Returns the entry of a message that an operator has removed or moved.
   *
   * @param message null if its content was not in memory and did not have to be read
   * @param targets the queues it went to
   */
  public static DeathRecord removed(
      long timeMillis,
      String vhost,
      String queue,
      Message message,
      Removal removal,
      List<String> targets) {
    return new DeathRecord(
        timeMillis,
        vhost,
        queue,
        Identity.of(message),
        null,
        Deadlines.NEVER,
        null,
        null,
        List.of(),
        targets,
        removal);
  }

  /**
   * Identifies a message.
   *
   * @param messageId its property, or null
   * @param exchange the exchange it had been published to
   * @param routingKey its routing key
   */
  public record Identity(String messageId, String exchange, String routingKey) {
    /** Returns that of a message; null for none. Decodes of the properties only what it needs. */
    public static Identity of(Message message) {
      return message == null
          ? null
          : new Identity(
              RawProperties.messageId(message.content()),
              message.exchange().value(),
              message.routingKey().value());
    }
  }

  /** Returns the reason for {@code x-death}; null if an operator removed or moved it. */
  public DeathReason reason() {
    return cause == null ? null : cause.reason();
  }

  /** Returns the name of the reason, or of what an operator did. */
  public String reasonName() {
    return removal == null ? reason().wireName() : removal.kind().wireName();
  }

  /** How long after its deadline it died, in ms; 0 unless it expired. */
  public long latenessMillis() {
    return deadlineMillis == Deadlines.NEVER ? 0 : timeMillis - deadlineMillis;
  }

  private static List<String> bounded(List<String> names) {
    return names.size() <= MOST_NAMES ? names : List.copyOf(names.subList(0, MOST_NAMES));
  }
}
