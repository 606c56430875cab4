package io.mayflymq.core.store.segment;

/**
 * The queues of a replica, as its log sees them: they receive what the log has when it is opened,
 * and then what it takes from a leader, as if that were a recovery without an end.
 */
public interface ReplicaQueues extends RecoveryVisitor {
  /**
   * Removes entries of a queue and visits them.
   *
   * @param queueId the queue; it may have none of these entries
   * @param from the lowest number
   * @param to the highest one; {@link Long#MAX_VALUE} for all that the queue has
   */
  void take(long queueId, long from, long to, TakenSink sink);

  /**
   * Does to entries of a queue what {@link #removed} does, wherever they are, and visits them.
   * Parameters as there and in {@link #take}.
   */
  void remove(long queueId, long from, long to, long stamp, TakenSink sink);

  /** Receives entries that have been removed. */
  @FunctionalInterface
  interface TakenSink {
    /**
     * Receives one entry.
     *
     * @param location where it was stored
     * @param bodyLength the length of its body in bytes
     */
    void accept(long sequence, long location, int bodyLength);
  }
}
