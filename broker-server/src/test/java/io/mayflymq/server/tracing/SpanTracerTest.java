package io.mayflymq.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.TraceContext;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.tracing.QueueTracer;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.server.config.TracingSettings;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.testing.time.TestClock;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the spans of messages. */
class SpanTracerTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PUBLISHER = "b7ad6b7169203331";
  private static final String SAMPLED = "00-" + TRACE + "-" + PUBLISHER + "-01";
  private static final QueueName QUEUE = new QueueName("/", "orders");

  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final TestClock clock = TestClock.create();
  private final SpanTracer tracer = tracer(1);
  private final QueueTracer queue = tracer.queue(QUEUE);

  private SpanTracer tracer(double ratio) {
    SdkTracerProvider provider =
        Tracing.provider(
            SimpleSpanProcessor.create(spans),
            new TracingSettings(Optional.empty(), Map.of(), ratio, "broker"),
            "mayfly@here");
    return new SpanTracer(provider.get("test"), clock);
  }

  private static Message message(FieldValue traceparent) {
    FieldTable.Builder headers = FieldTable.builder();
    headers.put("other", new FieldValue.Bool(true));
    if (traceparent != null) {
      headers.put(TraceContext.PARENT, traceparent);
    }
    return Message.ofBroker(
        "events",
        ShortString.of("key"),
        BasicProperties.builder().headers(headers.build()).messageId("m1").build(),
        new byte[] {1, 2, 3});
  }

  private static FieldValue text(String text) {
    return FieldValue.LongString.of(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static Message sampled() {
    return message(text(SAMPLED));
  }

  private long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(clock.now());
  }

  private SpanData only() {
    List<SpanData> finished = spans.getFinishedSpanItems();
    assertThat(finished).hasSize(1);
    return finished.get(0);
  }

  @Test
  void routeIsAChildOfThePublishersSpan() {
    long start = tracer.now();
    clock.advance(Duration.ofNanos(700));
    tracer.routed("/", sampled(), 2, start);
    SpanData span = only();
    assertThat(span.getName()).isEqualTo("route events");
    assertThat(span.getTraceId()).isEqualTo(TRACE);
    assertThat(span.getParentSpanId()).isEqualTo(PUBLISHER);
    assertThat(span.getEndEpochNanos() - span.getStartEpochNanos()).isEqualTo(700);
    assertThat(span.getAttributes().get(SpanAttributes.QUEUES)).isEqualTo(2);
    assertThat(span.getAttributes().get(SpanAttributes.ROUTING_KEY)).isEqualTo("key");
    assertThat(span.getAttributes().get(SpanAttributes.MESSAGE_ID)).isEqualTo("m1");
    assertThat(span.getAttributes().get(SpanAttributes.BODY_SIZE)).isEqualTo(3);
    assertThat(span.getResource().getAttributes().asMap().values())
        .contains("broker", "mayfly@here");
  }

  @Test
  void headersThatAreBytesAreReadToo() {
    byte[] bytes = SAMPLED.getBytes(StandardCharsets.US_ASCII);
    tracer.routed("/", message(FieldValue.Binary.of(bytes)), 1, tracer.now());
    assertThat(only().getParentSpanId()).isEqualTo(PUBLISHER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-" + TRACE + "-" + PUBLISHER + "-00",
        "00-00000000000000000000000000000000-" + PUBLISHER + "-01",
        "00-" + TRACE,
        "nonsense",
        ""
      })
  void contextsThatAreNotSampledOrNotValidAreIgnored(String traceparent) {
    Message message = message(text(traceparent));
    tracer.routed("/", message, 1, tracer.now());
    queue.delivered(1, message, false, nowMillis(), "tag");
    queue.settled(1, QueueTracer.Settlement.ACKNOWLEDGED);
    assertThat(queue.died(message, DropTrigger.MESSAGE_TTL, nowMillis())).isSameAs(message);
    assertThat(tracer.redriven(QUEUE, message)).isSameAs(message);
    assertThat(spans.getFinishedSpanItems()).isEmpty();
  }

  @Test
  void messagesWithoutAContextAreIgnored() {
    for (Message message : List.of(message(null), message(new FieldValue.Int64(1)))) {
      tracer.routed("/", message, 1, tracer.now());
      queue.delivered(1, message, false, nowMillis(), "tag");
      assertThat(queue.died(message, DropTrigger.MESSAGE_TTL, nowMillis())).isSameAs(message);
    }
    assertThat(spans.getFinishedSpanItems()).isEmpty();
  }

  @Test
  void sampleRatioDropsTraces() {
    SpanTracer none = tracer(0);
    Message message = sampled();
    none.routed("/", message, 1, none.now());
    QueueTracer untraced = none.queue(QUEUE);
    untraced.delivered(1, message, false, nowMillis(), "tag");
    untraced.settled(1, QueueTracer.Settlement.ACKNOWLEDGED);
    assertThat(untraced.died(message, DropTrigger.MESSAGE_TTL, nowMillis())).isSameAs(message);
    assertThat(spans.getFinishedSpanItems()).isEmpty();
  }

  @Test
  void deliveryFollowsTheTimeInTheQueueAndEndsWhenItIsSettled() {
    long enqueuedAt = nowMillis();
    clock.advance(Duration.ofMillis(40));
    queue.delivered(7, sampled(), true, enqueuedAt, "tag");
    SpanData inQueue = only();
    assertThat(inQueue.getName()).isEqualTo("queue orders");
    assertThat(inQueue.getParentSpanId()).isEqualTo(PUBLISHER);
    assertThat(TimeUnit.NANOSECONDS.toMillis(inQueue.getStartEpochNanos())).isEqualTo(enqueuedAt);
    assertThat(inQueue.getAttributes().get(SpanAttributes.LEFT)).isEqualTo("delivered");
    spans.reset();
    clock.advance(Duration.ofMillis(3));
    queue.settled(8, QueueTracer.Settlement.REJECTED);
    assertThat(spans.getFinishedSpanItems()).isEmpty();
    queue.settled(7, QueueTracer.Settlement.REQUEUED);
    SpanData delivery = only();
    assertThat(delivery.getName()).isEqualTo("deliver orders");
    assertThat(delivery.getParentSpanId()).isEqualTo(inQueue.getSpanId());
    assertThat(delivery.getStartEpochNanos()).isEqualTo(inQueue.getEndEpochNanos());
    assertThat(delivery.getEndEpochNanos() - delivery.getStartEpochNanos()).isEqualTo(3_000_000);
    assertThat(delivery.getAttributes().get(SpanAttributes.SETTLEMENT)).isEqualTo("requeued");
    assertThat(delivery.getAttributes().get(SpanAttributes.REDELIVERED)).isTrue();
    queue.settled(7, QueueTracer.Settlement.ACKNOWLEDGED);
    assertThat(spans.getFinishedSpanItems()).hasSize(1);
  }

  @Test
  void deliveryThatNothingSettlesEndsAtOnce() {
    queue.delivered(QueueTracer.NO_SETTLEMENT, sampled(), false, QueueTracer.UNKNOWN, "tag");
    assertThat(only().getName()).isEqualTo("deliver orders");
    assertThat(only().getAttributes().get(SpanAttributes.SETTLEMENT)).isEqualTo("automatic");
  }

  @Test
  void deletionOfTheQueueEndsDeliveries() {
    queue.delivered(1, sampled(), false, QueueTracer.UNKNOWN, null);
    queue.closed();
    assertThat(only().getAttributes().get(SpanAttributes.SETTLEMENT)).isEqualTo("queue deleted");
  }

  @Test
  void deadLetterContinuesTheTraceOfTheMessage() {
    Message dead = queue.died(sampled(), DropTrigger.MESSAGE_TTL, nowMillis());
    SpanData inQueue = only();
    assertThat(inQueue.getAttributes().get(SpanAttributes.LEFT)).isEqualTo("expired");
    assertThat(inQueue.getAttributes().get(SpanAttributes.TRIGGER)).isEqualTo("message-ttl");
    assertThat(TraceContext.text(dead.headers(), TraceContext.PARENT))
        .isEqualTo("00-" + TRACE + "-" + inQueue.getSpanId() + "-01");
    assertThat(dead.headers().get("other")).isEqualTo(new FieldValue.Bool(true));
    assertThat(dead.body()).containsExactly(1, 2, 3);
    spans.reset();
    tracer.deadLettered(QUEUE, dead, DropTrigger.MESSAGE_TTL, DropOutcome.DEAD_LETTERED, "dlx");
    SpanData deadLetter = only();
    assertThat(deadLetter.getName()).isEqualTo("dead-letter orders");
    assertThat(deadLetter.getParentSpanId()).isEqualTo(inQueue.getSpanId());
    assertThat(deadLetter.getAttributes().get(SpanAttributes.OUTCOME)).isEqualTo("dead_lettered");
    assertThat(deadLetter.getAttributes().get(SpanAttributes.DEAD_LETTER_EXCHANGE))
        .isEqualTo("dlx");
  }

  @Test
  void redriveContinuesTheTraceOfTheMessage() {
    Message sent = tracer.redriven(QUEUE, sampled());
    SpanData span = only();
    assertThat(span.getName()).isEqualTo("redrive orders");
    assertThat(SpanId.isValid(span.getSpanId())).isTrue();
    assertThat(TraceContext.text(sent.headers(), TraceContext.PARENT)).contains(span.getSpanId());
  }
}
