package io.mayflymq.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metrics.histogram.Buckets;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.Labels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExpositionTest {
  private static final ExpositionFormatWriter TEXT = PrometheusTextFormatWriter.create();
  private static final ExpositionFormatWriter OPEN_METRICS = OpenMetricsTextFormatWriter.create();

  private static List<String> lines(ExpositionFormatWriter writer, MetricFamily... families)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Exposition exposition = new Exposition(writer, Stream.of(families));
    while (exposition.appendTo(out)) {
      // the next piece
    }
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static MetricFamily many(int count, double missing) {
    return Value.gauge(
        "many",
        "Many.",
        IntStream.range(0, count)
            .mapToObj(
                i -> new Value(Labels.of("n", Integer.toString(i)), i < missing ? Double.NaN : i))
            .toList());
  }

  @Test
  void familiesKeepTheirOrderAndTypes() throws IOException {
    MetricFamily info = Value.info("rabbitmq_z_info", "Info.", Labels.of("name", "a\"#\n"));
    MetricFamily counter = Value.counter("a_total", "Count.", 7);
    assertThat(lines(TEXT, info, counter))
        .containsExactly(
            "# HELP rabbitmq_z_info Info.",
            "# TYPE rabbitmq_z_info untyped",
            "rabbitmq_z_info{name=\"a\\\"#\\n\"} 1",
            "# HELP a_total Count.",
            "# TYPE a_total counter",
            "a_total 7");
    assertThat(lines(OPEN_METRICS, info, counter))
        .containsExactly(
            "# TYPE rabbitmq_z_info unknown",
            "# HELP rabbitmq_z_info Info.",
            "rabbitmq_z_info{name=\"a\\\"#\\n\"} 1.0",
            "# TYPE a counter",
            "# HELP a Count.",
            "a_total 7.0",
            "# EOF");
  }

  @Test
  void slicesAreOneFamily() throws IOException {
    int count = 2 * MetricFamily.SLICE + 1;
    List<String> text = lines(TEXT, many(count, 0));
    assertThat(text).hasSize(2 + count);
    assertThat(text.subList(2, text.size())).noneMatch(line -> line.startsWith("#"));
    List<String> openMetrics = lines(OPEN_METRICS, many(count, 0));
    assertThat(openMetrics).hasSize(2 + count + 1);
    assertThat(openMetrics.stream().filter("# EOF"::equals)).hasSize(1);
    assertThat(openMetrics).last().isEqualTo("# EOF");
  }

  /** Also if the first slices have none, the first sample comes after the description. */
  @Test
  void missingValuesHaveNoSample() throws IOException {
    assertThat(lines(TEXT, many(MetricFamily.SLICE + 2, MetricFamily.SLICE + 1)))
        .containsExactly("# HELP many Many.", "# TYPE many gauge", "many{n=\"257\"} 257");
    assertThat(lines(OPEN_METRICS, many(3, 3))).containsExactly("# EOF");
    assertThat(lines(TEXT, many(0, 0))).isEmpty();
  }

  /** RabbitMQ's dashboards select the bounds by this text. */
  @Test
  void boundsOfBucketsHaveTheTextThatDashboardsExpect() throws IOException {
    Histogram sizes = new Histogram(Buckets.bytes(100, 1_000_000, 50_000_000));
    sizes.record(100);
    sizes.record(101);
    sizes.record(60_000_000);
    MetricFamily family =
        Distribution.histogram("size_bytes", "Size.", Labels.of("a", "b"), sizes.read());
    assertThat(lines(TEXT, family))
        .containsExactly(
            "# HELP size_bytes Size.",
            "# TYPE size_bytes histogram",
            "size_bytes_bucket{a=\"b\",le=\"100\"} 1",
            "size_bytes_bucket{a=\"b\",le=\"1000000\"} 2",
            "size_bytes_bucket{a=\"b\",le=\"50000000\"} 2",
            "size_bytes_bucket{a=\"b\",le=\"+Inf\"} 3",
            "size_bytes_count{a=\"b\"} 3",
            "size_bytes_sum{a=\"b\"} 60000201");
    assertThat(lines(OPEN_METRICS, family)).contains("size_bytes_bucket{a=\"b\",le=\"1e+06\"} 2");
  }

  /** As RabbitMQ writes them: whole numbers without a fraction but those of some families. */
  @Test
  void numbersHaveTheTextOfRabbitMq() throws IOException {
    assertThat(lines(TEXT, Value.gauge("a", "A 1.0", 12_345_678_901.0)))
        .last()
        .isEqualTo("a 12345678901");
    assertThat(lines(TEXT, Value.gauge("a", "E 1.0", 0.25))).last().isEqualTo("a 0.25");
    assertThat(lines(TEXT, Value.gauge("a", "A.", 2.5e-7))).last().isEqualTo("a 2.5E-7");
    assertThat(lines(TEXT, Value.gauge("rabbitmq_raft_term", "A.", 1)))
        .last()
        .isEqualTo("rabbitmq_raft_term 1.0");
    assertThat(lines(OPEN_METRICS, Value.gauge("a", "A.", 3))).contains("a 3.0");
  }
}
