package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;

/**
 * How the messages of a queue come back at start: one by one and in any order first, then the order
 * of expiry and the marks of redelivery are made in one go.
 */
final class QueueRecovery {
  private static final long NONE = -1;

  private final MessageIndex<Message> index;
  private final MessageDeadlines deadlines;
  private long deliveredUpTo = NONE;
  private boolean any;

  QueueRecovery(MessageIndex<Message> index, MessageDeadlines deadlines) {
    this.index = index;
    this.deadlines = deadlines;
  }

  /** A message was in the queue. @return false if it is here already */
  boolean recovered(
      long sequence, long ownDeadlineMillis, long enqueuedAtMillis, int bodyLength, long location) {
    if (index.contains(sequence)) {
      return false;
    }
    any = true;
    index.insert(
        sequence, null, bodyLength, ownDeadlineMillis, enqueuedAtMillis, EntryFlags.STORED);
    index.setLocation(sequence, location);
    return true;
  }

  /** Messages up to this number may have been delivered before. */
  void delivered(long upTo) {
    deliveredUpTo = Math.max(deliveredUpTo, upTo);
  }

  /** All messages are back. */
  void finish() {
    if (deliveredUpTo >= index.nextSequence()) {
      index.skipTo(deliveredUpTo + 1);
    }
    if (any) {
      index.forEachReady(this::finish);
    }
  }

  private void finish(long sequence) {
    if (sequence <= deliveredUpTo) {
      index.setFlags(sequence, index.flags(sequence) | EntryFlags.REDELIVERED);
    }
    deadlines.recovered(sequence);
  }
}
