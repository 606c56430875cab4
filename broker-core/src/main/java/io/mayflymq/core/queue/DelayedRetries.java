package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.policy.ExpiryMode;
import io.mayflymq.core.policy.RetrySettings;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.LongPairHeap;
import io.mayflymq.core.queue.index.MessageCopy;
import io.mayflymq.core.store.RedeliveryNotes;
import java.util.stream.LongStream;

/**
 * The returned messages that wait for their retry delay before they are delivered again.
 *
 * <p>In the index they are still unacknowledged, with the flag DELAYED, so they are neither
 * delivered nor moved. The log has a note of each of them, so the wait continues after a restart. A
 * heap orders them by the end of their wait. A message may expire while it waits: such a message is
 * also in a second heap, ordered by deadline. Stale entries of that heap are recognised when they
 * reach its top; they are not searched for earlier.
 */
final class DelayedRetries {
  private final QueueState state;
  private final MessageRemover messageRemover;
  private final LongPairHeap ends = new LongPairHeap(this::isWaiting);
  private final LongPairHeap expiring = new LongPairHeap(this::isWaiting);
  private long count;
  private long bytes;

  DelayedRetries(QueueState state, MessageRemover messageRemover) {
    this.state = state;
    this.messageRemover = messageRemover;
  }

  private RetrySettings delay() {
    return state.settings().deliveries().retry();
  }

  private boolean expiresInTime() {
    return state.settings().expiry().mode() == ExpiryMode.EXACT;
  }

  /**
   * Called when settings have changed. Messages that already wait keep their waiting time, but may
   * expire earlier.
   */
  void settingsChanged() {
    if (count == 0) {
      return;
    }
    expiring.clear();
    if (expiresInTime()) {
      state.index.forEachUnacked(
          sequence -> {
            long deadline = state.deadlines.of(sequence);
            if (isMarked(sequence) && deadline != Deadlines.NEVER) {
              expiring.add(deadline, sequence);
            }
          });
    }
  }

  /** Whether a returned message has to wait. */
  boolean delays(boolean failed) {
    return delay().appliesTo(failed);
  }

  /**
   * Makes a message wait that is unacknowledged and has not expired.
   *
   * @param returns how often it has been returned, as {@link DeliveryCount} packs it
   * @return when to look at it again
   */
  long hold(long sequence, long returns, long nowMillis) {
    long seed =
        Long.rotateLeft(state.index.enqueuedAt(sequence), 32)
            ^ (sequence << 8)
            ^ DeliveryCount.acquired(returns);
    long end = Deadlines.after(nowMillis, delay().delayMillis(returns, seed));
    state.messages.noteReturn(sequence, returns, end);
    return holdUntil(sequence, end);
  }

  /**
   * Makes a message wait again that waited before a restart, and is ready now.
   *
   * @return when to look at it again
   */
  long resume(long sequence, long endMillis) {
    state.messages.lock(sequence);
    return holdUntil(sequence, endMillis);
  }

  private long holdUntil(long sequence, long end) {
    state.index.setFlags(
        sequence, state.index.flags(sequence) | EntryFlags.DELAYED | EntryFlags.REDELIVERED);
    ends.add(end, sequence);
    count++;
    bytes += state.index.bodySize(sequence);
    long deadline = state.deadlines.of(sequence);
    if (!expiresInTime() || deadline >= end) {
      return end;
    }
    expiring.add(deadline, sequence);
    return deadline;
  }

  /**
   * Ends waits that are over, and expires waiting messages whose deadline has passed; at most
   * {@code budget} messages of each kind.
   *
   * @param untilMillis waits that end at or before this time are over: now, or a later time for
   *     messages that must not wait any longer
   */
  void release(long untilMillis, long nowMillis, int budget) {
    int left = budget;
    while (expiring.peekDeadline() <= nowMillis && left-- > 0) {
      long sequence = expiring.poll();
      if (isWaiting(sequence) && state.deadlines.of(sequence) <= nowMillis) {
        stopWaiting(sequence);
        ends.discarded();
        messageRemover.expire(sequence, nowMillis);
      }
    }
    left = budget;
    while (count > 0 && ends.peekDeadline() <= untilMillis && left-- > 0) {
      long sequence = ends.poll();
      if (isWaiting(sequence)) {
        stopWaiting(sequence);
        comeBack(sequence, nowMillis);
      }
    }
    if (count == 0) {
      clear();
    }
  }

  /** Returns when the next message has to be looked at, or {@link Deadlines#NEVER}. */
  long next() {
    return Math.min(ends.peekDeadline(), expiring.peekDeadline());
  }

  private void comeBack(long sequence, long nowMillis) {
    if (state.deadlines.of(sequence) <= nowMillis) {
      messageRemover.expire(sequence, nowMillis);
    } else {
      state.messages.putBack(sequence);
      state.deadlines.requeued(sequence);
    }
  }

  private void stopWaiting(long sequence) {
    state.index.setFlags(sequence, state.index.flags(sequence) & ~EntryFlags.DELAYED);
    count--;
    bytes -= state.index.bodySize(sequence);
  }

  private boolean isWaiting(long sequence) {
    return state.index.isUnacked(sequence) && isMarked(sequence);
  }

  private boolean isMarked(long sequence) {
    return (state.index.flags(sequence) & EntryFlags.DELAYED) != 0;
  }

  /** Adds the waiting messages to the notes, until these take the given number of bytes. */
  void note(RedeliveryNotes notes, int mostBytes) {
    ends.forEach(
        (end, sequence) -> {
          boolean room = notes.size() < mostBytes;
          if (room && isWaiting(sequence) && state.messages.isStored(sequence)) {
            notes.add(sequence, state.index.returns(sequence), end);
          }
          return room;
        });
  }

  /** Visits the messages that wait, with the ends of their waits. */
  void forEachWaiting(MessageCopy.WaitVisitor visitor) {
    ends.forEach(
        (end, sequence) -> {
          if (isWaiting(sequence)) {
            visitor.accept(sequence, end);
          }
          return true;
        });
  }

  /** Returns the messages that wait, in the order of the queue. */
  long[] waiting() {
    LongStream.Builder waiting = LongStream.builder();
    forEachWaiting((sequence, end) -> waiting.add(sequence));
    return waiting.build().sorted().toArray();
  }

  /** Purges a message if it waits. @return whether it did */
  boolean purge(long sequence, long nowMillis) {
    if (!isWaiting(sequence)) {
      return false;
    }
    stopWaiting(sequence);
    ends.discarded();
    messageRemover.purge(sequence, nowMillis);
    if (count == 0) {
      clear();
    }
    return true;
  }

  /** Messages that have left are about to come again, under their numbers. */
  void forgetLeft() {
    ends.dropDead();
    expiring.dropDead();
  }

  /** Returns how many messages wait. */
  long count() {
    return count;
  }

  /** Returns the sum of their body sizes. */
  long bytes() {
    return bytes;
  }

  /** Removes all entries: the queue was deleted. */
  void clear() {
    ends.clear();
    expiring.clear();
    count = 0;
    bytes = 0;
  }
}
