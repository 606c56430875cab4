package io.mayflymq.core.queue;

/** A queue whose messages take memory. Belongs to the queue's shard. */
public interface MemoryBound {
  /**
   * Periodic maintenance: a queue that is empty and was not used since the last call frees the
   * memory that it keeps for the next message.
   */
  void trimMemory();

  /** Returns about how many bytes of memory its messages take. */
  long memoryBytes();

  /**
   * Returns how long a publisher of very many messages should pause, in ms, if consumers that have
   * room are nevertheless behind; 0 if no pause is needed.
   */
  int pauseMillis();
}
