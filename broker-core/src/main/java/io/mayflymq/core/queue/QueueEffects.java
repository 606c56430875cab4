package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;

/**
 * What a {@link QueueMachine} wants done. Called from within its commands, in order; an effect must
 * not call the machine back.
 */
public interface QueueEffects {
  /** A persistent message was put into the queue. */
  void stored(long sequence, Message message, long deadlineMillis, long enqueuedAtMillis);

  /** A persistent message has left the queue for good. */
  void settled(long sequence);

  /** A message died: it goes to the dead letter exchange, if there is one. */
  void died(Message message, DeathReason reason, long nowMillis);

  /**
   * Wants {@link QueueMachine#onTimer} called at or after this time. A later call replaces an
   * earlier one.
   *
   * @param deadlineMillis in ms since the epoch
   */
  void wakeAt(long deadlineMillis);

  /** The lease has ended: the queue is to be deleted. */
  void leaseEnded();
}
