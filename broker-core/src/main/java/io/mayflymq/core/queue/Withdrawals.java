package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.DeadEntry;

/**
 * Takes single messages out of a queue, wherever they stand, for a move to another queue: not as a
 * consumer would, so that no other message is touched, and one that comes back is as it was.
 * Belongs to the queue's shard.
 */
public final class Withdrawals {
  /** What a queue does when a message is ready again. */
  @FunctionalInterface
  interface Restored {
    void at(long nowMillis);
  }

  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final Departures departures;
  private final Restored restored;

  Withdrawals(
      MessageIndex<Message> index,
      QueueMessages messages,
      MessageDeadlines deadlines,
      Departures departures,
      Restored restored) {
    this.index = index;
    this.messages = messages;
    this.deadlines = deadlines;
    this.departures = departures;
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
  public DeadEntry take(long sequence) {
    deadlines.leaving(sequence);
    DeadEntry entry = messages.bury(sequence);
    departures.headMoved();
    return entry;
  }

  /** A ready message waits, unacknowledged, until one of the two below is called. */
  public void hold(long sequence) {
    messages.hold(sequence);
    departures.headMoved();
  }

  /** A message that was held leaves for good. */
  public void remove(long sequence) {
    departures.discard(sequence);
  }

  /** A message that was held is ready again, at its place. */
  public void release(long sequence, long nowMillis) {
    messages.release(sequence);
    deadlines.requeued(sequence);
    restored.at(nowMillis);
  }
}
