package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.store.UnsettledEntry;

/**
 * What a {@link ClassicQueueMachine} wants done. Called from within its commands, in order; an
 * effect must not call the machine back.
 */
public interface QueueEffects {
  /**
   * A message died: it goes to the dead letter exchange, if there is one.
   *
   * @param message the message; null if the queue has no dead letter exchange and the content is
   *     not in memory, or if it cannot be read any more
   * @param entry its entry in the log, to be settled when it is not needed any more; null if the
   *     log does not have it
   * @param cause what decided
   * @param deadlineMillis when it was due, if it expired; else {@link Deadlines#NEVER}
   */
  void died(
      Message message,
      UnsettledEntry entry,
      DropTrigger cause,
      long deadlineMillis,
      long nowMillis);

  /**
   * A message cannot be read.
   *
   * @param reason what was found, in a few words
   * @param kept whether it stays in the queue, set aside; otherwise it leaves with the queue
   */
  void unreadable(long sequence, String reason, boolean kept);

  /**
   * Wants {@link ClassicQueueMachine#onTimer} called at or after this time. A later call replaces
   * an earlier one.
   *
   * @param deadlineMillis in ms since the epoch
   */
  void wakeAt(long deadlineMillis);

  /** The lease has ended: the queue is to be deleted. */
  void leaseEnded();
}
