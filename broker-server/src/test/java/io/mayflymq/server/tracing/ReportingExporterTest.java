package io.mayflymq.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.testing.trace.TestSpanData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests what the log says of a receiver that does not take spans. */
class ReportingExporterTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(ReportingExporter.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private CompletableResultCode next;
  private final ReportingExporter exporter =
      new ReportingExporter(new Receiver(), URI.create("http://127.0.0.1:4318"));

  /** Answers as the test wants. */
  private final class Receiver implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      return next;
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(log);
    logger.setLevel(null);
  }

  private void export(int spans, CompletableResultCode result) {
    next = result;
    exporter.export(Collections.nCopies(spans, null));
  }

  private List<String> lines() {
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void failuresAreLoggedOnceUntilSpansAreSentAgain() {
    export(1, CompletableResultCode.ofSuccess());
    assertThat(lines()).isEmpty();
    export(
        2,
        CompletableResultCode.ofExceptionalFailure(
            new IOException("failed", new ConnectException("refused"))));
    export(3, CompletableResultCode.ofFailure());
    export(4, CompletableResultCode.ofSuccess());
    export(5, CompletableResultCode.ofSuccess());
    assertThat(lines())
        .containsExactly(
            "cannot send traces to http://127.0.0.1:4318, spans are lost:"
                + " java.net.ConnectException: refused",
            "sending traces to http://127.0.0.1:4318 again; 5 spans were lost");
    assertThat(log.list).allMatch(event -> event.getThrowableProxy() == null);
  }

  @Test
  void anAnswerWithAnErrorIsLoggedAsSuch() throws IOException {
    HttpServer receiver =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        request -> {
          request.sendResponseHeaders(400, -1);
          request.close();
        });
    receiver.start();
    URI endpoint = URI.create("http://127.0.0.1:" + receiver.getAddress().getPort());
    ReportingExporter refused =
        new ReportingExporter(
            OtlpHttpSpanExporter.builder().setEndpoint(endpoint + "/v1/traces").build(), endpoint);
    try {
      refused.export(List.of(span())).join(30, TimeUnit.SECONDS);
    } finally {
      refused.shutdown();
      receiver.stop(0);
    }
    assertThat(lines())
        .containsExactly(
            "cannot send traces to "
                + endpoint
                + ", spans are lost: the receiver answered with an error");
  }

  private static SpanData span() {
    return TestSpanData.builder()
        .setName("queue q")
        .setKind(SpanKind.CONSUMER)
        .setStatus(StatusData.unset())
        .setStartEpochNanos(1)
        .setEndEpochNanos(2)
        .setHasEnded(true)
        .build();
  }
}
