package io.mayflymq.core.store;

/**
 * A message that leaves one queue of a partition and enters others, as one record of the log: after
 * a crash it is either here or there. {@link PartitionStore#move} begins one.
 *
 * <p>The queues that it enters are collected first: each is given the message together with the
 * move, and its store adds the entry ({@link QueueStore#enter}). Then the move is written, once,
 * also after an exception. Until then the new entries have no location: {@link QueueStore#NOWHERE}.
 *
 * <p>Belongs to the shard's thread. A partition has one move at a time.
 */
public interface Move {
  /**
   * Adds an entry; called by the store of a queue.
   *
   * @param queueId the queue that the message enters
   * @param sequence its number there
   * @param deadlineMillis its deadline by its own TTL as the log has it, in ms since the epoch;
   *     {@link Long#MAX_VALUE} for none
   */
  void add(long queueId, long sequence, long deadlineMillis);

  /**
   * Writes the move. Each new entry that is still in its queue gets its location by {@link
   * RecoverableQueue#moved}; if the record cannot be written, they leave their queues again.
   *
   * @param nowMillis when the message enters the queues, in ms since the epoch
   * @param keepSource whether the message also stays in the log where it was, because one of the
   *     queues has failed: after a restart it is back in its queue
   */
  void write(long nowMillis, boolean keepSource);
}
