package io.mayflymq.server.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
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
   * Counts a scrape that is answered.
   *
   * @param nanos how long it took to make the answer, which others may have had too
   * @param bytes its length before it is compressed
   */
  void answered(Scrape.Endpoint endpoint, String contentType, long nanos, long bytes) {
    kinds.merge(
        new Kind(endpoint.registry(), contentType),
        new Sums(1, nanos / (double) TimeUnit.SECONDS.toNanos(1), bytes),
        Sums::plus);
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
}
