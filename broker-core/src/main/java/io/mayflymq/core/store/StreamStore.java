package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;

/**
 * Where one stream is kept: messages with ascending numbers, their offsets, to which new ones are
 * appended and of which the oldest go, a whole segment at a time.
 *
 * <p>Consumers are given only what is safe: what they have seen under an offset stays there.
 * Belongs to the shard's thread, except for {@link #attach}.
 */
public interface StreamStore {
  /** Names who reads from it; called once, before anything else, by the thread that makes it. */
  void attach(RecoverableStream stream);

  /**
   * Sets the size at which a segment ends and the next begins.
   *
   * @param bytes a positive number; the store has bounds of its own
   */
  void segmentBytes(long bytes);

  /**
   * Appends a message. It is safe with the next {@link ShardStore#commit}, or soon after without
   * one.
   *
   * @param message as it is given to consumers
   * @param nowMillis when it came, in ms since the epoch
   */
  void append(Message message, long nowMillis);

  /** The offset of the oldest message; {@link #nextOffset} if there is none. */
  long firstOffset();

  /** The offset that the next message will have. */
  long nextOffset();

  /** The offset behind the last message that is safe. */
  long safeOffset();

  /** How many bytes the stream takes on disk. */
  long bytes();

  /** The offset of the first message of the last batch; {@link #nextOffset} if there is none. */
  long lastBatchOffset();

  /** The offset of the first message that came at or after this time, in ms since the epoch. */
  long offsetAt(long timeMillis);

  /**
   * Begins to read.
   *
   * @param offset where; if that has gone, at the first message that is there, and if it has not
   *     come yet, when it comes
   */
  StreamCursor read(long offset);

  /**
   * Deletes the oldest segments: those without which the stream is still larger than it may be, and
   * those whose messages are all too old. The last one stays.
   *
   * @param maxBytes how large it may be, 0 or more, or -1
   * @param maxAgeMillis how old messages may be, 0 or more, or -1
   * @param nowMillis the time in ms since the epoch
   * @return when the next segment will be too old, in ms since the epoch; {@link Long#MAX_VALUE} if
   *     that is not known yet
   */
  long retain(long maxBytes, long maxAgeMillis, long nowMillis);

  /** The offset of the oldest message if {@link #retain} were called; changes nothing. */
  long firstRetained(long maxBytes, long maxAgeMillis, long nowMillis);

  /** The stream has gone with all that it has. */
  void forget();
}
