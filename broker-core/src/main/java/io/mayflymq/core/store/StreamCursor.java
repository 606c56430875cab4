package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;

/** A consumer's position in a stream, from which it reads on. Belongs to the shard's thread. */
public interface StreamCursor extends AutoCloseable {
  /**
   * Moves to the next message. Messages that retention has deleted meanwhile, or that cannot be
   * read, are skipped.
   *
   * @return false if the next message is not safe yet, or does not exist yet
   */
  boolean next();

  /** Returns the offset of the current message. */
  long offset();

  /** Returns the offset of the next message to read, or one before it. */
  long nextOffset();

  /** Returns the current message. */
  Message message();

  /** Releases its resources. No other method may be called afterwards. */
  @Override
  void close();
}
