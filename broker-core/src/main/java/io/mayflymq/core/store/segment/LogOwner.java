package io.mayflymq.core.store.segment;

/** The owner of the queues whose messages a log holds, as compaction asks and tells it. */
public interface LogOwner {
  /** Whether the queue still has this message, and has it at this location. */
  boolean isLive(long queueId, long sequence, long location);

  /** A message of a queue has been copied; it is to be read and settled at its new location now. */
  void moved(long queueId, long sequence, long from, long to);
}
