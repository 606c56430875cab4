package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.PartitionCounts;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.tracing.QueueTracer;

/**
 * What a {@link ClassicQueueMachine} wants done outside of itself. Its methods are called from
 * within the machine's commands, in order; they must not call the machine.
 */
public interface QueueEffects extends QueueLease.Watch {
  /**
   * Called when a message died: it goes to the dead letter exchange, if there is one.
   *
   * @param message the message; null if the queue has no dead letter exchange and the content is
   *     not in memory, or if it cannot be read any more
   * @param entry its entry in the log, to be settled when it is not needed any more; null if the
   *     message is not in the log
   * @param cause what caused the death
   * @param deadlineMillis the message's deadline if it expired, else {@link Deadlines#NEVER}
   */
  void died(
      Message message,
      UnsettledEntry entry,
      DropTrigger cause,
      long deadlineMillis,
      long nowMillis);

  /**
   * Returns whether a queue would take the dead letter of a message that is to be dead-lettered.
   * Asked before it dies, if it can be brought back otherwise.
   *
   * @param message the message; null if it cannot be read
   */
  default boolean isTaken(Message message, DropTrigger cause, long nowMillis) {
    return true;
  }

  /**
   * Called before a message dies at the deadline of its header.
   *
   * @param deadlineMillis the deadline, in ms since the epoch
   * @param arrivedMillis when the message arrived, in ms since the epoch
   */
  default void deadlineOver(
      Message message, long deadlineMillis, long arrivedMillis, long nowMillis) {
    // It is not told.
  }

  /**
   * Called when messages that could be brought back were let go before their time was over.
   *
   * @param bytes what they count together
   */
  default void letGo(PartitionCounts.LetGo cause, long messages, long bytes) {
    // It is not counted.
  }

  /**
   * Called when a message cannot be read.
   *
   * @param reason what is wrong, in a few words
   * @param kept whether it is set aside and stays in the queue; otherwise it is deleted with the
   *     queue
   */
  void unreadable(long sequence, String reason, boolean kept);

  /**
   * Requests that {@link ClassicQueueMachine#onTimer} is called at or after this time. A later call
   * replaces an earlier one.
   *
   * @param deadlineMillis in ms since the epoch
   */
  void wakeAt(long deadlineMillis);

  /** Called when the lease has ended: the queue has to be deleted. */
  void leaseEnded();

  @Override
  default void leaseMoved(long lastUseMillis, long periodMillis) {
    // Nothing has to be known of the lease elsewhere.
  }

  /** Returns what is told of the messages of the queue, for traces; null if nothing is. */
  default QueueTracer tracer() {
    return null;
  }
}
