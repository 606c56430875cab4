package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;

/**
 * Stores one stream: messages with ascending numbers, their offsets. New messages are appended, and
 * the oldest are deleted, a whole segment at a time.
 *
 * <p>Consumers get only messages that are safe: the message at an offset never changes after a
 * consumer has seen it. Belongs to the shard's thread, except for {@link #attach}.
 */
public interface StreamStore {
  /**
   * Sets the stream that reads from it; called once, before anything else, by the thread that makes
   * it.
   */
  void attach(RecoverableStream stream);

  /**
   * Sets the size at which a segment ends and the next begins.
   *
   * @param bytes a positive number; the store limits it to a range of its own
   */
  void segmentBytes(long bytes);

  /**
   * Appends a message. It is safe with the next {@link PartitionStore#commit}, or soon after
   * without one.
   *
   * @param message as it is delivered to consumers
   * @param nowMillis when it arrived, in ms since the epoch
   */
  void append(Message message, long nowMillis);

  /** Returns the offset of the oldest message; {@link #nextOffset} if there is none. */
  long firstOffset();

  /** Returns the offset that the next message will have. */
  long nextOffset();

  /** Returns the offset after the last message that is safe. */
  long safeOffset();

  /** Returns how many bytes the stream takes on disk. */
  long bytes();

  /**
   * Returns the offset of the first message of the last batch; {@link #nextOffset} if there is
   * none.
   */
  long lastBatchOffset();

  /**
   * Returns the offset of the first message that arrived at or after this time, in ms since the
   * epoch.
   */
  long offsetAt(long timeMillis);

  /**
   * Begins to read.
   *
   * @param offset where to begin: at the first existing message if that one has been deleted, and
   *     at its arrival if it does not exist yet
   */
  StreamCursor read(long offset);

  /**
   * Deletes the oldest segments: those by which the stream exceeds its largest size, and those
   * whose messages are all too old. The last segment stays.
   *
   * @param maxBytes how large it may be, 0 or more, or -1
   * @param maxAgeMillis how old messages may be, 0 or more, or -1
   * @param nowMillis the time in ms since the epoch
   * @return when the next segment will be too old, in ms since the epoch; {@link Long#MAX_VALUE} if
   *     that is not known yet
   */
  long retain(long maxBytes, long maxAgeMillis, long nowMillis);

  /** Returns the offset of the oldest message after a call of {@link #retain}; changes nothing. */
  long firstRetained(long maxBytes, long maxAgeMillis, long nowMillis);

  /** Deletes the stream with all its messages. */
  void forget();
}
