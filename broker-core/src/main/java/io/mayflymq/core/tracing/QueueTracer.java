package io.mayflymq.core.tracing;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;

/** Is told what happens to the messages of one queue. Called on the queue's shard. */
public interface QueueTracer {
  /** The sequence number of a delivery that nothing settles. */
  long NO_SETTLEMENT = -1;

  /** The time of arrival where it is not known. */
  long UNKNOWN = -1;

  /** How a consumer settles a message. */
  enum Settlement {
    /** It processed the message. */
    ACKNOWLEDGED,
    /** It refused the message for good. */
    REJECTED,
    /** It gave the message back. */
    REQUEUED
  }

  /**
   * A message was delivered.
   *
   * @param sequence its number in the queue, or {@link #NO_SETTLEMENT}
   * @param enqueuedAtMillis when it arrived in the queue, in ms since the epoch, or {@link
   *     #UNKNOWN}
   * @param consumerTag the consumer, or null for {@code basic.get}
   */
  void delivered(
      long sequence,
      Message message,
      boolean redelivered,
      long enqueuedAtMillis,
      String consumerTag);

  /** A delivery was settled. */
  void settled(long sequence, Settlement settlement);

  /**
   * A message died.
   *
   * @return the message as it is dead-lettered, whose trace goes on from here
   */
  Message died(Message message, DropTrigger trigger, long enqueuedAtMillis);

  /** The queue was deleted: what is not settled will never be. */
  void closed();
}
