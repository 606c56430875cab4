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
 * Takes back what consumers return: to its old place, or before all others in a quorum queue, at
 * once or after a wait. What has come back too often dies, and what is too old by now expires.
 *
 * <p>Source: RabbitMQ, "Quorum Queues", section "Poison Message Handling".
 */
final class Redeliveries {
  private static final long NONE = -1;

  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final MessageRemover messageRemover;

  /** Null until something may have to wait. */
  private DelayedRetries delayedRetries;

  private final QueueTimer queueTimer;

  /** No message with a higher number has come back. */
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

  /** Other settings count from now on, also for what was returned before. */
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
   * An unacknowledged message comes back.
   *
   * @param failed whether its consumer could not deal with it
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
   * A message came back before a restart or by it, and is ready now.
   *
   * @param returns how often it has come back
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
   * Notes what has come back and is stored, until the notes take so many bytes: those that wait,
   * and of the others those that consumers have, then those that are ready.
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

  /** How many wait. */
  long waiting() {
    return delayedRetries == null ? 0 : delayedRetries.count();
  }

  /** Their body sizes. */
  long waitingBytes() {
    return delayedRetries == null ? 0 : delayedRetries.bytes();
  }

  /**
   * Ends what is to end of those that wait; see {@link DelayedRetries#release}. There have to be
   * some.
   */
  void release(long untilMillis, long nowMillis, int budget) {
    delayedRetries.release(untilMillis, nowMillis, budget);
  }

  /** When to look at those that wait, or {@link Deadlines#NEVER}. */
  long next() {
    return delayedRetries == null ? Deadlines.NEVER : delayedRetries.next();
  }

  /** The queue has gone. */
  void clear() {
    if (delayedRetries != null) {
      delayedRetries.clear();
    }
  }
}
