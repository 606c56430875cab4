package io.mayflymq.server.tracing;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.tracing.QueueTracer;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Makes the spans of the messages of one queue. */
final class QueueSpans implements QueueTracer {
  /** So many deliveries of a queue are followed until they are settled. */
  private static final int MOST_OPEN = 10_000;

  private final SpanTracer tracer;
  private final QueueName queue;

  /** The spans of deliveries that are not settled, by their sequence numbers. */
  private final LongObjectMap<Span> open = new LongObjectHashMap<>();

  QueueSpans(SpanTracer tracer, QueueName queue) {
    this.tracer = tracer;
    this.queue = queue;
  }

  @Override
  public void delivered(
      long sequence,
      Message message,
      boolean redelivered,
      long enqueuedAtMillis,
      String consumerTag) {
    Context parent = tracer.parent(message);
    if (parent == null) {
      return;
    }
    long now = tracer.now();
    if (enqueuedAtMillis != UNKNOWN) {
      Span inQueue = inQueue(message, parent, enqueuedAtMillis, now);
      inQueue.setAttribute(SpanAttributes.LEFT, "delivered");
      inQueue.end(now, TimeUnit.NANOSECONDS);
      parent = parent.with(inQueue);
    }
    Span delivery =
        tracer
            .builder("deliver", queue.name(), message, parent)
            .setSpanKind(SpanKind.PRODUCER)
            .setStartTimestamp(now, TimeUnit.NANOSECONDS)
            .setAttribute(SpanAttributes.VHOST, queue.vhost())
            .setAttribute(SpanAttributes.REDELIVERED, redelivered)
            .setAttribute(SpanAttributes.CONSUMER_TAG, consumerTag)
            .startSpan();
    if (!delivery.isRecording()) {
      return;
    }
    if (sequence == NO_SETTLEMENT) {
      end(delivery, "automatic");
    } else if (open.size() < MOST_OPEN) {
      open.put(sequence, delivery);
    } else {
      end(delivery, "not followed");
    }
  }

  @Override
  public void settled(long sequence, Settlement settlement) {
    Span delivery = open.isEmpty() ? null : open.remove(sequence);
    if (delivery != null) {
      end(delivery, settlement.name().toLowerCase(Locale.ROOT));
    }
  }

  @Override
  public Message died(Message message, DropTrigger trigger, long enqueuedAtMillis) {
    Context parent = tracer.parent(message);
    if (parent == null) {
      return message;
    }
    long now = tracer.now();
    Span inQueue = inQueue(message, parent, enqueuedAtMillis, now);
    inQueue.setAttribute(SpanAttributes.LEFT, trigger.reason().wireName());
    inQueue.setAttribute(SpanAttributes.TRIGGER, trigger.setting());
    inQueue.end(now, TimeUnit.NANOSECONDS);
    return SpanTracer.continued(message, inQueue);
  }

  @Override
  public void closed() {
    open.values().forEach(delivery -> end(delivery, "queue deleted"));
    open.clear();
  }

  private Span inQueue(Message message, Context parent, long enqueuedAtMillis, long now) {
    // The queue knows whole milliseconds, by a clock that may be a little ahead.
    long start = Math.min(TimeUnit.MILLISECONDS.toNanos(enqueuedAtMillis), now);
    return tracer
        .builder("queue", queue.name(), message, parent)
        .setStartTimestamp(start, TimeUnit.NANOSECONDS)
        .setAttribute(SpanAttributes.VHOST, queue.vhost())
        .startSpan();
  }

  private void end(Span delivery, String settlement) {
    delivery.setAttribute(SpanAttributes.SETTLEMENT, settlement);
    delivery.end(tracer.now(), TimeUnit.NANOSECONDS);
  }
}
