package io.mayflymq.server.metrics;

import io.mayflymq.server.http.BodySource;
import io.mayflymq.server.metrics.family.MetricFamily;
import io.mayflymq.server.metrics.family.Summary;
import io.prometheus.metrics.model.snapshots.Labels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** What scrapes cost, by endpoint and format, as RabbitMQ tells it. Any thread may call. */
final class ScrapeTelemetry {
  private record Kind(String registry, String contentType) {
    Labels labels() {
      return Labels.of("registry", registry, "content_type", contentType);
    }
  }

  private record Sums(long count, double seconds, double bytes) {
    Sums plus(Sums more) {
      return new Sums(count + more.count, seconds + more.seconds, bytes + more.bytes);
    }
  }

  private final Map<Kind, Sums> kinds = new ConcurrentHashMap<>();

  /**
   * Returns the body of a scrape, which is measured when all of it has been made.
   *
   * @param readNanos how long it took to read the metrics
   */
  BodySource measured(
      Scrape.Endpoint endpoint, String contentType, long readNanos, BodySource body) {
    return new MeasuredBody(new Kind(endpoint.registry(), contentType), readNanos, body);
  }

  /** Returns the families; those of the first scrape are empty. */
  Stream<MetricFamily> families() {
    return Stream.of(
        Summary.of(
            "telemetry_scrape_duration_seconds", "Time to make a response.", points(Sums::seconds)),
        Summary.of("telemetry_scrape_size_bytes", "Size of a response.", points(Sums::bytes)));
  }

  private List<Summary> points(ToDoubleFunction<Sums> part) {
    return kinds.entrySet().stream()
        .map(
            kind ->
                new Summary(
                    kind.getKey().labels(),
                    kind.getValue().count,
                    part.applyAsDouble(kind.getValue())))
        .toList();
  }

  /** Pieces are made one after the other, so plain fields do. */
  private final class MeasuredBody implements BodySource {
    private final Kind kind;
    private final BodySource body;
    private long nanos;
    private long bytes;

    MeasuredBody(Kind kind, long readNanos, BodySource body) {
      this.kind = kind;
      this.nanos = readNanos;
      this.body = body;
    }

    @Override
    public boolean appendTo(ByteArrayOutputStream out) throws IOException {
      long began = System.nanoTime();
      int before = out.size();
      boolean more = body.appendTo(out);
      nanos += System.nanoTime() - began;
      bytes += out.size() - before;
      if (!more) {
        kinds.merge(
            kind, new Sums(1, nanos / (double) TimeUnit.SECONDS.toNanos(1), bytes), Sums::plus);
      }
      return more;
    }

    @Override
    public long held() {
      return body.held();
    }

    @Override
    public void close() {
      body.close();
    }
  }
}
