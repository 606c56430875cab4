package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.EntryMetadata;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.messages.MessageDeadlines;
import io.mayflymq.core.queue.messages.QueueMessages;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.retention.LongPairHeap;
import io.mayflymq.core.settings.ExpiryMode;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.store.RedeliveryNotes;

/*
 * The messages that have come back and wait before they are delivered again.
 *
 * In the index they are still unacknowledged, with a mark, so nothing hands them out and nothing of theirs is moved; the log has a note of each, so
 * that they go on waiting after a restart. A heap knows whose wait ends first. A message may be too old before: then it stands in
 * a second heap, by its deadline, whose entries are looked at when they surface and are not worth a search before.
 */
final class DelayedRetries {
  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final MessageRemover messageRemover;
  private final LongPairHeap ends = new LongPairHeap(this::isWaiting);
  private final LongPairHeap expiring = new LongPairHeap(this::isWaiting);
  private RetryDelay delay;
  private boolean expiresInTime;
  private long count;
  private long bytes;

  DelayedRetries(
      MessageIndex<Message> index,
      QueueMessages messages,
      MessageDeadlines deadlines,
      MessageRemover messageRemover,
      QueueSettings settings) {
    this.index = index;
    this.messages = messages;
    this.deadlines = deadlines;
    this.messageRemover = messageRemover;
    use(settings);
  }

  private void use(QueueSettings settings) {
    delay = new RetryDelay(settings.deliveries().retry());
    expiresInTime = settings.expiry().mode() == ExpiryMode.EXACT;
  }

  /**
   * Other settings count from now on; who waits already goes on waiting, but may expire earlier.
   */
  void change(QueueSettings settings) {
    use(settings);
    if (count == 0) {
      return;
    }
    expiring.clear();
    if (expiresInTime) {
      index.forEachUnacked(
          sequence -> {
            long deadline = deadlines.of(sequence);
            if (isMarked(sequence) && deadline != Deadlines.NEVER) {
              expiring.add(deadline, sequence);
            }
          });
    }
  }

  /** Whether a message has to wait that came back so. */
  boolean delays(boolean failed) {
    return delay.isFor(failed);
  }

  /**
   * Has a message wait, which is unacknowledged and alive.
   *
   * @param returns how often it has come back
   * @return when it is to be looked at
   */
  long hold(long sequence, int returns, long nowMillis) {
    long seed = Long.rotateLeft(index.enqueuedAt(sequence), 32) ^ (sequence << 8) ^ returns;
    long end = Deadlines.after(nowMillis, delay.millis(returns, seed));
    messages.noteReturn(sequence, returns, end);
    return holdUntil(sequence, end);
  }

  /**
   * Has a message wait on that waited before a restart, and is ready now.
   *
   * @return when it is to be looked at
   */
  long resume(long sequence, long endMillis) {
    messages.lock(sequence);
    return holdUntil(sequence, endMillis);
  }

  private long holdUntil(long sequence, long end) {
    index.setFlags(sequence, index.flags(sequence) | EntryFlags.DELAYED | EntryFlags.REDELIVERED);
    ends.add(end, sequence);
    count++;
    bytes += index.bodySize(sequence);
    long deadline = deadlines.of(sequence);
    if (!expiresInTime || deadline >= end) {
      return end;
    }
    expiring.add(deadline, sequence);
    return deadline;
  }

  /**
   * Ends what is to end: the wait of some, the life of others; but no more than so many of each.
   *
   * @param untilMillis whose wait ends: now, or later for those that shall not wait any longer
   */
  void release(long untilMillis, long nowMillis, int budget) {
    int left = budget;
    while (expiring.peekDeadline() <= nowMillis && left-- > 0) {
      long sequence = expiring.poll();
      if (isWaiting(sequence) && deadlines.of(sequence) <= nowMillis) {
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

  /** When to look at the next one, or {@link Deadlines#NEVER}. */
  long next() {
    return Math.min(ends.peekDeadline(), expiring.peekDeadline());
  }

  private void comeBack(long sequence, long nowMillis) {
    if (deadlines.of(sequence) <= nowMillis) {
      messageRemover.expire(sequence, nowMillis);
    } else {
      messages.putBack(sequence);
      deadlines.requeued(sequence);
    }
  }

  private void stopWaiting(long sequence) {
    index.setFlags(sequence, index.flags(sequence) & ~EntryFlags.DELAYED);
    count--;
    bytes -= index.bodySize(sequence);
  }

  private boolean isWaiting(long sequence) {
    return index.isUnacked(sequence) && isMarked(sequence);
  }

  private boolean isMarked(long sequence) {
    return (index.flags(sequence) & EntryFlags.DELAYED) != 0;
  }

  /** Notes those that wait, until the notes take so many bytes. */
  void note(RedeliveryNotes notes, int mostBytes) {
    ends.forEach(
        (end, sequence) -> {
          boolean room = notes.size() < mostBytes;
          if (room && isWaiting(sequence) && messages.isStored(sequence)) {
            notes.add(sequence, EntryMetadata.returns(index, sequence), end);
          }
          return room;
        });
  }

  /** How many wait. */
  long count() {
    return count;
  }

  /** Their body sizes. */
  long bytes() {
    return bytes;
  }

  /** The queue has gone. */
  void clear() {
    ends.clear();
    expiring.clear();
    count = 0;
    bytes = 0;
  }
}
