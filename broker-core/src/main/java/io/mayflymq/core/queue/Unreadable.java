package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.messages.MessageDeadlines;
import io.mayflymq.core.queue.messages.QueueMessages;
import io.mayflymq.core.retention.Deadlines;
import java.util.Map;
import java.util.TreeMap;

/*
 * The messages that could not be read when they were needed, because their file is damaged or the disk reported an error.
 *
 * They are set aside: in the index they are unacknowledged, so they are not delivered and the messages behind them are; the log still has them. A disk
 * may recover, so each is tried again after a minute: one that was to be delivered is ready again, at its old place, and one that was to be
 * dead-lettered is dead-lettered. After a restart they are all ready. No message is ever dropped for being unreadable: it leaves only by its TTL or with
 * its queue.
 */
final class Unreadable {
  static final long RETRY_MILLIS = 60_000;

  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final QueueEffects effects;
  private final QueueTimer queueTimer;
  private final MessageRemover messageRemover;

  /**
   * For each message the cause of the death that could not be completed; null if it was to be
   * delivered, or to expire.
   */
  private final TreeMap<Long, DropTrigger> aside = new TreeMap<>();

  private long bytes;
  private long retryAt = Deadlines.NEVER;

  Unreadable(
      MessageIndex<Message> index,
      QueueMessages messages,
      MessageDeadlines deadlines,
      MessageRemover messageRemover,
      QueueEffects effects,
      QueueTimer queueTimer) {
    this.index = index;
    this.messages = messages;
    this.deadlines = deadlines;
    this.messageRemover = messageRemover;
    this.effects = effects;
    this.queueTimer = queueTimer;
  }

  /**
   * Sets a message aside that could not be read: it is neither ready nor delivered from now on.
   *
   * @param cause the cause of the death that could not be completed; null if it was to be
   *     delivered, or to expire
   */
  void setAside(long sequence, DropTrigger cause, long nowMillis) {
    if (!index.isUnacked(sequence)) {
      messages.lock(sequence);
    }
    if (!aside.containsKey(sequence)) {
      bytes += index.bodySize(sequence);
    }
    aside.put(sequence, cause);
    if (retryAt == Deadlines.NEVER) {
      retryAt = nowMillis + RETRY_MILLIS;
    }
    queueTimer.noLaterThan(retryAt);
    effects.unreadable(sequence, messages.unreadableReason(), true);
  }

  /**
   * Records that a message which is deleted with its queue could not be read: it cannot be dead-
   * lettered.
   */
  void leaves(long sequence) {
    if (aside.containsKey(sequence)) {
      aside.remove(sequence);
      bytes -= index.bodySize(sequence);
    }
    effects.unreadable(sequence, messages.unreadableReason(), false);
  }

  /** Tries all of them again, if the time has come. */
  void retry(long nowMillis) {
    if (retryAt > nowMillis) {
      queueTimer.noLaterThan(retryAt);
      return;
    }
    Map<Long, DropTrigger> again = new TreeMap<>(aside);
    aside.clear();
    bytes = 0;
    retryAt = Deadlines.NEVER;
    again.forEach((sequence, cause) -> retry(sequence, cause, nowMillis));
  }

  private void retry(long sequence, DropTrigger cause, long nowMillis) {
    if (!index.isUnacked(sequence)) {
      return;
    }
    if (cause == null) {
      messages.unlock(sequence);
      deadlines.requeued(sequence);
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
