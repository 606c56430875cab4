package io.mayflymq.core.queue;

import io.mayflymq.core.queue.index.CopiedMessages;
import io.mayflymq.core.queue.index.CopySink;
import io.mayflymq.core.queue.index.MessageCopy;

/**
 * A queue that can be moved to another place: its messages are copied while it goes on, at last
 * without handing out any. Belongs to the queue's shard.
 */
public interface MovableQueue {
  /** Begins to copy its messages. At most one copy is under way. */
  MessageCopy copyMessages();

  /**
   * Tells the end of a copy.
   *
   * @see MessageCopy#end
   */
  void endCopy(MessageCopy copy, CopySink sink);

  /** Returns what takes the messages of another place, before the queue starts here. */
  CopiedMessages copiedMessages();

  /** Returns whether messages are with consumers, or {@code basic.get} has taken them. */
  boolean hasTaken();

  /**
   * Returns whether messages have died whose dead letters are not known to be safe elsewhere; they
   * would not be copied.
   */
  boolean hasUnsettled();

  /** Hands out no messages from now on. */
  void suspendDeliveries();

  /** Hands out messages again. */
  void resumeDeliveries(long nowMillis);

  /**
   * Returns when the queue was last used, in ms since the epoch, as far as its lease counts that.
   */
  long lastUseMillis(long nowMillis);

  /** Lets the lease run since this time, at which the queue was last used at another place. */
  void setLastUse(long millis);
}
