package io.mayflymq.core.store;

/** A queue as its store sees it. Called on the shard's thread. */
public interface RecoverableQueue {
  /**
   * At start: a message that was in the queue. Numbers need not come in order.
   *
   * @param sequence its number
   * @param ownDeadlineMillis its deadline by its own time to live, in ms since the epoch
   * @param enqueuedAtMillis when it came, in ms since the epoch
   * @param priority its priority, 0 to 255
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

  /** At start: whether the queue has the message, and where; {@link QueueStore#NOWHERE} if not. */
  long locationOf(long sequence);

  /** The deadline that a message was stored with, in ms since the epoch. */
  long ownDeadlineOf(long sequence);

  /** At start: a message had left the queue. @return the length of its body in bytes */
  int settled(long sequence);

  /** At start: messages up to this number may have been delivered before. */
  void recoveredDelivered(long upTo);

  /**
   * At start: messages had come back from consumers.
   *
   * @param notes which ones, packed by {@link RedeliveryNotes}
   * @param all whether what was told before is void
   */
  void recoveredReturns(byte[] notes, boolean all);

  /**
   * Notes how often the messages have come back that are still here, and until when they wait, as
   * far as {@link QueueStore#returned} or a start has told.
   *
   * @param mostBytes no more is added once the notes take so much
   */
  void noteReturns(RedeliveryNotes notes, int mostBytes);

  /** Whether the queue still has this message, and has it at this location. */
  boolean isLive(long sequence, long location, boolean paged);

  /** A message is to be read and settled at a new location now. */
  void moved(long sequence, long location);

  /** A message that has just come could not be stored: the queue has it no more. */
  void discard(long sequence);

  /** Names each message that is in the log or a file once. */
  void forEachStored(EntrySink sink);

  /** Takes entries. */
  @FunctionalInterface
  interface EntrySink {
    /** Takes one. */
    void accept(long sequence, long location, int bodyLength, long enqueuedAtMillis, boolean paged);
  }
}
