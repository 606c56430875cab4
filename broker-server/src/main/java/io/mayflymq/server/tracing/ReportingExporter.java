package io.mayflymq.server.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when spans cannot be sent any more, and when they can again: a line each. The SDK would log
 * each failure, with a stack trace. Thread-safe.
 */
final class ReportingExporter implements SpanExporter {
  private static final Logger LOGGER = LoggerFactory.getLogger(ReportingExporter.class);

  private final SpanExporter exporter;
  private final URI endpoint;

  /** Spans since the last success; 0 while they can be sent. */
  private final AtomicLong lost = new AtomicLong();

  /**
   * Creates it.
   *
   * @param exporter sends the spans
   * @param endpoint where to, for the log
   */
  ReportingExporter(SpanExporter exporter, URI endpoint) {
    this.exporter = exporter;
    this.endpoint = endpoint;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int count = spans.size();
    CompletableResultCode result = exporter.export(spans);
    return result.whenComplete(
        () -> {
          if (result.isSuccess()) {
            succeeded();
          } else {
            failed(count, result.getFailureThrowable());
          }
        });
  }

  private void succeeded() {
    long spans = lost.getAndSet(0);
    if (spans > 0) {
      LOGGER.info("sending traces to {} again; {} spans were lost", endpoint, spans);
    }
  }

  private void failed(int count, Throwable why) {
    if (lost.getAndAdd(count) == 0) {
      LOGGER.warn("cannot send traces to {}, spans are lost: {}", endpoint, reason(why));
    }
  }

  /** The SDK wraps an exception; of an HTTP status it tells only internally. */
  private static String reason(Throwable why) {
    return why == null || why.getCause() == null
        ? "the receiver answered with an error"
        : why.getCause().toString();
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }
}
