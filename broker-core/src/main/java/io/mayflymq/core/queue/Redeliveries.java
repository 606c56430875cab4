package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.RetryType;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.MessageCopy;
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

  private final QueueState state;
  private final MessageRemover messageRemover;

  /** Null until a message may have to wait. */
  private DelayedRetries delayedRetries;

  /** The highest sequence number of all messages that were returned. */
  private long highest = NONE;

  Redeliveries(QueueState state, MessageRemover messageRemover) {
    this.state = state;
    this.messageRemover = messageRemover;
    prepareDelays();
  }

  /** Called when settings have changed. They apply also to messages that were returned before. */
  void settingsChanged() {
    if (delayedRetries == null) {
      prepareDelays();
    } else {
      delayedRetries.settingsChanged();
    }
  }

  private void prepareDelays() {
    if (state.settings().deliveries().retry().type() != RetryType.DISABLED) {
      delayedRetries = new DelayedRetries(state, messageRemover);
    }
  }

  /**
   * Returns an unacknowledged message to the queue.
   *
   * @param failed whether its consumer failed to process it, or has gone
   */
  void putBack(long sequence, boolean failed, long nowMillis) {
    long returns = 0;
    if (state.countsReturns()) {
      returns = count(sequence, failed);
      highest = Math.max(highest, sequence);
      long limit = state.settings().deliveries().limit();
      if (limit != QueueSettings.NONE && DeliveryCount.failed(returns) > limit) {
        messageRemover.die(sequence, DropTrigger.DELIVERY_LIMIT, nowMillis);
        return;
      }
    }
    long deadline = state.deadlines.of(sequence);
    if (deadline <= nowMillis) {
      state.messages.countAsDelivered(sequence);
      messageRemover.expire(sequence, nowMillis);
      return;
    }
    if (delayedRetries != null && delayedRetries.delays(failed)) {
      state.timer.noLaterThan(delayedRetries.hold(sequence, returns, nowMillis));
      return;
    }
    if (state.countsReturns()) {
      state.messages.noteReturn(sequence, returns, RedeliveryNotes.READY);
    }
    state.messages.putBack(sequence);
    ready(sequence, deadline);
  }

  private long count(long sequence, boolean failed) {
    boolean counts = failed || state.settings().deliveries().countsEachReturn();
    long returns = DeliveryCount.next(state.index.returns(sequence), counts);
    state.index.setReturns(sequence, returns);
    return returns;
  }

  private void ready(long sequence, long deadline) {
    state.deadlines.requeued(sequence);
    state.timer.noLaterThan(state.deadlines.leavesAt(sequence, deadline));
  }

  /**
   * Returns an unacknowledged message that has not reached a client: nothing has happened to it.
   */
  void release(long sequence, long nowMillis) {
    long deadline = state.deadlines.of(sequence);
    if (deadline <= nowMillis) {
      messageRemover.expire(sequence, nowMillis);
      return;
    }
    long returns = state.countsReturns() ? state.index.returns(sequence) : 0;
    if (returns > 0) {
      state.messages.noteReturn(sequence, returns, RedeliveryNotes.READY);
    }
    state.messages.release(sequence);
    ready(sequence, deadline);
  }

  /**
   * Called for a ready message that was returned before a restart or because of it.
   *
   * @param returns how often it has been returned, as {@link DeliveryCount} packs it
   * @param untilMillis when its wait ends, or {@link RedeliveryNotes#READY}
   */
  void recovered(long sequence, long returns, long untilMillis) {
    highest = Math.max(highest, sequence);
    if (untilMillis == RedeliveryNotes.READY) {
      state.messages.noteReturn(sequence, returns, untilMillis);
    } else if (delayedRetries != null) {
      state.timer.noLaterThan(delayedRetries.resume(sequence, untilMillis));
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
    if (!state.countsReturns() || highest == NONE) {
      return;
    }
    state.index.forEachUnacked(sequence -> note(sequence, RedeliveryNotes.TAKEN, notes, mostBytes));
    long next = state.index.firstReady();
    while (next != NONE && next <= highest && notes.size() < mostBytes) {
      note(next, RedeliveryNotes.READY, notes, mostBytes);
      next = state.index.nextReady(next);
    }
  }

  private void note(long sequence, long untilMillis, RedeliveryNotes notes, int mostBytes) {
    long returns = state.index.returns(sequence);
    boolean waits = (state.index.flags(sequence) & EntryFlags.DELAYED) != 0;
    if (returns > 0 && !waits && state.messages.isStored(sequence) && notes.size() < mostBytes) {
      notes.add(sequence, returns, untilMillis);
    }
  }

  /** Visits the messages that wait for a retry. */
  void forEachWaiting(MessageCopy.WaitVisitor visitor) {
    if (delayedRetries != null) {
      delayedRetries.forEachWaiting(visitor);
    }
  }

  /** Returns the messages that wait for a retry. */
  long[] waitingMessages() {
    return delayedRetries == null ? new long[0] : delayedRetries.waiting();
  }

  /** Purges a message if it waits for a retry. @return whether it did */
  boolean purgeWaiting(long sequence, long nowMillis) {
    return delayedRetries.purge(sequence, nowMillis);
  }

  /** Messages that have left are about to come again, under their numbers. */
  void forgetLeft() {
    if (delayedRetries != null) {
      delayedRetries.forgetLeft();
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
