package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.queue.index.Deadlines;
import java.util.Map;
import java.util.TreeMap;

/**
 * The messages that could not be read when they were needed, because their file is damaged or the
 * disk reported an error.
 *
 * <p>They are set aside: in the index they are unacknowledged, so they are not delivered and the
 * messages behind them are; the log still has them. A disk may recover, so each is tried again
 * after a minute: one that was to be delivered is ready again, at its old place, and one that was
 * to be dead-lettered is dead-lettered. After a restart they are all ready. No message is ever
 * dropped for being unreadable: it leaves only by its TTL or with its queue.
 */
final class UnreadableMessages {
  static final long RETRY_MILLIS = 60_000;

  private final QueueState state;
  private final MessageRemover messageRemover;

  /**
   * For each message the cause of the death that could not be completed; null if it was to be
   * delivered, or to expire.
   */
  private final TreeMap<Long, DropTrigger> aside = new TreeMap<>();

  private long bytes;
  private long retryAt = Deadlines.NEVER;

  UnreadableMessages(QueueState state, MessageRemover messageRemover) {
    this.state = state;
    this.messageRemover = messageRemover;
  }

  /**
   * Sets a message aside that could not be read: it is neither ready nor delivered from now on.
   *
   * @param cause the cause of the death that could not be completed; null if it was to be
   *     delivered, or to expire
   */
  void setAside(long sequence, DropTrigger cause, long nowMillis) {
    if (!state.index.isUnacked(sequence)) {
      state.messages.lock(sequence);
    }
    if (!aside.containsKey(sequence)) {
      bytes += state.index.bodySize(sequence);
    }
    aside.put(sequence, cause);
    if (retryAt == Deadlines.NEVER) {
      retryAt = nowMillis + RETRY_MILLIS;
    }
    state.timer.noLaterThan(retryAt);
    state.effects.unreadable(sequence, state.messages.unreadableReason(), true);
  }

  /**
   * Records that a message which is deleted with its queue could not be read: it cannot be dead-
   * lettered.
   */
  void leaves(long sequence) {
    if (aside.containsKey(sequence)) {
      aside.remove(sequence);
      bytes -= state.index.bodySize(sequence);
    }
    state.effects.unreadable(sequence, state.messages.unreadableReason(), false);
  }

  /** Tries all of them again, if the time has come. */
  void retry(long nowMillis) {
    if (retryAt > nowMillis) {
      state.timer.noLaterThan(retryAt);
      return;
    }
    Map<Long, DropTrigger> again = new TreeMap<>(aside);
    aside.clear();
    bytes = 0;
    retryAt = Deadlines.NEVER;
    again.forEach((sequence, cause) -> retry(sequence, cause, nowMillis));
  }

  private void retry(long sequence, DropTrigger cause, long nowMillis) {
    if (!state.index.isUnacked(sequence)) {
      return;
    }
    if (cause == null) {
      state.messages.unlock(sequence);
      state.deadlines.requeued(sequence);
    } else {
      messageRemover.die(sequence, cause, nowMillis);
    }
  }

  /** Whether there are any. */
  boolean isEmpty() {
    return aside.isEmpty();
  }

  /** Returns how many there are. */
  long count() {
    return aside.size();
  }

  /** Returns the sum of their body sizes. */
  long bytes() {
    return bytes;
  }
}
