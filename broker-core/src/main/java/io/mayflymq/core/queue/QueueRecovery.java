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
  private final boolean countsReturns;
  private final Precedence precedence;
  private long deliveredUpTo = NONE;
  private boolean any;

  /**
   * Prepares it.
   *
   * @param countsReturns whether the queue counts how often a message comes back: the restart is
   *     one such time, and those before it are forgotten
   * @param precedence null where the order of arrival is all
   */
  QueueRecovery(
      MessageIndex<Message> index,
      MessageDeadlines deadlines,
      boolean countsReturns,
      Precedence precedence) {
    this.index = index;
    this.deadlines = deadlines;
    this.countsReturns = countsReturns;
    this.precedence = precedence;
  }

  /** A message was in the queue. @return false if it is here already */
  boolean recovered(
      long sequence,
      long ownDeadlineMillis,
      long enqueuedAtMillis,
      int priority,
      int bodyLength,
      long location) {
    if (index.contains(sequence)) {
      return false;
    }
    any = true;
    index.insert(
        sequence, null, bodyLength, ownDeadlineMillis, enqueuedAtMillis, EntryFlags.STORED);
    index.setLocation(sequence, location);
    if (precedence != null) {
      precedence.came(sequence, priority);
    }
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
      index.pack();
    }
  }

  private void finish(long sequence) {
    if (sequence <= deliveredUpTo) {
      index.setFlags(sequence, index.flags(sequence) | EntryFlags.REDELIVERED);
      if (countsReturns) {
        Extra.countReturn(index, sequence);
      }
    }
    deadlines.recovered(sequence);
    if (precedence != null) {
      precedence.ready(sequence);
    }
  }
}
