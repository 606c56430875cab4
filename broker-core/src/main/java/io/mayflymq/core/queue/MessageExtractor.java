package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.messages.MessageDeadlines;
import io.mayflymq.core.queue.messages.QueueMessages;
import io.mayflymq.core.store.UnsettledEntry;

/**
 * Takes single messages out of a queue, wherever they stand, for a move to another queue: not as a
 * consumer would, so that no other message is touched, and one that comes back is as it was.
 * Belongs to the queue's shard.
 */
public final class MessageExtractor {
  /** What a queue does when a message is ready again. */
  @FunctionalInterface
  interface Restored {
    void at(long nowMillis);
  }

  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final MessageRemover messageRemover;
  private final Restored restored;

  MessageExtractor(
      MessageIndex<Message> index,
      QueueMessages messages,
      MessageDeadlines deadlines,
      MessageRemover messageRemover,
      Restored restored) {
    this.index = index;
    this.messages = messages;
    this.deadlines = deadlines;
    this.messageRemover = messageRemover;
    this.restored = restored;
  }

  /** The number behind that of the last message that has come. */
  public long end() {
    return index.nextSequence();
  }

  /** The first ready message behind this number, in the order of arrival; -1 if there is none. */
  public long nextReady(long after) {
    return index.nextReady(after);
  }

  /** Whether a message is due, and only waits for somebody to see that. */
  public boolean isDue(long sequence, long nowMillis) {
    return deadlines.of(sequence) <= nowMillis;
  }

  /** A ready message; null if it cannot be read any more. */
  public Message message(long sequence) {
    return messages.peek(sequence);
  }

  /**
   * A ready message leaves for good.
   *
   * @return its entry in the log, which is for the caller to settle; null if the log has none
   */
  public UnsettledEntry take(long sequence) {
    deadlines.leaving(sequence);
    UnsettledEntry entry = messages.detach(sequence);
    messageRemover.headMoved();
    return entry;
  }

  /** A ready message waits, unacknowledged, until one of the two below is called. */
  public void lock(long sequence) {
    messages.lock(sequence);
    messageRemover.headMoved();
  }

  /** A message that was held leaves for good. */
  public void remove(long sequence) {
    messageRemover.discard(sequence);
  }

  /** A message that was held is ready again, at its place. */
  public void unlock(long sequence, long nowMillis) {
    messages.unlock(sequence);
    deadlines.requeued(sequence);
    restored.at(nowMillis);
  }
}
