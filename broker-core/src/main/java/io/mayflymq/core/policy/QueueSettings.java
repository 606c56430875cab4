package io.mayflymq.core.policy;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;

/**
 * The effective settings of a queue. Derived from its arguments, from policies and from defaults;
 * times in ms, {@link #NONE} for a setting that is absent.
 *
 * @param type the type of queue
 * @param singleActiveConsumer whether only one consumer gets messages at a time
 * @param maxPriority the highest priority that it supports, 0 to 255, or {@link #NO_PRIORITIES}
 * @param expiry when messages expire
 * @param lease how long it may stay unused
 * @param length the length limits
 * @param deadLetters what happens to its dead messages
 * @param deliveries what happens to deliveries that are not acknowledged
 * @param recoverable which messages can be brought back after they have left
 * @param pace how fast messages may enter and leave it
 * @param stream what applies to streams only
 */
public record QueueSettings(
    QueueType type,
    boolean singleActiveConsumer,
    int maxPriority,
    ExpirySettings expiry,
    LeaseSettings lease,
    LengthSettings length,
    DeadLetterSettings deadLetters,
    DeliverySettings deliveries,
    RecoverableSettings recoverable,
    PaceSettings pace,
    StreamSettings stream) {

  /** No such limit. */
  public static final long NONE = -1;

  /** The {@link #maxPriority} of a queue that ignores priorities. */
  public static final int NO_PRIORITIES = -1;

  /** The highest priority of a quorum queue that tells priorities apart. */
  public static final int HIGHEST_OF_QUORUM_QUEUES = 31;

  /** A queue without any argument or policy. */
  public static final QueueSettings DEFAULT = QueueValues.NONE.settings();

  static QueueSettings of(QueueValues values) {
    return new QueueSettings(
        values.type(),
        values.singleActiveConsumer(),
        values.dialect().maxPriority(values.type(), values.maxPriority()),
        ExpirySettings.of(values),
        LeaseSettings.of(values),
        LengthSettings.of(values),
        DeadLetterSettings.of(values),
        DeliverySettings.of(values),
        RecoverableSettings.of(values),
        PaceSettings.of(values),
        StreamSettings.of(values));
  }

  /** Whether the queue supports priorities. */
  public boolean hasPriorities() {
    return maxPriority != NO_PRIORITIES;
  }

  /**
   * Whether a message that arrives may lead to a dead letter at once: itself, or the oldest
   * message.
   */
  public boolean deadLettersOnArrival() {
    return deadLetters.areWanted() && (mayKillOnArrival() || expiry.messageTtlMillis() == 0);
  }

  /** Whether this message, which may have a TTL of its own, may lead to a dead letter at once. */
  public boolean deadLettersOnArrivalOf(Message message) {
    return deadLetters.areWanted()
        && (message.ttlMillis() == 0 || mayKillOnArrival() || expiry.messageTtlMillis() == 0);
  }

  /** Whether the limit may end a message when one arrives. */
  private boolean mayKillOnArrival() {
    return length.isLimited() && length.overflow() != Overflow.BLOCK;
  }

  /**
   * Whether the queue dead-letters what it refuses: a dead letter that it refuses is not lost then.
   */
  public boolean deadLettersWhatItRefuses() {
    return length.overflow() == Overflow.REJECT_PUBLISH_DLX
        && deadLetters.areWantedOn(DeathReason.MAXLEN);
  }

  /**
   * Whether every message that dies for this reason waits until a queue has it: not one that the
   * queue refuses, since its publisher is told so.
   */
  public boolean deadLettersAtLeastOnce(DeathReason reason) {
    boolean isRefused =
        reason == DeathReason.MAXLEN && length.overflow() == Overflow.REJECT_PUBLISH_DLX;
    return deadLetters.atLeastOnce() && !isRefused;
  }

  /**
   * Whether the queue counts how often each message is returned, and sends the count to consumers:
   * a quorum queue, and any other queue with a delivery limit or retry delays.
   */
  public boolean countsReturns() {
    return type == QueueType.QUORUM
        || deliveries.limit() != NONE
        || deliveries.retry().type() != RetryType.DISABLED;
  }
}
