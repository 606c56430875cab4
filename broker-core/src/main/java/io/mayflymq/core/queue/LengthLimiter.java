package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.messages.MessageDeadlines;
import io.mayflymq.core.queue.messages.QueueMessages;
import io.mayflymq.core.retention.LengthLimit;
import io.mayflymq.core.settings.Overflow;
import io.mayflymq.core.settings.QueueSettings;

/**
 * Keeps a queue within its length limit. What is too old does not count: where a limit is hit, that
 * goes first.
 *
 * <p>Source: RabbitMQ, "Queue Length Limit".
 */
final class LengthLimiter {
  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final MessageRemover messageRemover;
  private final QueueTimer queueTimer;
  private LengthLimit limit;
  private Overflow overflow;
  private boolean countsUnacked;
  private long waitingDeadLetters;
  private long waitingDeadLetterBytes;

  /** A new limit is being worked off in slices. */
  private boolean shrinking;

  LengthLimiter(
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

  /** Another limit counts from now on; what is over it is still to be dropped. */
  void change(QueueSettings settings) {
    use(settings);
    shrinking = true;
  }

  private void use(QueueSettings settings) {
    limit = new LengthLimit(settings.length().maxLength(), settings.length().maxLengthBytes());
    overflow = settings.length().overflow();
    countsUnacked = settings.length().countsUnacked();
  }

  /**
   * So many dead letters wait. They count where publishers are refused; where the oldest message is
   * dropped they have the limit for themselves.
   */
  void deadLettersWait(long count, long bytes) {
    waitingDeadLetters = count;
    waitingDeadLetterBytes = bytes;
  }

  /** Whether a message is refused, as the queue is full and nothing is dropped for it. */
  boolean refuses(Message message, long nowMillis) {
    if (overflow == Overflow.DROP_HEAD || !wouldExceed(message)) {
      return false;
    }
    messageRemover.expireDue(nowMillis, ClassicQueueMachine.EXPIRY_SLICE);
    return wouldExceed(message);
  }

  private boolean wouldExceed(Message message) {
    return limit.isExceededBy(
        count() + waitingDeadLetters + 1, bytes() + waitingDeadLetterBytes + message.bodyLength());
  }

  /**
   * Drops from the head, the expired first of all, until the limit holds; only what drop-head
   * stands for. After a change of settings that may be very much: then slice by slice.
   */
  void dropOverflow(long nowMillis) {
    if (overflow != Overflow.DROP_HEAD || !isOverLimit()) {
      shrinking = false;
      return;
    }
    messageRemover.expireDue(nowMillis, ClassicQueueMachine.EXPIRY_SLICE);
    int left = shrinking ? ClassicQueueMachine.EXPIRY_SLICE : Integer.MAX_VALUE;
    while (isOverLimit() && left-- > 0) {
      long head = messages.head();
      if (deadlines.of(head) <= nowMillis) {
        messageRemover.expire(head, nowMillis);
      } else {
        messageRemover.dieOverLimit(head, nowMillis);
      }
    }
    shrinking = isOverLimit();
    if (shrinking) {
      queueTimer.noLaterThan(nowMillis);
    }
    messageRemover.headMoved();
  }

  /** Goes on with a new limit that was not worked off yet. */
  void shrink(long nowMillis) {
    if (shrinking) {
      dropOverflow(nowMillis);
    }
  }

  private boolean isOverLimit() {
    return index.readyCount() > 0 && limit.isExceededBy(count(), bytes());
  }

  private long count() {
    return countsUnacked ? index.readyCount() + index.unackedCount() : index.readyCount();
  }

  private long bytes() {
    return countsUnacked ? index.readyBytes() + index.unackedBytes() : index.readyBytes();
  }
}
