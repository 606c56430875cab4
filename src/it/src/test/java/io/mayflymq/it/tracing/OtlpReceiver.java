package io.mayflymq.it.tracing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/** A receiver of OTLP over HTTP that keeps the spans it gets. */
final class OtlpReceiver implements AutoCloseable {
  private final HttpServer server;
  private final List<Received> spans = new CopyOnWriteArrayList<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();

  /** A span, with its attributes as texts. */
  record Received(
      String name,
      String trace,
      String id,
      String parent,
      long startNanos,
      long endNanos,
      Map<String, String> attributes,
      Map<String, String> resource) {
    long millis() {
      return (endNanos - startNanos) / 1_000_000;
    }
  }

  OtlpReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/traces", this::receive);
    server.start();
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  List<Received> spans() {
    return List.copyOf(spans);
  }

  List<String> authorizations() {
    return List.copyOf(authorizations);
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange;
        InputStream body = exchange.getRequestBody()) {
      authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("authorization")));
      boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
      InputStream plain = zipped ? new GZIPInputStream(body) : body;
      keep(ExportTraceServiceRequest.parseFrom(plain));
      byte[] reply = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
      exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, reply.length == 0 ? -1 : reply.length);
      exchange.getResponseBody().write(reply);
    }
  }

  private void keep(ExportTraceServiceRequest request) {
    request
        .getResourceSpansList()
        .forEach(
            from ->
                from.getScopeSpansList().stream()
                    .flatMap(scope -> scope.getSpansList().stream())
                    .map(
                        span ->
                            new Received(
                                span.getName(),
                                hex(span.getTraceId().toByteArray()),
                                hex(span.getSpanId().toByteArray()),
                                hex(span.getParentSpanId().toByteArray()),
                                span.getStartTimeUnixNano(),
                                span.getEndTimeUnixNano(),
                                texts(span.getAttributesList()),
                                texts(from.getResource().getAttributesList())))
                    .forEach(spans::add));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static Map<String, String> texts(List<KeyValue> attributes) {
    return attributes.stream()
        .collect(Collectors.toMap(KeyValue::getKey, each -> text(each.getValue())));
  }

  private static String text(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> value.getStringValue();
      case INT_VALUE -> Long.toString(value.getIntValue());
      case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
      default -> value.toString();
    };
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
