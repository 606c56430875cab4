package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.UnsettledEntry;

/**
 * Takes single messages, at any position, out of a queue to move them to another queue. Unlike a
 * delivery to a consumer this affects no other message, and a message that is put back is
 * unchanged. Belongs to the queue's shard.
 */
public final class MessageExtractor {
  /** Called by the extractor when a message is ready again. */
  @FunctionalInterface
  interface Restored {
    void at(long nowMillis);
  }

  private final QueueState state;
  private final MessageRemover messageRemover;
  private final Restored restored;

  MessageExtractor(QueueState state, MessageRemover messageRemover, Restored restored) {
    this.state = state;
    this.messageRemover = messageRemover;
    this.restored = restored;
  }

  /** Returns the sequence number after that of the newest message. */
  public long end() {
    return state.index.nextSequence();
  }

  /**
   * Returns the first ready message after this number, in order of arrival; -1 if there is none.
   */
  public long nextReady(long after) {
    return state.index.nextReady(after);
  }

  /** Whether a message's deadline has passed, and the message has only not been removed yet. */
  public boolean isDue(long sequence, long nowMillis) {
    return state.deadlines.of(sequence) <= nowMillis;
  }

  /** Returns when a message arrived, in ms since the epoch. */
  public long enqueuedAt(long sequence) {
    return state.index.enqueuedAt(sequence);
  }

  /**
   * Returns for how long a message has been in the queue by what its own TTL counts, in ms: without
   * the time that stood still.
   */
  public long livedMillis(long sequence, long nowMillis) {
    return state.deadlines.livedMillis(sequence, nowMillis);
  }

  /** Returns a ready message; null if it cannot be read. */
  public Message message(long sequence) {
    return state.messages.peek(sequence);
  }

  /**
   * Removes a ready message for good.
   *
   * @return its entry in the log, which the caller has to settle; null if the log has none
   */
  public UnsettledEntry take(long sequence) {
    state.deadlines.leaving(sequence);
    UnsettledEntry entry = state.messages.detach(sequence);
    messageRemover.headMoved();
    return entry;
  }

  /**
   * Makes a ready message unacknowledged until {@link #remove} or {@link #unlock} is called for it.
   */
  public void lock(long sequence) {
    state.messages.lock(sequence);
    messageRemover.headMoved();
  }

  /** Removes a locked message for good. */
  public void remove(long sequence) {
    messageRemover.discard(sequence);
  }

  /** Makes a locked message ready again, at its place. */
  public void unlock(long sequence, long nowMillis) {
    unlockDeleted(sequence);
    restored.at(nowMillis);
  }

  /** The same in a queue that was deleted, and delivers nothing. */
  public void unlockDeleted(long sequence) {
    state.messages.unlock(sequence);
    state.deadlines.requeued(sequence);
  }
}
