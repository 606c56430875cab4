package io.mayflymq.core.store.memory;

/** The owner of the queues whose contents are in a {@link ContentArena}. */
public interface ContentOwner {
  /** Whether the queue still has this message, and has its content at this location. */
  boolean isLive(long queueId, long sequence, long location);

  /** The content of a message has been copied: it is to be read and released there from now on. */
  void moved(long queueId, long sequence, long from, long to);
}
