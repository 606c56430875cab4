package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;

/** A place in a stream, from which a consumer reads on. Belongs to the shard's thread. */
public interface StreamCursor extends AutoCloseable {
  /**
   * Goes to the next message. What retention has deleted meanwhile, or cannot be read any more, is
   * passed over.
   *
   * @return false if it is not safe yet, or has not come
   */
  boolean next();

  /** The offset of the message that {@link #next} went to. */
  long offset();

  /** The message that {@link #next} went to. */
  Message message();

  /** Lets go of what it holds. Nothing may be called afterwards. */
  @Override
  void close();
}
