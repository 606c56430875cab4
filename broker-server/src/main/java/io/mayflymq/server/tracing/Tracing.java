package io.mayflymq.server.tracing;

import io.mayflymq.core.tracing.MessageTracer;
import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.config.TracingSettings;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to a receiver of OTLP, in batches on a thread of its own. Spans that the receiver
 * does not take in time are dropped: messages never wait for them.
 */
public final class Tracing implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Tracing.class);

  /** Referenced, as its level would otherwise be forgotten. ReportingExporter logs instead. */
  private static final java.util.logging.Logger SDK_LOG =
      java.util.logging.Logger.getLogger("io.opentelemetry");

  private static final String TRACES_PATH = "/v1/traces";
  private static final Duration SEND_EACH = Duration.ofSeconds(1);
  private static final long CLOSE_SECONDS = 5;

  private final SdkTracerProvider provider;
  private final MessageTracer tracer;

  private Tracing(SdkTracerProvider provider) {
    this.provider = provider;
    this.tracer = new SpanTracer(provider.get("io.mayflymq"), Clock.getDefault());
  }

  /**
   * Begins to trace.
   *
   * @param settings with an endpoint
   * @param node the name of this node
   */
  public static Tracing start(TracingSettings settings, String node) {
    SDK_LOG.setLevel(java.util.logging.Level.OFF);
    OtlpHttpSpanExporterBuilder exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(tracesAt(settings.endpoint().orElseThrow()).toString());
    settings.headers().forEach(exporter::addHeader);
    return new Tracing(
        provider(
            BatchSpanProcessor.builder(
                    new ReportingExporter(exporter.build(), settings.endpoint().orElseThrow()))
                .setScheduleDelay(SEND_EACH)
                .build(),
            settings,
            node));
  }

  static SdkTracerProvider provider(
      SpanProcessor processor, TracingSettings settings, String node) {
    return SdkTracerProvider.builder()
        .addSpanProcessor(processor)
        .setResource(resource(settings, node))
        // SpanTracer makes spans only for what publishers have sampled: the broker begins no trace.
        .setSampler(Sampler.traceIdRatioBased(settings.sampleRatio()))
        .build();
  }

  private static Resource resource(TracingSettings settings, String node) {
    return Resource.getDefault()
        .merge(
            Resource.create(
                Attributes.of(
                    AttributeKey.stringKey("service.name"), settings.serviceName(),
                    AttributeKey.stringKey("service.instance.id"), node,
                    AttributeKey.stringKey("service.version"), BuildInfo.version())));
  }

  /** As OpenTelemetry says, an endpoint for all signals is followed by the path of the traces. */
  private static URI tracesAt(URI endpoint) {
    String path = endpoint.getPath() == null ? "" : endpoint.getPath().replaceAll("/+$", "");
    return endpoint.resolve(path.endsWith(TRACES_PATH) ? path : path + TRACES_PATH);
  }

  /** Logs where spans are sent, if they are. */
  public static void announce(TracingSettings settings) {
    settings.endpoint().ifPresent(endpoint -> LOGGER.info("sending traces to {}", endpoint));
  }

  /** Returns what is to be told of messages. */
  public MessageTracer tracer() {
    return tracer;
  }

  /** Sends what is left, for a few seconds at most. */
  @Override
  public void close() {
    provider.shutdown().join(CLOSE_SECONDS, TimeUnit.SECONDS);
  }
}
