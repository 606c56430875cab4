package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.retention.ExpiryOrder;
import io.mayflymq.core.settings.QueueSettings;

/*
 * When the messages of a queue are due: at their own deadline or at the end of the queue's TTL, whichever comes first.
 *
 * The index keeps own deadlines only, and those never change. The other follows from when a message came and from the TTL of this moment. So when
 * a policy changes the TTL, that holds at once for every message in the queue, and costs nothing however many there are. Messages came in
 * the order of the queue, so the first ready one is the first that the TTL ends: no index is needed for that. Own deadlines come in any order;
 * ExpiryOrder knows the first of them.
 *
 * Two things would break this, and both are mended by writing the deadline of the moment down as a message's own:
 *   - a clock that was set back: what comes now would be due before what came earlier, and nobody would look at it;
 *   - a queue whose TTL is not retroactive: the messages that are there keep their deadlines, and another TTL counts from ttlFrom on only.
 */
final class MessageDeadlines {
  private final MessageIndex<?> index;
  private final ExpiryOrder ownDeadlines;
  private long ttlMillis;
  private long ttlFrom;
  private long latestArrival = Long.MIN_VALUE;

  MessageDeadlines(MessageIndex<?> index, ExpiryOrder ownDeadlines, long ttlMillis) {
    this.index = index;
    this.ownDeadlines = ownDeadlines;
    this.ttlMillis = ttlMillis;
  }

  /** When a message that comes now is due by itself. */
  long ownOf(Message message, long nowMillis) {
    long own = Deadlines.after(nowMillis, message.ttlMillis());
    if (nowMillis < latestArrival) {
      return Math.min(own, byTtl(nowMillis));
    }
    latestArrival = nowMillis;
    return own;
  }

  /** When a message that comes now is due. */
  long ofNew(long ownMillis, long nowMillis) {
    return Math.min(ownMillis, byTtl(nowMillis));
  }

  /** When a message is due. */
  long of(long sequence) {
    long own = index.deadline(sequence);
    return sequence < ttlFrom ? own : Math.min(own, byTtl(index.enqueuedAt(sequence)));
  }

  /** Whether a message is due by itself, and not by the queue's TTL. */
  boolean isOwn(long sequence) {
    return sequence < ttlFrom || index.deadline(sequence) <= byTtl(index.enqueuedAt(sequence));
  }

  private long byTtl(long arrivalMillis) {
    return ttlMillis == QueueSettings.NONE
        ? Deadlines.NEVER
        : Deadlines.after(arrivalMillis, ttlMillis);
  }

  /** A message was appended, ready. */
  void appended(long sequence, long ownMillis) {
    if (ownMillis != Deadlines.NEVER) {
      ownDeadlines.appended(sequence, ownMillis);
    }
  }

  /**
   * A message came back from before a restart; in the order of the queue, with its own deadline.
   */
  void recovered(long sequence) {
    latestArrival = Math.max(latestArrival, index.enqueuedAt(sequence));
    appended(sequence, index.deadline(sequence));
  }

  /** A message is ready again, at its old place. */
  void requeued(long sequence) {
    long own = index.deadline(sequence);
    if (own != Deadlines.NEVER) {
      ownDeadlines.requeued(sequence, own);
    }
  }

  /** A message is about to leave the queue for good. */
  void leaving(long sequence) {
    int flags = index.flags(sequence);
    if ((flags & EntryFlags.INDEXED) != 0) {
      index.setFlags(sequence, flags & ~EntryFlags.INDEXED);
      ownDeadlines.discarded();
    }
  }

  /** All ready messages are leaving at once. */
  void cleared() {
    index.forEachUnacked(
        sequence -> index.setFlags(sequence, index.flags(sequence) & ~EntryFlags.INDEXED));
    ownDeadlines.cleared();
  }

  /** When the first ready message is due, or {@link Deadlines#NEVER}. */
  long next() {
    long first = earliest();
    return first < 0 ? Deadlines.NEVER : of(first);
  }

  /** The ready message that is due first, the one nearer to the head if two are; or -1. */
  long earliest() {
    long own = ownDeadlines.earliest();
    long first = ttlMillis == QueueSettings.NONE ? -1 : index.nextReady(ttlFrom - 1);
    if (own < 0 || first < 0) {
      return Math.max(own, first);
    }
    long ownDeadline = index.deadline(own);
    long firstDeadline = byTtl(index.enqueuedAt(first));
    if (ownDeadline == firstDeadline) {
      return Math.min(own, first);
    }
    return ownDeadline < firstDeadline ? own : first;
  }

  /**
   * The queue gets another TTL.
   *
   * @param retroactive whether it counts for the messages that are there. If not, each of them is
   *     looked at, once.
   */
  void changeTtl(long changedMillis, boolean retroactive) {
    if (changedMillis == ttlMillis) {
      return;
    }
    if (retroactive) {
      ttlFrom = 0;
    } else {
      keepDeadlines();
    }
    ttlMillis = changedMillis;
  }

  private void keepDeadlines() {
    ownDeadlines.cleared();
    index.forEachUnacked(
        sequence -> {
          index.setDeadline(sequence, of(sequence));
          index.setFlags(
              sequence, (index.flags(sequence) & ~EntryFlags.INDEXED) | EntryFlags.OUT_OF_ORDER);
        });
    index.forEachReady(
        sequence -> {
          long deadline = of(sequence);
          index.setDeadline(sequence, deadline);
          index.setFlags(
              sequence, index.flags(sequence) & ~(EntryFlags.INDEXED | EntryFlags.OUT_OF_ORDER));
          appended(sequence, deadline);
        });
    ttlFrom = index.nextSequence();
  }
}
