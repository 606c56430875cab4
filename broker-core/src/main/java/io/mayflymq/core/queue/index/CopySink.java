package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.Message;

/** Receives the messages of a queue that is copied, and what becomes of those that it has. */
public interface CopySink {
  /**
   * A message that was not told before. They come in the order of their numbers.
   *
   * @param sequence its number
   * @param deadlineMillis its own deadline, in ms since the epoch; {@link Long#MAX_VALUE} for none
   * @param enqueuedAtMillis when it arrived, in ms since the epoch
   * @param redelivered whether it may have been delivered before
   * @param returns how often consumers have returned it, as {@link DeliveryCount} packs it
   */
  void message(
      long sequence,
      Message message,
      long deadlineMillis,
      long enqueuedAtMillis,
      boolean redelivered,
      long returns);

  /** A message that was told before has been returned to the queue. */
  void returned(long sequence, long returns);

  /** A message has left the queue for good. It need not have been told before. */
  void left(long sequence);

  // At the end

  /** A message is with a consumer. */
  void taken(long sequence);

  /**
   * A message waits for its retry.
   *
   * @param untilMillis when its wait ends, in ms since the epoch
   */
  void waits(long sequence, long untilMillis);

  /** A message is delivered before all that are not ahead, and behind those that were told so. */
  void ahead(long sequence);

  /** The number of the next message that arrives. */
  void next(long sequence);
}
