package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;

/** A queue from which messages are removed, singly or all at once. Belongs to the queue's shard. */
public interface MessageSource {
  /**
   * Takes the first message for {@code basic.get}.
   *
   * @param acknowledges whether it stays unacknowledged until settled
   * @return null if no message is ready
   */
  GetResult fetch(boolean acknowledges, long nowMillis);

  /** Returns an operation that removes all ready messages. */
  Purge purge();

  /** Returns what takes single messages out of the queue. */
  MessageExtractor messageExtractor();

  /**
   * Returns the first ready message; null if there is none or if reading it would cost too much.
   */
  Message peekHead();
}
