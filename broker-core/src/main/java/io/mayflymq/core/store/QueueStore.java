package io.mayflymq.core.store;

import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.Message;

/**
 * Stores the messages of one queue beside its index: those that survive a restart in the log of the
 * shard, and the contents of others packed, in memory or in a file.
 *
 * <p>Belongs to the shard's thread, except for {@link #attach}.
 */
public interface QueueStore {
  /** The location of a message that is in no file, or not yet. */
  long NOWHERE = 0;

  /** Which of a queue's messages survive a restart. */
  enum Kept {
    /** None: the queue is transient. */
    NONE,
    /** The persistent ones. */
    PERSISTENT,
    /** All of them, whatever their publishers have asked for. */
    ALL
  }

  /** Sets the queue; called once, before anything else, by the thread that makes the queue. */
  void attach(RecoverableQueue queue);

  // Memory

  /**
   * Called when a message enters the queue. Returns whether its content may stay in memory as an
   * object. If not, it is read from where it is stored when it is needed.
   *
   * @param soon whether it is likely to be needed soon
   */
  boolean admit(Message message, boolean soon);

  /**
   * Called when a message has left the queue.
   *
   * @param message its content if that was in memory, else null
   */
  void left(Message message);

  /**
   * Returns about how many bytes of memory the contents of the queue take: all but those that are
   * in the log alone. Contents that {@link #page} stored count, whether they are in a file or not.
   */
  long memoryBytes();

  /**
   * Moves the content of a message that is not in the log to other memory or a file, which is lost
   * when the broker stops.
   *
   * @return where it can be read
   */
  long page(long sequence, Message message);

  /** Frees a content that {@link #page} stored. */
  void unpage(long location, int bodyLength);

  /**
   * Reads a content.
   *
   * @param location where it is
   * @param paged whether {@link #page} stored it, else {@link #store} did
   * @throws UnreadableException if it cannot be read now; the content stays where it is
   */
  Message read(long location, boolean paged);

  /**
   * Whether a content may be read now that is needed for information only. A shard allows a
   * thousand such reads of files a second, as many may be requested at once.
   *
   * @param location where it is, as for {@link #read}
   */
  boolean mayReadInPassing(long location, boolean paged);

  // The log

  /** Whether a message that enters the queue has to survive a restart. */
  boolean isPersistent(Message message);

  /**
   * Logs that a message has entered the queue.
   *
   * @param sequence its number
   * @param ownDeadlineMillis its deadline by its own TTL in ms since the epoch, {@link
   *     Long#MAX_VALUE} for none, and negative for a moment that does not depend on its arrival;
   *     the effect of the queue's settings is computed again at each start
   * @param enqueuedAtMillis when it arrived, in ms since the epoch
   * @return where it can be read
   */
  long store(long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis);

  /**
   * Adds to a move that its message has entered the queue. Until the move is written its location
   * is {@link #NOWHERE}. Other parameters as in {@link #store}.
   */
  void enter(Move move, long sequence, long ownDeadlineMillis);

  /** Logs that a stored message is being delivered and has to be acknowledged. */
  void delivered(long sequence);

  /**
   * Logs that a stored message was returned by a consumer, or is delivered again after that.
   *
   * @param returns how often it has been returned, as {@link DeliveryCount} packs it
   * @param untilMillis when its wait ends, in ms since the epoch; {@link RedeliveryNotes#READY} or
   *     {@link RedeliveryNotes#TAKEN} if it does not wait
   */
  void returned(long sequence, long returns, long untilMillis);

  /** Logs that a stored message has left the queue for good. */
  void settle(long sequence, long location, int bodyLength);

  /**
   * Logs that a stored message has left the queue and can be brought back. It stays where it is,
   * with the id of {@link StoreIds#ofRemoved}; the store of that is told by {@link #tookOver}.
   *
   * @param stamp when and why, as {@link RemovalStamp} packs it
   */
  void removed(long sequence, long location, long stamp);

  /** A message has entered that the log has already. */
  void tookOver();

  /**
   * Called when a stored message has died. It stays in the log until the entry is settled through
   * {@link PartitionStore}.
   */
  UnsettledEntry detach(long sequence, long location, int bodyLength);

  /**
   * Returns whether messages of the queue have died whose dead letters are not known to be safe
   * elsewhere: the log keeps them here.
   */
  default boolean hasUnsettled() {
    return false;
  }

  /** Deletes the queue with all its messages. */
  void forget();
}
