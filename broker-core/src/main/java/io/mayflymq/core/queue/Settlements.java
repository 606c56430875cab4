package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.MessageIndex;

/**
 * Settles ranges of messages. One that fails holds up no other: {@link #throwFailure} tells of it
 * when all have had their turn, as its consumer knows of none of them any more.
 */
final class Settlements {
  private final MessageIndex<Message> index;
  private final MessageRemover messageRemover;
  private final Redeliveries returns;
  private Throwable failure;

  Settlements(MessageIndex<Message> index, MessageRemover messageRemover, Redeliveries returns) {
    this.index = index;
    this.messageRemover = messageRemover;
    this.returns = returns;
  }

  /**
   * Messages leave for good.
   *
   * @return how many were unacknowledged
   */
  int acknowledge(long from, long to) {
    int count = 0;
    for (long sequence = from; sequence <= to; sequence++) {
      if (index.isUnacked(sequence)) {
        count++;
        try {
          messageRemover.discard(sequence);
        } catch (RuntimeException | Error e) {
          failed(e);
        }
      }
    }
    return count;
  }

  /**
   * Messages die.
   *
   * @return how many were unacknowledged
   */
  int reject(long from, long to, DropTrigger cause, long nowMillis) {
    int count = 0;
    for (long sequence = from; sequence <= to; sequence++) {
      if (index.isUnacked(sequence)) {
        count++;
        try {
          messageRemover.die(sequence, cause, nowMillis);
        } catch (RuntimeException | Error e) {
          failed(e);
        }
      }
    }
    return count;
  }

  /**
   * Messages come back.
   *
   * @return how many were unacknowledged
   */
  int putBack(long from, long to, boolean failed, long nowMillis) {
    int count = 0;
    for (long sequence = from; sequence <= to; sequence++) {
      if (index.isUnacked(sequence)) {
        count++;
        try {
          returns.putBack(sequence, failed, nowMillis);
        } catch (RuntimeException | Error e) {
          failed(e);
        }
      }
    }
    return count;
  }

  private void failed(Throwable thrown) {
    if (failure == null) {
      failure = thrown;
    }
  }

  /** Throws the first of what was thrown since this was last called, if anything was. */
  void throwFailure() {
    Throwable thrown = failure;
    failure = null;
    if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
    if (thrown instanceof Error error) {
      throw error;
    }
  }
}
