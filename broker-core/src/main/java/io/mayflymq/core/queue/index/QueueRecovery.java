package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.RecoverableQueue;
import io.mayflymq.core.store.RedeliveryNotes;
import java.util.ArrayList;
import java.util.List;

/**
 * Recovers the messages of a queue at start: first they are inserted one by one, in any order; then
 * the order of expiry, the redelivered flags and the retry delays are restored in one pass.
 */
final class QueueRecovery {
  private static final long NONE = -1;

  private final MessageIndex<Message> index;
  private final MessageDeadlines deadlines;
  private final boolean countsReturns;
  private final DeliveryPriority deliveryPriority;
  private final List<byte[]> notes = new ArrayList<>();
  private long deliveredUpTo = NONE;
  private boolean any;

  /**
   * Receives the messages that were returned by consumers before the restart, or by the restart
   * itself.
   */
  @FunctionalInterface
  public interface ReturnedMessages {
    /**
     * Called for one message, which is ready.
     *
     * @param returns how often it has been returned, as {@link DeliveryCount} packs it
     * @param untilMillis when its wait ends, or {@link RedeliveryNotes#READY}
     */
    void at(long sequence, long returns, long untilMillis);
  }

  /**
   * Prepares a recovery.
   *
   * @param countsReturns whether the queue counts how often a message is returned: for messages
   *     that a consumer may have had, the restart counts as a failed delivery
   * @param deliveryPriority null if messages are delivered in the order of arrival alone
   */
  QueueRecovery(
      MessageIndex<Message> index,
      MessageDeadlines deadlines,
      boolean countsReturns,
      DeliveryPriority deliveryPriority) {
    this.index = index;
    this.deadlines = deadlines;
    this.countsReturns = countsReturns;
    this.deliveryPriority = deliveryPriority;
  }

  /** Inserts a message that was in the queue. @return false if it is here already */
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
    if (deliveryPriority != null) {
      deliveryPriority.came(sequence, priority);
    }
    return true;
  }

  /** Records that messages up to this number may have been delivered before. */
  void delivered(long upTo) {
    deliveredUpTo = Math.max(deliveredUpTo, upTo);
  }

  /** Returns up to which number messages may have been delivered before; -1 if none. */
  long deliveredUpTo() {
    return deliveredUpTo;
  }

  /**
   * Records which messages consumers had returned; see {@link RecoverableQueue#recoveredReturns}.
   */
  void returned(byte[] noted, boolean all) {
    if (all) {
      notes.clear();
    }
    if (countsReturns) {
      notes.add(noted);
    }
  }

  /** Writes all that is known so far about returned messages to the notes. */
  void note(RedeliveryNotes all, int mostBytes) {
    forEachNote(
        (sequence, returns, untilMillis) -> {
          if (all.size() < mostBytes) {
            all.add(sequence, returns, untilMillis);
          }
        });
  }

  private void forEachNote(RedeliveryNotes.Sink sink) {
    notes.forEach(noted -> RedeliveryNotes.forEach(noted, sink));
  }

  /** Finishes, when all messages are back. */
  void finish(long nowMillis, ReturnedMessages returned) {
    forEachNote((sequence, returns, until) -> count(sequence, returns));
    forEachNote((sequence, returns, until) -> mark(sequence, returns, until, nowMillis));
    if (deliveredUpTo >= index.nextSequence()) {
      index.skipTo(deliveredUpTo + 1);
    }
    if (any) {
      index.forEachReady(this::finish);
      index.pack();
    }
    if (countsReturns) {
      report(nowMillis, returned);
    }
  }

  private void count(long sequence, long returns) {
    if (index.contains(sequence)) {
      delivered(sequence);
      if (returns > index.returns(sequence)) {
        index.setReturns(sequence, returns);
      }
    }
  }

  /**
   * Marks a message that no consumer had: it waits, or is ready, and was or will be redelivered.
   */
  private void mark(long sequence, long returns, long untilMillis, long nowMillis) {
    if (isCurrent(sequence, returns)) {
      int flags = index.flags(sequence) & ~(EntryFlags.REDELIVERED | EntryFlags.DELAYED);
      if (untilMillis != RedeliveryNotes.TAKEN) {
        flags |= untilMillis > nowMillis ? EntryFlags.DELAYED : EntryFlags.REDELIVERED;
      }
      index.setFlags(sequence, flags);
    }
  }

  private boolean isCurrent(long sequence, long returns) {
    return index.contains(sequence) && index.returns(sequence) == returns;
  }

  private void finish(long sequence) {
    if (sequence <= deliveredUpTo) {
      int flags = index.flags(sequence);
      boolean taken = (flags & (EntryFlags.REDELIVERED | EntryFlags.DELAYED)) == 0;
      if (countsReturns && taken) {
        index.setReturns(sequence, DeliveryCount.next(index.returns(sequence), true));
      }
      index.setFlags(sequence, flags | EntryFlags.REDELIVERED);
    }
    deadlines.recovered(sequence);
    if (deliveryPriority != null) {
      deliveryPriority.ready(sequence);
    }
  }

  private void report(long nowMillis, ReturnedMessages returned) {
    long next = index.firstReady();
    while (next != NONE && next <= deliveredUpTo) {
      if ((index.flags(next) & EntryFlags.DELAYED) == 0) {
        returned.at(next, index.returns(next), RedeliveryNotes.READY);
      }
      next = index.nextReady(next);
    }
    forEachNote(
        (sequence, returns, until) -> {
          if (until > nowMillis && isCurrent(sequence, returns) && index.isReady(sequence)) {
            resume(sequence, returns, until, returned);
          }
        });
  }

  private void resume(long sequence, long returns, long untilMillis, ReturnedMessages returned) {
    int flags = index.flags(sequence);
    if ((flags & EntryFlags.DELAYED) != 0) {
      index.setFlags(sequence, flags & ~EntryFlags.DELAYED);
      returned.at(sequence, returns, untilMillis);
    }
  }
}
