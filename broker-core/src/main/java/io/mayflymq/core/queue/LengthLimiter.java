package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.index.MessageDeadlines;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.QueueMessages;

/**
 * Enforces the length limit of a queue. Expired messages do not count: when a limit is reached,
 * they are removed first.
 *
 * <p>Source: RabbitMQ, "Queue Length Limit".
 */
final class LengthLimiter {
  private final QueueState state;
  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final MessageRemover messageRemover;
  private final Redeliveries returns;
  private long waitingDeadLetters;
  private long waitingDeadLetterBytes;

  /** Whether messages over a new limit are still being dropped, slice by slice. */
  private boolean shrinking;

  LengthLimiter(QueueState state, MessageRemover messageRemover, Redeliveries returns) {
    this.state = state;
    this.index = state.index;
    this.messages = state.messages;
    this.deadlines = state.deadlines;
    this.messageRemover = messageRemover;
    this.returns = returns;
  }

  /** Called when the limit may have changed: messages over it still have to be dropped. */
  void settingsChanged() {
    shrinking = state.isLimited();
  }

  /**
   * Sets how many dead letters wait for a queue to take them. They count towards the limit if
   * publishers are refused at the limit, or wait; with {@code drop-head} they are limited
   * separately by the same numbers.
   */
  void deadLettersWait(long count, long bytes) {
    waitingDeadLetters = count;
    waitingDeadLetterBytes = bytes;
  }

  /** Whether dead letters wait for a queue to take them. */
  boolean hasWaitingDeadLetters() {
    return waitingDeadLetters > 0;
  }

  /**
   * Whether a message is refused, because the queue is full and does not drop other messages for
   * it.
   */
  boolean refuses(Message message, long nowMillis) {
    return state.isLimited()
        && state.length().overflow() != Overflow.BLOCK
        && !dropsHead()
        && hasNoRoomFor(message, nowMillis);
  }

  /** Whether the publisher of a message waits, because the queue is full and lets it wait. */
  boolean blocks(Message message, long nowMillis) {
    return state.isLimited()
        && state.length().overflow() == Overflow.BLOCK
        && hasNoRoomFor(message, nowMillis);
  }

  private boolean hasNoRoomFor(Message message, long nowMillis) {
    if (!wouldExceed(message)) {
      return false;
    }
    messageRemover.expireDue(nowMillis, ClassicQueueMachine.EXPIRY_SLICE);
    return wouldExceed(message);
  }

  private boolean dropsHead() {
    return state.length().overflow() == Overflow.DROP_HEAD;
  }

  private boolean wouldExceed(Message message) {
    return state
        .length()
        .isExceededBy(
            count() + waitingDeadLetters + 1,
            bytes() + waitingDeadLetterBytes + message.bodyLength());
  }

  /**
   * Drops messages from the head, or those of the lowest priority, expired ones first, until the
   * limit holds; only with {@code drop-head}. After a change of settings there may be very many:
   * then it works in slices.
   */
  void dropOverflow(long nowMillis) {
    if (!state.isLimited()) {
      return;
    }
    if (!dropsHead() || !isOverLimit()) {
      shrinking = false;
      return;
    }
    messageRemover.expireDue(nowMillis, ClassicQueueMachine.EXPIRY_SLICE);
    int left = shrinking ? ClassicQueueMachine.EXPIRY_SLICE : Integer.MAX_VALUE;
    while (isOverLimit() && left-- > 0) {
      long head = messages.headToDrop(state.length().dropsLowest());
      if (deadlines.of(head) <= nowMillis) {
        messageRemover.expire(head, nowMillis);
      } else {
        messageRemover.die(head, exceeded(0), nowMillis);
      }
    }
    shrinking = isOverLimit();
    if (shrinking) {
      state.timer.noLaterThan(nowMillis);
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
    return index.readyCount() > 0 && state.length().isExceededBy(count(), bytes());
  }

  /**
   * Returns which limit is exceeded by the messages in the queue and the given number of further
   * ones.
   */
  DropTrigger exceeded(int more) {
    long most = state.length().maxLength();
    return most != QueueSettings.NONE && count() + more > most
        ? DropTrigger.MAX_LENGTH
        : DropTrigger.MAX_LENGTH_BYTES;
  }

  private long count() {
    return index.readyCount() + countBesideReady(state.settings());
  }

  private long bytes() {
    return index.readyBytes() + bytesBesideReady(state.settings());
  }

  /** Returns how many messages that are not ready count towards the limit of these settings. */
  long countBesideReady(QueueSettings settings) {
    if (settings.length().countsUnacked()) {
      return index.unackedCount();
    }
    return settings.deliveries().retriesCount() ? returns.waiting() : 0;
  }

  /** Returns the sum of their body sizes. */
  long bytesBesideReady(QueueSettings settings) {
    if (settings.length().countsUnacked()) {
      return index.unackedBytes();
    }
    return settings.deliveries().retriesCount() ? returns.waitingBytes() : 0;
  }
}
