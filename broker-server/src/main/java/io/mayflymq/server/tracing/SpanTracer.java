package io.mayflymq.server.tracing;

import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.TraceContext;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.tracing.MessageTracer;
import io.mayflymq.core.tracing.QueueTracer;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.RawProperties;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.common.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Makes spans for messages that carry a trace context which their publisher has sampled. The spans
 * belong to the trace of the publisher:
 *
 * <pre>{@code
 * the publisher's span
 *   route                the message's route was looked for
 *   queue A              the message was in queue A, until it was delivered or died
 *     deliver A          until the consumer settled it
 *     dead-letter A      if it died
 *     queue B            the dead letter in queue B
 * }</pre>
 *
 * <p>What is published is delivered unchanged, so the consumer's span is a child of the
 * publisher's, as with any broker. Only where the broker makes another message of it, a dead letter
 * or a redriven one, the new message's context is the span that it comes from. So nothing has to be
 * remembered about a message, and its trace goes on after a restart.
 */
final class SpanTracer implements MessageTracer {
  private static final String SYSTEM = "mayflymq";

  private static final TextMapGetter<FieldTable> HEADERS = TraceContext::text;

  private final Tracer tracer;
  private final Clock clock;

  SpanTracer(Tracer tracer, Clock clock) {
    this.tracer = tracer;
    this.clock = clock;
  }

  @Override
  public long now() {
    return clock.now();
  }

  @Override
  public void routed(String vhost, Message message, int queues, long startNanos) {
    Context parent = parent(message);
    if (parent != null) {
      String exchange = message.exchange().isEmpty() ? "(default)" : message.exchange().value();
      builder("route", exchange, message, parent)
          .setSpanKind(SpanKind.CONSUMER)
          .setStartTimestamp(startNanos, TimeUnit.NANOSECONDS)
          .setAttribute(SpanAttributes.VHOST, vhost)
          .setAttribute(SpanAttributes.QUEUES, (long) queues)
          .startSpan()
          .end(now(), TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void deadLettered(
      QueueName source,
      Message message,
      DropTrigger trigger,
      DropOutcome outcome,
      String exchange) {
    Context parent = parent(message);
    if (parent != null) {
      long now = now();
      builder("dead-letter", source.name(), message, parent)
          .setStartTimestamp(now, TimeUnit.NANOSECONDS)
          .setAttribute(SpanAttributes.VHOST, source.vhost())
          .setAttribute(SpanAttributes.TRIGGER, trigger.setting())
          .setAttribute(SpanAttributes.OUTCOME, outcome.wireName())
          .setAttribute(SpanAttributes.DEAD_LETTER_EXCHANGE, exchange)
          .startSpan()
          .end(now, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public Message redriven(QueueName source, Message message) {
    Context parent = parent(message);
    if (parent == null) {
      return message;
    }
    long now = now();
    Span span =
        builder("redrive", source.name(), message, parent)
            .setStartTimestamp(now, TimeUnit.NANOSECONDS)
            .setAttribute(SpanAttributes.VHOST, source.vhost())
            .startSpan();
    span.end(now, TimeUnit.NANOSECONDS);
    return continued(message, span);
  }

  @Override
  public QueueTracer queue(QueueName queue) {
    return new QueueSpans(this, queue);
  }

  /** Returns the context of a message; null if the message is not traced. */
  Context parent(Message message) {
    if (!TraceContext.isIn(message)) {
      return null;
    }
    Context context =
        W3CTraceContextPropagator.getInstance().extract(Context.root(), message.headers(), HEADERS);
    SpanContext span = Span.fromContext(context).getSpanContext();
    return span.isValid() && span.isSampled() ? context : null;
  }

  /**
   * Returns a builder of a span of a message.
   *
   * @param operation what is done
   * @param destination the queue or exchange
   */
  SpanBuilder builder(String operation, String destination, Message message, Context parent) {
    SpanBuilder builder =
        tracer
            .spanBuilder(operation + " " + destination)
            .setParent(parent)
            .setAttribute(SpanAttributes.SYSTEM, SYSTEM)
            .setAttribute(SpanAttributes.OPERATION, operation)
            .setAttribute(SpanAttributes.DESTINATION, destination)
            .setAttribute(SpanAttributes.ROUTING_KEY, message.routingKey().value())
            .setAttribute(SpanAttributes.BODY_SIZE, (long) message.bodyLength());
    String messageId = RawProperties.messageId(message.content());
    return messageId == null ? builder : builder.setAttribute(SpanAttributes.MESSAGE_ID, messageId);
  }

  /** Returns a message that continues a span; the same message if the span was not sampled. */
  static Message continued(Message message, Span span) {
    SpanContext context = span.getSpanContext();
    return context.isSampled()
        ? TraceContext.with(
            message,
            "00-%s-%s-%s"
                .formatted(
                    context.getTraceId(), context.getSpanId(), context.getTraceFlags().asHex()))
        : message;
  }
}
