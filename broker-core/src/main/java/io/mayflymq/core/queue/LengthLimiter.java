package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.messages.MessageDeadlines;
import io.mayflymq.core.queue.messages.QueueMessages;
import io.mayflymq.core.retention.LengthLimit;
import io.mayflymq.core.settings.Overflow;
import io.mayflymq.core.settings.QueueSettings;

/**
 * Enforces the length limit of a queue. Expired messages do not count: when a limit is reached,
 * they are removed first.
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

  /** Whether messages over a new limit are still being dropped, slice by slice. */
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

  /** Applies a new limit; messages over it still have to be dropped. */
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
   * Sets how many dead letters wait for a queue to take them. They count towards the limit if
   * publishers are refused at the limit; with {@code drop-head} they are limited separately by the
   * same numbers.
   */
  void deadLettersWait(long count, long bytes) {
    waitingDeadLetters = count;
    waitingDeadLetterBytes = bytes;
  }

  /**
   * Whether a message is refused, because the queue is full and does not drop other messages for
   * it.
   */
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
   * Drops messages from the head, expired ones first, until the limit holds; only with {@code
   * drop-head}. After a change of settings there may be very many: then it works in slices.
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

  /** Continues to drop messages over a new limit. */
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
