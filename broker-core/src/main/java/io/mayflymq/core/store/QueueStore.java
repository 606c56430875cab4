package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;

/**
 * Where the messages of one queue are kept beside its index: the persistent ones of a durable queue
 * in the log of the shard, and the contents of others packed, in memory or in a file.
 *
 * <p>Belongs to the shard's thread, except for {@link #attach}.
 */
public interface QueueStore {
  /** The location of what is in no file. */
  long NOWHERE = 0;

  /** Names the queue; called once, before anything else, by the thread that makes the queue. */
  void attach(RecoverableQueue queue);

  // Memory

  /**
   * A message enters the queue: whether its content may stay in memory as it is. If not, it is read
   * from where it is stored when it is needed.
   *
   * @param soon whether that is likely to be soon
   */
  boolean admit(Message message, boolean soon);

  /**
   * A message has left the queue.
   *
   * @param message its content, if that was in memory; else null
   */
  void left(Message message);

  /**
   * Puts the content of a message that is not in the log elsewhere, where it lives no longer than
   * the process.
   *
   * @return where it can be read
   */
  long page(long sequence, Message message);

  /** The content is not needed there any more. */
  void unpage(long location, int bodyLength);

  /**
   * Reads a content.
   *
   * @param location where it is
   * @param paged whether {@link #page} put it there, else {@link #store} did
   * @throws UnreadableException if that cannot be done now; the content stays where it is
   */
  Message read(long location, boolean paged);

  /**
   * Whether a content may be read now that is wanted for information only. A shard reads files for
   * a thousand of those a second, as many may be asked for at once.
   *
   * @param location where it is, as for {@link #read}
   */
  boolean mayReadInPassing(long location, boolean paged);

  // The log

  /** Whether a message that enters the queue is to outlive the process. */
  boolean isPersistent(Message message);

  /**
   * Logs that a message has entered the queue.
   *
   * @param sequence its number
   * @param ownDeadlineMillis its deadline by its own time to live in ms since the epoch, {@link
   *     Long#MAX_VALUE} for none; what the queue adds to that is settled anew at each start
   * @param enqueuedAtMillis when it came, in ms since the epoch
   * @return where it can be read; {@link #NOWHERE} if that will be told through {@link
   *     RecoverableQueue#moved}
   */
  long store(long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis);

  /** A message that was stored is being delivered, to be acknowledged. */
  void delivered(long sequence);

  /**
   * A message that was stored has come back from a consumer, or is delivered again after that.
   *
   * @param returns how often it has come back
   * @param untilMillis when its wait ends, in ms since the epoch; {@link RedeliveryNotes#READY} or
   *     {@link RedeliveryNotes#TAKEN} if it does not wait
   */
  void returned(long sequence, int returns, long untilMillis);

  /** A message that was stored has left the queue for good. */
  void settle(long sequence, long location, int bodyLength);

  /**
   * A message that was stored has died. It stays in the log until the entry is settled through
   * {@link ShardStore}.
   */
  UnsettledEntry detach(long sequence, long location, int bodyLength);

  /** The queue has gone with all that it has. */
  void forget();
}
