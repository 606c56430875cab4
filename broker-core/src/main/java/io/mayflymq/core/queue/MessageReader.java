package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.QueueMessages;

/**
 * Reads all messages of a queue in the order of their numbers, ready or not, and changes nothing:
 * for a copy that another broker keeps. The queue may change between any two calls. Belongs to the
 * queue's shard.
 */
public final class MessageReader {
  private final QueueMessages messages;
  private final MessageIndex<Message> index;

  MessageReader(QueueMessages messages) {
    this.messages = messages;
    this.index = messages.index();
  }

  /** Returns the number of the next message that arrives. */
  public long end() {
    return index.nextSequence();
  }

  /**
   * Returns how many messages there are. Together with {@link #end} it says which: no number is
   * given to another message, so as long as none arrives there can only be fewer.
   */
  public long count() {
    return index.readyCount() + index.unackedCount();
  }

  /** Returns the sizes of their bodies, in bytes. */
  public long bytes() {
    return index.readyBytes() + index.unackedBytes();
  }

  /** Returns the number of the first message after a number; -1 if there is none. */
  public long next(long after) {
    return index.next(after);
  }

  /** Returns a message; null if it cannot be read. */
  public Message message(long sequence) {
    return messages.peek(sequence);
  }

  /**
   * Returns when a message arrived, in ms since the epoch; later by what time stood still since, as
   * the other broker does not know of that.
   */
  public long enqueuedAt(long sequence) {
    return index.enqueuedAt(sequence) + messages.deadlines().stoppedSince(sequence);
  }

  /**
   * Returns when a message expires by what it brought along, or is due if it is scheduled, in ms
   * since the epoch; {@link Long#MAX_VALUE} if it does not, and negative for a moment that does not
   * depend on when it arrived.
   */
  public long ownDeadline(long sequence) {
    long own = messages.deadlines().inLog(sequence);
    return own == Deadlines.NEVER || Deadlines.isAbsolute(own)
        ? own
        : own + messages.deadlines().stoppedSince(sequence);
  }

  /** Returns how often consumers have returned a message, as DeliveryCount packs it. */
  public long returns(long sequence) {
    return index.returns(sequence);
  }
}
