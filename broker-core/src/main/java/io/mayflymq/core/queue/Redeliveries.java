package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.EntryMetadata;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.messages.MessageDeadlines;
import io.mayflymq.core.queue.messages.QueueMessages;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.RetryType;
import io.mayflymq.core.store.RedeliveryNotes;

/**
 * Takes back the messages that consumers return: to their original place, or before all others in a
 * quorum queue; at once or after a retry delay. A message that has been returned too often is
 * dead-lettered, and one whose deadline has passed expires.
 *
 * <p>Source: RabbitMQ, "Quorum Queues", section "Poison Message Handling".
 */
final class Redeliveries {
  private static final long NONE = -1;

  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final MessageRemover messageRemover;

  /** Null until a message may have to wait. */
  private DelayedRetries delayedRetries;

  private final QueueTimer queueTimer;

  /** The highest sequence number of all messages that were returned. */
  private long highest = NONE;

  private boolean counted;
  private long limit;

  Redeliveries(
      MessageIndex<Message> index,
      QueueMessages messages,
      MessageDeadlines deadlines,
      MessageRemover messageRemover,
      QueueTimer queueTimer,
      QueueSettings settings) {
    this.index = index;
    this.messages = messages;
    this.deadlines = deadlines;
    this.messageRemover = messageRemover;
    this.queueTimer = queueTimer;
    use(settings);
  }

  /** Applies new settings, also to messages that were returned before. */
  void change(QueueSettings settings) {
    boolean waited = delayedRetries != null;
    use(settings);
    if (waited) {
      delayedRetries.change(settings);
    }
  }

  private void use(QueueSettings settings) {
    if (delayedRetries == null && settings.deliveries().retry().type() != RetryType.DISABLED) {
      delayedRetries = new DelayedRetries(index, messages, deadlines, messageRemover, settings);
    }
    counted = settings.countsReturns();
    limit = settings.deliveries().limit();
  }

  /**
   * Returns an unacknowledged message to the queue.
   *
   * @param failed whether its consumer failed to process it
   */
  void putBack(long sequence, boolean failed, long nowMillis) {
    int returns = 0;
    if (counted) {
      returns = EntryMetadata.countReturn(index, sequence);
      highest = Math.max(highest, sequence);
      if (limit != QueueSettings.NONE && returns > limit) {
        messageRemover.die(sequence, DropTrigger.DELIVERY_LIMIT, nowMillis);
        return;
      }
    }
    long deadline = deadlines.of(sequence);
    if (deadline <= nowMillis) {
      messageRemover.expire(sequence, nowMillis);
      return;
    }
    if (delayedRetries != null && delayedRetries.delays(failed)) {
      queueTimer.noLaterThan(delayedRetries.hold(sequence, returns, nowMillis));
      return;
    }
    if (counted) {
      messages.noteReturn(sequence, returns, RedeliveryNotes.READY);
    }
    messages.putBack(sequence);
    deadlines.requeued(sequence);
    queueTimer.noLaterThan(deadlines.leavesAt(sequence, deadline));
  }

  /**
   * Called for a ready message that was returned before a restart or because of it.
   *
   * @param returns how often it has been returned
   * @param untilMillis when its wait ends, or {@link RedeliveryNotes#READY}
   */
  void recovered(long sequence, int returns, long untilMillis) {
    highest = Math.max(highest, sequence);
    if (untilMillis == RedeliveryNotes.READY) {
      messages.noteReturn(sequence, returns, untilMillis);
    } else if (delayedRetries != null) {
      queueTimer.noLaterThan(delayedRetries.resume(sequence, untilMillis));
    }
  }

  /**
   * Notes returned messages that are in the log, until the notes take {@code mostBytes} bytes:
   * first those that wait, then those that are unacknowledged, then those that are ready.
   */
  void note(RedeliveryNotes notes, int mostBytes) {
    if (delayedRetries != null) {
      delayedRetries.note(notes, mostBytes);
    }
    if (!counted || highest == NONE) {
      return;
    }
    index.forEachUnacked(sequence -> note(sequence, RedeliveryNotes.TAKEN, notes, mostBytes));
    long next = index.firstReady();
    while (next != NONE && next <= highest && notes.size() < mostBytes) {
      note(next, RedeliveryNotes.READY, notes, mostBytes);
      next = index.nextReady(next);
    }
  }

  private void note(long sequence, long state, RedeliveryNotes notes, int mostBytes) {
    int returns = EntryMetadata.returns(index, sequence);
    boolean waits = (index.flags(sequence) & EntryFlags.DELAYED) != 0;
    if (returns > 0 && !waits && messages.isStored(sequence) && notes.size() < mostBytes) {
      notes.add(sequence, returns, state);
    }
  }

  /** Returns how many messages wait for a retry. */
  long waiting() {
    return delayedRetries == null ? 0 : delayedRetries.count();
  }

  /** Returns the sum of their body sizes. */
  long waitingBytes() {
    return delayedRetries == null ? 0 : delayedRetries.bytes();
  }

  /**
   * Ends waits that are over; see {@link DelayedRetries#release}. There must be waiting messages.
   */
  void release(long untilMillis, long nowMillis, int budget) {
    delayedRetries.release(untilMillis, nowMillis, budget);
  }

  /** Returns when to look at the waiting messages, or {@link Deadlines#NEVER}. */
  long next() {
    return delayedRetries == null ? Deadlines.NEVER : delayedRetries.next();
  }

  /** Removes all entries: the queue was deleted. */
  void clear() {
    if (delayedRetries != null) {
      delayedRetries.clear();
    }
  }
}
