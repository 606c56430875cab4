package io.mayflymq.core.queue;

import java.util.function.Consumer;

/**
 * Goes through the ready messages of a queue in the order of delivery, in small steps. The queue
 * goes on working between the steps: a message that arrives or leaves meanwhile may or may not be
 * seen. Changes nothing. Belongs to the queue's shard.
 */
public interface MessageBrowser {
  /**
   * Does a little work: shows the next message, or comes closer to it.
   *
   * @return false if there is none left
   */
  boolean step(long nowMillis, Consumer<BrowsedMessage> sink);

  /** Releases its resources. No other method may be called afterwards. */
  default void close() {}
}
