package io.mayflymq.core.store;

/** A queue as its store sees it. Called on the shard's thread. */
public interface RecoverableQueue {
  /**
   * At start: recovers a message of the queue. Numbers need not come in order.
   *
   * @param sequence its number
   * @param ownDeadlineMillis its deadline by its own TTL, in ms since the epoch
   * @param enqueuedAtMillis when it arrived, in ms since the epoch
   * @param priority its priority, 0 to 255, or {@link io.mayflymq.core.message.Message#NO_PRIORITY}
   * @param bodyLength the length of its body in bytes
   * @param location where it can be read
   * @return false if the queue has it already
   */
  boolean recovered(
      long sequence,
      long ownDeadlineMillis,
      long enqueuedAtMillis,
      int priority,
      int bodyLength,
      long location);

  /**
   * At start: returns the location of a message; {@link QueueStore#NOWHERE} if the queue does not
   * have it.
   */
  long locationOf(long sequence);

  /**
   * Returns the deadline that a message was stored with, in ms since the epoch; of a message that
   * was removed and can be brought back, its {@link RemovalStamp}.
   */
  long ownDeadlineOf(long sequence);

  /** Returns when a message arrived, in ms since the epoch. */
  long arrivalOf(long sequence);

  /**
   * At start: removes a message that had left the queue. @return the length of its body in bytes
   */
  int settled(long sequence);

  /** At start: messages up to this number may have been delivered before. */
  void recoveredDelivered(long upTo);

  /**
   * At start: messages had been returned by consumers.
   *
   * @param notes which ones, packed by {@link RedeliveryNotes}
   * @param all whether earlier notes about the queue are void
   */
  void recoveredReturns(byte[] notes, boolean all);

  /**
   * Notes how often the present messages have been returned, and until when they wait, as far as
   * {@link QueueStore#returned} or a start has reported it.
   *
   * @param mostBytes no more is added once the notes take this many bytes
   */
  void noteReturns(RedeliveryNotes notes, int mostBytes);

  /** Whether the queue still has this message at this location. */
  boolean isLive(long sequence, long location, boolean paged);

  /** Sets the new location of a message that was copied. */
  void moved(long sequence, long location);

  /** Removes a message that has just arrived and could not be stored. */
  void discard(long sequence);

  /** Visits each message that is in the log or a file once. */
  void forEachStored(EntrySink sink);

  /** Receives entries. */
  @FunctionalInterface
  interface EntrySink {
    /** Receives one entry. */
    void accept(long sequence, long location, int bodyLength, long enqueuedAtMillis, boolean paged);
  }
}
