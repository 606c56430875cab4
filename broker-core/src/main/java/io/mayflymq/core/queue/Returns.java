package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeathCause;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.RetryType;
import io.mayflymq.core.store.ReturnNotes;

/**
 * Takes back what consumers return: to its old place, or before all others in a quorum queue, at
 * once or after a wait. What has come back too often dies, and what is too old by now expires.
 *
 * <p>Source: RabbitMQ, "Quorum Queues", section "Poison Message Handling".
 */
final class Returns {
  private static final long NONE = -1;

  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final Departures departures;

  /** Null until something may have to wait. */
  private Retries retries;

  private final WakeUp wakeUp;

  /** No message with a higher number has come back. */
  private long highest = NONE;

  private boolean counted;
  private long limit;

  Returns(
      MessageIndex<Message> index,
      QueueMessages messages,
      MessageDeadlines deadlines,
      Departures departures,
      WakeUp wakeUp,
      QueueSettings settings) {
    this.index = index;
    this.messages = messages;
    this.deadlines = deadlines;
    this.departures = departures;
    this.wakeUp = wakeUp;
    use(settings);
  }

  /** Other settings count from now on, also for what was returned before. */
  void change(QueueSettings settings) {
    boolean waited = retries != null;
    use(settings);
    if (waited) {
      retries.change(settings);
    }
  }

  private void use(QueueSettings settings) {
    if (retries == null && settings.deliveries().retry().type() != RetryType.DISABLED) {
      retries = new Retries(index, messages, deadlines, departures, settings);
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
      returns = Extra.countReturn(index, sequence);
      highest = Math.max(highest, sequence);
      if (limit != QueueSettings.NONE && returns > limit) {
        departures.die(sequence, DeathCause.DELIVERY_LIMIT, nowMillis);
        return;
      }
    }
    long deadline = deadlines.of(sequence);
    if (deadline <= nowMillis) {
      departures.expire(sequence, nowMillis);
      return;
    }
    if (retries != null && retries.delays(failed)) {
      wakeUp.noLaterThan(retries.hold(sequence, returns, nowMillis));
      return;
    }
    if (counted) {
      messages.noteReturn(sequence, returns, ReturnNotes.READY);
    }
    messages.putBack(sequence);
    deadlines.requeued(sequence);
    wakeUp.noLaterThan(deadlines.leavesAt(sequence, deadline));
  }

  /**
   * A message came back before a restart or by it, and is ready now.
   *
   * @param returns how often it has come back
   * @param untilMillis when its wait ends, or {@link ReturnNotes#READY}
   */
  void recovered(long sequence, int returns, long untilMillis) {
    highest = Math.max(highest, sequence);
    if (untilMillis == ReturnNotes.READY) {
      messages.noteReturn(sequence, returns, untilMillis);
    } else if (retries != null) {
      wakeUp.noLaterThan(retries.resume(sequence, untilMillis));
    }
  }

  /**
   * Notes what has come back and is stored, until the notes take so many bytes: those that wait,
   * and of the others those that consumers have, then those that are ready.
   */
  void note(ReturnNotes notes, int mostBytes) {
    if (retries != null) {
      retries.note(notes, mostBytes);
    }
    if (!counted || highest == NONE) {
      return;
    }
    index.forEachUnacked(sequence -> note(sequence, ReturnNotes.TAKEN, notes, mostBytes));
    long next = index.firstReady();
    while (next != NONE && next <= highest && notes.size() < mostBytes) {
      note(next, ReturnNotes.READY, notes, mostBytes);
      next = index.nextReady(next);
    }
  }

  private void note(long sequence, long state, ReturnNotes notes, int mostBytes) {
    int returns = Extra.returns(index, sequence);
    boolean waits = (index.flags(sequence) & EntryFlags.DELAYED) != 0;
    if (returns > 0 && !waits && messages.isStored(sequence) && notes.size() < mostBytes) {
      notes.add(sequence, returns, state);
    }
  }

  /** How many wait. */
  long waiting() {
    return retries == null ? 0 : retries.count();
  }

  /** Their body sizes. */
  long waitingBytes() {
    return retries == null ? 0 : retries.bytes();
  }

  /** Ends what is to end of those that wait; see {@link Retries#release}. There have to be some. */
  void release(long untilMillis, long nowMillis, int budget) {
    retries.release(untilMillis, nowMillis, budget);
  }

  /** When to look at those that wait, or {@link Deadlines#NEVER}. */
  long next() {
    return retries == null ? Deadlines.NEVER : retries.next();
  }

  /** The queue has gone. */
  void clear() {
    if (retries != null) {
      retries.clear();
    }
  }
}
