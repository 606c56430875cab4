package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;

/** A queue whose messages may be dead-lettered. Belongs to the queue's shard. */
public interface DeadLettering {
  /**
   * Dead-letters some of the queue's messages, ready or unacknowledged, before the queue is
   * deleted; to be called until none is left.
   *
   * @param cause why the queue is deleted
   * @return whether no message is left
   */
  boolean deadLetterAll(DropTrigger cause, long nowMillis);

  /** Sets how many of the queue's dead letters wait for another queue to take them. */
  void deadLettersWait(long count, long bytes);
}
