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
 * The messages that could not be read when they were wanted: their file is damaged, or the disk gave no answer.
 *
 * They are set aside. In the index they are unacknowledged, so nothing hands them out, and those behind them are served; the log has them as
 * before. A disk may recover, so they are tried again after a minute: one that was to be served is ready again, at its old place, and one that was to
 * be dead-lettered dies. After a restart they are all ready. None is ever dropped for being unreadable: it leaves only as it would by its time to live, or with its queue.
 */
final class Unreadable {
  static final long RETRY_MILLIS = 60_000;

  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final QueueEffects effects;
  private final QueueTimer queueTimer;
  private final MessageRemover messageRemover;

  /** What each was about to die of; null if it was about to be served, or to expire. */
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
   * A message could not be read just now: it is neither ready nor with a consumer from here on.
   *
   * @param cause what it was about to die of; null if it was about to be served, or to expire
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

  /** A message that leaves with its queue could not be read: nothing can be sent on. */
  void leaves(long sequence) {
    if (aside.containsKey(sequence)) {
      aside.remove(sequence);
      bytes -= index.bodySize(sequence);
    }
    effects.unreadable(sequence, messages.unreadableReason(), false);
  }

  /** Tries all of them again, if it is time. */
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

  /** How many there are. */
  long count() {
    return aside.size();
  }

  /** Their body sizes. */
  long bytes() {
    return bytes;
  }
}
