package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.ReturnNotes;
import io.mayflymq.core.store.StoredQueue;
import java.util.ArrayList;
import java.util.List;

/**
 * How the messages of a queue come back at start: one by one and in any order first, then the order
 * of expiry, the marks of redelivery and the waits for a retry are made in one go.
 */
final class QueueRecovery {
  private static final long NONE = -1;

  private final MessageIndex<Message> index;
  private final MessageDeadlines deadlines;
  private final boolean countsReturns;
  private final Precedence precedence;
  private final List<byte[]> notes = new ArrayList<>();
  private long deliveredUpTo = NONE;
  private boolean any;

  /** Told of a message that came back from a consumer before the restart, or by it. */
  @FunctionalInterface
  interface CameBack {
    /**
     * Tells of one. It is ready.
     *
     * @param returns how often it has come back by now
     * @param untilMillis when its wait ends, or {@link ReturnNotes#READY}
     */
    void at(long sequence, int returns, long untilMillis);
  }

  /**
   * Prepares it.
   *
   * @param countsReturns whether the queue counts how often a message comes back: for those that a
   *     consumer may have had, the restart is one such time
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

  /** Messages had come back from consumers; see {@link StoredQueue#recoveredReturns}. */
  void returned(byte[] noted, boolean all) {
    if (all) {
      notes.clear();
    }
    if (countsReturns) {
      notes.add(noted);
    }
  }

  /** All that is known so far of what had come back. */
  void note(ReturnNotes all, int mostBytes) {
    forEachNote(
        (sequence, returns, untilMillis) -> {
          if (all.size() < mostBytes) {
            all.add(sequence, returns, untilMillis);
          }
        });
  }

  private void forEachNote(ReturnNotes.Sink sink) {
    notes.forEach(noted -> ReturnNotes.forEach(noted, sink));
  }

  /** All messages are back. */
  void finish(long nowMillis, CameBack cameBack) {
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
      tell(nowMillis, cameBack);
    }
  }

  private void count(long sequence, int returns) {
    if (index.contains(sequence)) {
      delivered(sequence);
      if (returns > Extra.returns(index, sequence)) {
        Extra.setReturns(index, sequence, returns);
      }
    }
  }

  /** Marks what no consumer had: it waits on, or is ready, and was redelivered or will be. */
  private void mark(long sequence, int returns, long untilMillis, long nowMillis) {
    if (isCurrent(sequence, returns)) {
      int flags = index.flags(sequence) & ~(EntryFlags.REDELIVERED | EntryFlags.DELAYED);
      if (untilMillis != ReturnNotes.TAKEN) {
        flags |= untilMillis > nowMillis ? EntryFlags.DELAYED : EntryFlags.REDELIVERED;
      }
      index.setFlags(sequence, flags);
    }
  }

  private boolean isCurrent(long sequence, int returns) {
    return index.contains(sequence) && Extra.returns(index, sequence) == returns;
  }

  private void finish(long sequence) {
    if (sequence <= deliveredUpTo) {
      int flags = index.flags(sequence);
      boolean taken = (flags & (EntryFlags.REDELIVERED | EntryFlags.DELAYED)) == 0;
      if (countsReturns && taken) {
        Extra.countReturn(index, sequence);
      }
      index.setFlags(sequence, flags | EntryFlags.REDELIVERED);
    }
    deadlines.recovered(sequence);
    if (precedence != null) {
      precedence.ready(sequence);
    }
  }

  private void tell(long nowMillis, CameBack cameBack) {
    long next = index.firstReady();
    while (next != NONE && next <= deliveredUpTo) {
      if ((index.flags(next) & EntryFlags.DELAYED) == 0) {
        cameBack.at(next, Extra.returns(index, next), ReturnNotes.READY);
      }
      next = index.nextReady(next);
    }
    forEachNote(
        (sequence, returns, until) -> {
          if (until > nowMillis && isCurrent(sequence, returns) && index.isReady(sequence)) {
            resume(sequence, returns, until, cameBack);
          }
        });
  }

  private void resume(long sequence, int returns, long untilMillis, CameBack cameBack) {
    int flags = index.flags(sequence);
    if ((flags & EntryFlags.DELAYED) != 0) {
      index.setFlags(sequence, flags & ~EntryFlags.DELAYED);
      cameBack.at(sequence, returns, untilMillis);
    }
  }
}
