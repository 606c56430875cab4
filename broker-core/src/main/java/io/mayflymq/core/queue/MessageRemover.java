package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.DeadLetterSettings;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.MessageDeadlines;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.QueueMessages;
import io.mayflymq.core.store.UnsettledEntry;

/**
 * Removes messages from a queue: settled ones, ones delivered without acknowledgement, and dead
 * ones. Each is taken out of the order of expiry first.
 */
final class MessageRemover {
  private final QueueState state;
  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final UnreadableMessages unreadable;

  /** Whether what has a TTL of 0, and came while time stood still, may be delivered. */
  private boolean isGoingOn;

  MessageRemover(QueueState state) {
    this.state = state;
    this.index = state.index;
    this.messages = state.messages;
    this.deadlines = state.deadlines;
    this.unreadable = new UnreadableMessages(state, this);
  }

  /** Returns the messages that cannot be read. */
  UnreadableMessages unreadable() {
    return unreadable;
  }

  /** Sets whether time goes on this moment: see {@link MessageDeadlines#beginsNow}. */
  void setGoingOn(boolean changed) {
    isGoingOn = changed;
  }

  /** Expires a message. One that should be dead-lettered but cannot be read is set aside. */
  void expire(long sequence, long nowMillis) {
    boolean isOwn = deadlines.isOwn(sequence);
    // Only the content tells whether that comes of a header.
    boolean mayBeOfHeader = isOwn && state.settings().expiry().deadlineHeader() != null;
    Message message = mayBeOfHeader ? messages.get(sequence) : contentOf(sequence);
    if (message == null && deadLetters().areWantedOn(DeathReason.EXPIRED)) {
      unreadable.setAside(sequence, null, nowMillis);
      return;
    }
    // A deadline from a former TTL is kept in the index as if it were the message's own.
    boolean hasOwn = message == null || message.ttlMillis() != Message.NO_TTL;
    DropTrigger cause = isOwn && hasOwn ? DropTrigger.EXPIRATION : DropTrigger.MESSAGE_TTL;
    long deadline = deadlines.of(sequence);
    if (mayBeOfHeader && message != null && deadlines.ofHeader(message) == deadline) {
      cause = DropTrigger.DEADLINE;
      if ((index.flags(sequence) & EntryFlags.REDELIVERED) == 0) {
        state.counters.add(Counter.EXPIRED_BY_DEADLINE, 1);
      }
      state.effects.deadlineOver(message, deadline, index.enqueuedAt(sequence), nowMillis);
    }
    die(sequence, message, cause, deadline, nowMillis);
  }

  /**
   * Drops or dead-letters a message for another reason than its age. One that should be dead-
   * lettered but cannot be read is set aside.
   */
  void die(long sequence, DropTrigger cause, long nowMillis) {
    Message message = contentOf(sequence);
    if (message == null && deadLetters().areWantedOn(cause.reason())) {
      unreadable.setAside(sequence, cause, nowMillis);
    } else {
      die(sequence, message, cause, Deadlines.NEVER, nowMillis);
    }
  }

  private DeadLetterSettings deadLetters() {
    return state.settings().deadLetters();
  }

  /**
   * Without a dead letter exchange the content is only useful to the death journal, and to a trace.
   */
  private Message contentOf(long sequence) {
    return deadLetters().areWanted()
            || state.tracer != null
            || state.settings().expiry().deadlineNotify() != null
        ? messages.get(sequence)
        : messages.peekIfCheap(sequence);
  }

  private void die(
      long sequence, Message message, DropTrigger cause, long deadlineMillis, long nowMillis) {
    Message dead = traced(message, cause, state.tracer == null ? 0 : index.enqueuedAt(sequence));
    RemovalReason reason = state.keepsRemoved() ? RemovalReason.of(cause) : null;
    UnsettledEntry entry = null;
    if (reason != null
        && (!deadLetters().areWantedOn(cause.reason())
            || !state.effects.isTaken(message, cause, nowMillis))) {
      keep(sequence, reason, nowMillis);
    } else {
      deadlines.leaving(sequence);
      entry = messages.detach(sequence);
    }
    state.effects.died(dead, entry, cause, deadlineMillis, nowMillis);
  }

  private void keep(long sequence, RemovalReason reason, long nowMillis) {
    deadlines.leaving(sequence);
    state.remove(sequence, reason, nowMillis);
  }

  /** Drops or dead-letters a message that never entered the queue. */
  void dieOutside(Message message, DropTrigger cause, long nowMillis) {
    Message dead = traced(message, cause, nowMillis);
    state.effects.died(dead, null, cause, Deadlines.NEVER, nowMillis);
  }

  private Message traced(Message message, DropTrigger cause, long enqueuedAtMillis) {
    return state.tracer == null || message == null
        ? message
        : state.tracer.died(message, cause, enqueuedAtMillis);
  }

  /** Removes a message that is delivered without acknowledgement. */
  Message leave(long sequence, long nowMillis) {
    Message message = messages.get(sequence);
    messages.served(sequence);
    acknowledge(sequence, nowMillis);
    return message;
  }

  /** Removes a message that was acknowledged. */
  void acknowledge(long sequence, long nowMillis) {
    if (state.keepsAcked()) {
      keep(sequence, RemovalReason.ACKED, nowMillis);
    } else {
      discard(sequence);
    }
  }

  /** Removes a message that is purged. */
  void purge(long sequence, long nowMillis) {
    if (state.keepsRemoved()) {
      keep(sequence, RemovalReason.PURGED, nowMillis);
    } else {
      discard(sequence);
    }
  }

  /** Removes a message of a queue that was deleted and can be brought back. */
  void deleteWithQueue(long sequence, long deletedAtMillis) {
    keep(sequence, RemovalReason.DELETED, deletedAtMillis);
  }

  /** Removes a message for good. */
  void discard(long sequence) {
    deadlines.leaving(sequence);
    messages.remove(sequence);
  }

  /**
   * Expires messages whose deadline has passed, at most {@code budget} of them.
   *
   * @return when the next message is due
   */
  long expireDue(long nowMillis, int budget) {
    int left = budget;
    long earliest = deadlines.earliest();
    while (earliest >= 0) {
      long deadline = deadlines.of(earliest);
      if (deadline > nowMillis) {
        break;
      }
      if (left-- == 0) {
        return deadline;
      }
      expire(earliest, nowMillis);
      earliest = deadlines.earliest();
    }
    deadlines.endCheck();
    return deadlines.next();
  }

  /**
   * Called when the head of the queue may have changed: sets the timer so that the head expires in
   * time.
   */
  void headMoved() {
    if (deadlines.watchHead()) {
      state.timer.noLaterThan(deadlines.next());
    }
  }

  /**
   * Dead-letters the messages of a queue that is about to be deleted: ready ones in their order,
   * then unacknowledged ones; at most {@code budget} of them.
   *
   * @return whether no message is left
   */
  boolean deadLetterAll(DropTrigger cause, long nowMillis, int budget) {
    int left = budget;
    while (left-- > 0) {
      long head = messages.head();
      long next = head >= 0 ? head : index.pages.firstUnacked();
      if (next < 0) {
        return true;
      }
      if (head >= 0 && deadlines.of(head) <= nowMillis) {
        expire(head, nowMillis);
        continue;
      }
      Message message = contentOf(next);
      if (message == null && deadLetters().areWantedOn(cause.reason())) {
        unreadable.leaves(next);
      }
      die(next, message, cause, Deadlines.NEVER, nowMillis);
    }
    return false;
  }

  /**
   * Returns the first message that may be delivered; -1 if there is none, or if too many expired
   * messages stand before it to remove them in one go. A message that cannot be read is set aside.
   */
  long firstUnexpired(long nowMillis, int budget) {
    int left = budget;
    long head = messages.head();
    while (head >= 0) {
      boolean dead =
          deadlines.of(head) <= nowMillis && !(isGoingOn && deadlines.beginsNow(head, nowMillis));
      if (!dead && messages.load(head)) {
        return head;
      }
      if (left-- == 0) {
        state.timer.noLaterThan(nowMillis);
        return -1;
      }
      if (dead) {
        expire(head, nowMillis);
      } else {
        unreadable.setAside(head, null, nowMillis);
      }
      head = messages.head();
    }
    return -1;
  }
}
