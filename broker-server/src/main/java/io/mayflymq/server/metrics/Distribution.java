package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a histogram has, with its labels. */
public record Distribution(Labels labels, Histogram.Reading values) {
  /** Returns a histogram with one set of labels. */
  public static MetricFamily histogram(
      String name, String help, Labels labels, Histogram.Reading values) {
    return histogram(name, help, List.of(new Distribution(labels, values)));
  }

  /** Returns a histogram with several sets of labels. */
  public static MetricFamily histogram(String name, String help, List<Distribution> parts) {
    return MetricFamily.of(
        new HistogramSnapshot(
            new MetricMetadata(name, help), parts.stream().map(Distribution::point).toList()));
  }

  /**
   * Returns a histogram of objects, which are read in slices.
   *
   * @param parts returns those of an object
   */
  public static <T> MetricFamily histograms(
      String name, String help, List<T> objects, Function<T, Stream<Distribution>> parts) {
    return () ->
        MetricFamily.slices(objects)
            .map(
                slice ->
                    new HistogramSnapshot(
                        new MetricMetadata(name, help),
                        slice.stream().flatMap(parts).map(Distribution::point).toList()));
  }

  private HistogramDataPointSnapshot point() {
    return new HistogramDataPointSnapshot(
        ClassicHistogramBuckets.of(values.bounds(), values.counts()),
        values.sum(),
        labels,
        Exemplars.EMPTY,
        0);
  }
}
