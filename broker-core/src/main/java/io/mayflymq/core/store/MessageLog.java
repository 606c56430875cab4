package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;

/**
 * The log of a shard: what entered its durable queues and what has left them. Append-only; written
 * by the shard's thread alone, made safe by another.
 *
 * <p>Confirms hang on {@link #commit}: everything that a burst wrote becomes safe together.
 */
public interface MessageLog {
  /**
   * A persistent message entered a durable queue.
   *
   * @param queueId the queue, unique in the shard's lifetime
   * @param sequence its number in the queue
   * @param deadlineMillis its deadline in ms since the epoch, {@link Long#MAX_VALUE} for none
   * @param enqueuedAtMillis when it came, in ms since the epoch
   */
  void stored(
      long queueId, long sequence, Message message, long deadlineMillis, long enqueuedAtMillis);

  /** A persistent message has left its durable queue for good. */
  void settled(long queueId, long sequence);

  /** A queue has gone with all its messages. */
  void forgotten(long queueId);

  /**
   * Runs a task once everything written so far is safe. Tasks run in the order of the calls.
   *
   * @param whenSafe runs on this thread, at once, if nothing has to be waited for; else on any
   *     thread
   */
  void commit(Runnable whenSafe);
}
