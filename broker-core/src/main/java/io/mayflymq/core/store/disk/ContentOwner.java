package io.mayflymq.core.store.disk;

/** The owner of the queues whose contents are in a {@link ContentArena}. */
interface ContentOwner {
  /** Whether the queue still has this message, and has its content at this location. */
  boolean isLive(long queueId, long sequence, long location);

  /** Called when a content has been copied: it has to be read and released at its new location. */
  void moved(long queueId, long sequence, long from, long to);
}
