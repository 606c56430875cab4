package io.mayflymq.core.queue.browse;

import java.util.function.Consumer;

/**
 * Goes through the ready messages of a queue in the order in which they would be served, in small
 * steps between which the queue lives on. What comes or goes meanwhile is seen or is not; nothing
 * is changed. Belongs to the queue's shard.
 */
public interface MessageBrowser {
  /**
   * Does a little work: shows the next message, or gets nearer to it.
   *
   * @return false if there is none left
   */
  boolean step(long nowMillis, Consumer<BrowsedMessage> sink);

  /** Lets go of what it holds. Nothing may be called afterwards. */
  default void close() {}
}
