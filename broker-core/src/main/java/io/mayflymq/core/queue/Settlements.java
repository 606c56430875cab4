package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.tracing.QueueTracer;
import io.mayflymq.core.tracing.QueueTracer.Settlement;
import java.util.function.LongConsumer;

/**
 * Settles ranges of messages. An exception for one message does not keep the others from being
 * settled: {@link #throwFailure} throws it when the whole range is done, because the consumer no
 * longer knows any of the messages by then.
 */
final class Settlements {
  private final MessageIndex<Message> index;
  private final MessageRemover messageRemover;
  private final Redeliveries returns;
  private final QueueTracer tracer;
  private Throwable failure;

  Settlements(QueueState state, MessageRemover messageRemover, Redeliveries returns) {
    this.index = state.index;
    this.messageRemover = messageRemover;
    this.returns = returns;
    this.tracer = state.tracer;
  }

  /**
   * Acknowledges messages.
   *
   * @return how many were unacknowledged
   */
  int acknowledge(long from, long to, long nowMillis) {
    return settle(
        from,
        to,
        Settlement.ACKNOWLEDGED,
        sequence -> messageRemover.acknowledge(sequence, nowMillis));
  }

  /**
   * Rejects messages.
   *
   * @return how many were unacknowledged
   */
  int reject(long from, long to, DropTrigger cause, long nowMillis) {
    return settle(
        from, to, Settlement.REJECTED, sequence -> messageRemover.die(sequence, cause, nowMillis));
  }

  /**
   * Requeues messages.
   *
   * @return how many were unacknowledged
   */
  int putBack(long from, long to, boolean failed, long nowMillis) {
    return settle(
        from, to, Settlement.REQUEUED, sequence -> returns.putBack(sequence, failed, nowMillis));
  }

  /**
   * Releases messages.
   *
   * @return how many were unacknowledged
   */
  int release(long from, long to, long nowMillis) {
    return settle(from, to, Settlement.REQUEUED, sequence -> returns.release(sequence, nowMillis));
  }

  private int settle(long from, long to, Settlement settlement, LongConsumer way) {
    int count = 0;
    for (long sequence = from; sequence <= to; sequence++) {
      if (index.isUnacked(sequence)) {
        count++;
        try {
          trace(sequence, settlement);
          way.accept(sequence);
        } catch (RuntimeException | Error e) {
          failed(e);
        }
      }
    }
    return count;
  }

  private void trace(long sequence, Settlement settlement) {
    if (tracer != null) {
      tracer.settled(sequence, settlement);
    }
  }

  private void failed(Throwable thrown) {
    if (failure == null) {
      failure = thrown;
    }
  }

  /** Throws the first exception that occurred since the last call, if there was one. */
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
