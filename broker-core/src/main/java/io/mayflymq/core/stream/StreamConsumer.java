package io.mayflymq.core.stream;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.store.StreamCursor;
import io.mayflymq.core.tracing.QueueTracer;

/** A consumer of a stream, with a position and a credit of its own. */
final class StreamConsumer {
  private final Consumer consumer;
  private final StreamCursor cursor;
  private final StreamFilter filter;
  private final Counters counters;
  private final QueueTracer tracer;
  private int unacked;

  /** The message at the cursor that the consumer has not got yet, or null. */
  private Message waiting;

  /** Whether its channel had no room when last asked. */
  boolean blocked;

  /**
   * Creates a consumer.
   *
   * @param tracer is told of deliveries, or null
   */
  StreamConsumer(Consumer consumer, StreamCursor cursor, Counters counters, QueueTracer tracer) {
    this.counters = counters;
    this.tracer = tracer;
    this.consumer = consumer;
    this.cursor = cursor;
    this.filter = StreamFilter.of(consumer.arguments());
  }

  /** Adds settled deliveries, acknowledged or not, to the credit. */
  void settled(long count) {
    unacked = (int) Math.max(0, unacked - count);
  }

  /** Returns its present position. */
  long offset() {
    return cursor.offset();
  }

  /** Returns the offset of the next message that it reads. */
  long nextOffset() {
    return cursor.nextOffset();
  }

  boolean canTake() {
    return !blocked && unacked < consumer.prefetch();
  }

  /**
   * Delivers the next message to it.
   *
   * @return what was delivered, or skipped because it did not match; null if there is none, or no
   *     room for one
   */
  Message step(long nowMillis) {
    if (waiting == null) {
      if (!cursor.next()) {
        return null;
      }
      Message message = cursor.message();
      if (filter != null && !filter.matches(message)) {
        return message;
      }
      waiting = message;
    }
    if (!consumer.outlet().reserve(consumer)) {
      blocked = true;
      return null;
    }
    Message message = waiting;
    waiting = null;
    unacked++;
    consumer.rates().delivered(nowMillis);
    counters.delivered(true, message.bodyLength(), false);
    consumer.outlet().deliver(consumer, cursor.offset(), message, false);
    if (tracer != null) {
      // Settlements only give credit, and many consumers get the same message.
      tracer.delivered(
          QueueTracer.NO_SETTLEMENT, message, false, QueueTracer.UNKNOWN, consumer.tag().value());
    }
    return message;
  }

  void close() {
    cursor.close();
  }
}
